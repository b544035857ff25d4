import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedWarnings } from '../../../../src/programs/master/counted-log.ts';
import { keptLog } from '../../../support/attacker.ts';

test('counted log - a flood of one kind does not hide the first of another, and kinds have a bound', () => {
  const { log, lines } = keptLog();
  const warn = countedWarnings(log);
  for (let at = 0; at < 999; at++) warn('The peer speaks ZeroMQ', 'zeromq');
  assert.equal(lines.length, 10);
  warn('The peer speaks TLS', 'tls');
  warn('The peer speaks ZeroMQ', 'zeromq');
  assert.deepEqual(
    lines.slice(10).map((line) => /The peer.*/.exec(line)?.[0]),
    ['The peer speaks TLS (1 so far).', 'The peer speaks ZeroMQ (1000 so far).'],
  );
  for (let at = 0; at < 1000; at++) warn('Each another', String(at));
  assert.ok(lines.length < 60, String(lines.length));
});
