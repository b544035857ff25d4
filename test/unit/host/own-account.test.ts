/** The account of this process, which a container may not have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoOwnAccountError, ownAccountName, thisUser } from '../../../src/host/own-account.ts';

test('own account - a uid without an account is named, with what to do', () => {
  assert.equal(ownAccountName(), thisUser());
  const unknown = (): string => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)');
  };
  assert.throws(
    () => ownAccountName(unknown),
    (error) =>
      error instanceof NoOwnAccountError &&
      error.exitCode === 67 &&
      error.errorCode === 'user-not-found' &&
      error.message.startsWith(
        `This process runs with the uid ${process.getuid?.()}, and no account of this machine has it. Add a line`,
      ),
  );
});
