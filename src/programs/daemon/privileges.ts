/** Running as the configured user, with exactly that user's groups (CVE-2013-6617). */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { diskRefusal } from '../../host/disk-refusal.ts';
import { findUser, groupIdsOf, type User } from '../../host/users.ts';
import { requireReadablePrograms } from './program-access.ts';

/** The configured user does not exist. */
export class NoSuchUserError extends BrineError {
  static override readonly errorCode: ErrorCode = 'user-not-found';
  override readonly name = 'NoSuchUserError';
  override readonly exitCode = 67;
}

/** A folder or file of a daemon cannot be made. Salt compat: the exit code is the system's error number. */
class PreparationError extends BrineError {
  static override readonly errorCode: ErrorCode = 'folder-not-usable';
  override readonly name = 'PreparationError';
  override readonly exitCode: number;

  constructor(cause: NodeJS.ErrnoException) {
    const what = cause.path === undefined ? '' : ` ${cause.path}`;
    const refusal = diskRefusal(cause);
    super(
      refusal === undefined
        ? `Failed to prepare${what} - ${cause.message}. Start the program as the owner of this path, or set the option that names it to another.`
        : `Failed to prepare: ${refusal.message} Or set the option that names this folder to another.`,
      { cause },
    );
    this.exitCode = Math.abs(cause.errno ?? 1);
  }
}

/** Does what a daemon does on the disk before it starts. @throws PreparationError for the system's errors */
export async function prepareOnDisk<T>(prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new PreparationError(error as NodeJS.ErrnoException);
    throw error;
  }
}

/** The account a program shall run as. @throws NoSuchUserError and UnreadableProgramError */
export async function accountOf(name: string): Promise<User> {
  const user = await findUser(name);
  if (user === undefined) {
    throw new NoSuchUserError(
      `Failed to prepare the Salt environment for user ${name}. The user is not available. Make the account, or name another one in the option user.`,
    );
  }
  await requireReadablePrograms(user);
  return user;
}

/** Says so before anything is touched. @throws BrineError when we cannot become this user */
export function requireSwitchable(user: User): void {
  const uid = process.getuid?.();
  if (uid === user.uid || uid === 0) return;
  throw new BrineError(
    `Salt configured to run as user "${user.name}" but unable to switch. Start it as that user or as root, or set the option user.`,
    { code: 'user-not-switchable' },
  );
}

/** Becomes the user, when we are root and the user is another. @throws BrineError when the system refuses */
export async function becomeUser(user: User): Promise<void> {
  if (process.getuid?.() === user.uid) return;
  requireSwitchable(user);
  const groups = await groupIdsOf(user);
  process.setgroups?.(groups);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
  process.env['HOME'] = user.home;
  process.env['USER'] = user.name;
}
