import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemFailure } from '../../../src/cli/program/system-failure.ts';

const failing = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no`), { code, syscall: 'open', ...(path === undefined ? {} : { path }) });

test('command line - an error of the operating system is a sentence with the path and what to do', () => {
  const refused = systemFailure(failing('EACCES', '/etc/salt'));
  assert.match(
    refused?.message ?? '',
    /^\/etc\/salt is closed to the user \S+\. Run it as root, or let this user in\.$/,
  );
  assert.equal(refused?.exitCode, 77);
  assert.match(
    systemFailure(failing('ENOSPC', '/var/cache/x'))?.message ?? '',
    /^\/var\/cache\/x cannot be written: .* Make room on \//,
  );
  assert.match(systemFailure(failing('EDQUOT', '/x'))?.message ?? '', /quota/);
  assert.match(systemFailure(failing('EROFS', '/x'))?.message ?? '', /read only/);
  assert.equal(systemFailure(failing('EACCES')), undefined);
  assert.equal(systemFailure(failing('EBADF', '/x')), undefined);
  assert.equal(systemFailure('text'), undefined);
});
