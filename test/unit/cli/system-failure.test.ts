import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemFailure } from '../../../src/cli/program/system-failure.ts';

const failing = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no`), { code, syscall: 'open', ...(path === undefined ? {} : { path }) });

test('command line - an error of the operating system is a sentence with the path and what to do', () => {
  assert.equal(
    systemFailure(failing('EACCES', '/etc/salt')),
    '/etc/salt cannot be used (open, EACCES): this user may not. Run the program as the user who may, or let this one in.',
  );
  assert.match(
    systemFailure(failing('ENOSPC', '/var/cache/x')) ?? '',
    /^\/var\/cache\/x cannot be written: .* Make room on \//,
  );
  assert.match(systemFailure(failing('EDQUOT', '/x')) ?? '', /quota/);
  assert.match(systemFailure(failing('EROFS', '/x')) ?? '', /read only/);
  assert.equal(systemFailure(failing('EACCES')), undefined);
  assert.equal(systemFailure(failing('EBADF', '/x')), undefined);
  assert.equal(systemFailure('text'), undefined);
});
