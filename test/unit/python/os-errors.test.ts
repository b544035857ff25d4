/** Errors of the system in Python's words. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { test } from 'node:test';
import { describeOsError } from '../../../src/python/exceptions.ts';
import { errnoOf, osErrorText } from '../../../src/python/os-errors.ts';

test('errors - a name that cannot be resolved has the number and the words of getaddrinfo', async () => {
  const error = await lookup('name with spaces').then(
    () => assert.fail('it was found'),
    (cause: Error) => cause,
  );
  assert.equal(errnoOf(error), -2);
  assert.equal(osErrorText(error), '[Errno -2] Name or service not known');
  assert.equal(describeOsError(error)?.type, 'socket.gaierror');
});
