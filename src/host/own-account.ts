/** The account under which this process runs: its uid may have none, as in a container that is given any number. */
import { userInfo } from 'node:os';
import type { ErrorCode } from '../errors/codes.ts';
import { BrineError } from '../errors/errors.ts';

/** This process has an uid that no account has: exit 67 (EX_NOUSER), as for an account that does not exist. */
export class NoOwnAccountError extends BrineError {
  static override readonly errorCode: ErrorCode = 'user-not-found';
  override readonly name = 'NoOwnAccountError';
  override readonly exitCode = 67;
}

/**
 * The name of the account of this process.
 * @param read gives the name, or throws when the system knows none
 * @throws NoOwnAccountError
 */
export function ownAccountName(read: () => string = () => userInfo().username): string {
  try {
    return read();
  } catch (cause) {
    throw new NoOwnAccountError(
      `This process runs with the uid ${process.getuid?.()}, and no account of this machine has it. ` +
        'Add a line for it to /etc/passwd, or run the program as a user that has an account.',
      { cause },
    );
  }
}

/** The user of this process, as messages name him: there may be no account of its uid. */
export function thisUser(): string {
  try {
    return ownAccountName();
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
