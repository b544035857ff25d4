/** Running as the configured user, with exactly that user's groups (CVE-2013-6617). */
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BrineError } from '../errors/errors.ts';
import { findUser, groupIdsOf, type User } from '../host/users.ts';

/** The configured user does not exist. */
export class NoSuchUserError extends BrineError {
  override readonly name = 'NoSuchUserError';
  override readonly exitCode = 67;
}

/** A folder or file of a daemon cannot be made. Salt compat: the exit code is the system's error number. */
export class PreparationError extends BrineError {
  override readonly name = 'PreparationError';
  override readonly exitCode: number;

  constructor(cause: NodeJS.ErrnoException) {
    const what = cause.path === undefined ? '' : ` ${cause.path}`;
    super(
      `Failed to prepare${what} - ${cause.message}. Start the program as the owner of this path, or set the option that names it to another.`,
      { cause },
    );
    this.exitCode = Math.abs(cause.errno ?? 1);
  }
}

/** Does what a daemon does on the disk before it starts. @throws PreparationError for the system's errors */
export async function prepareOnDisk(prepare: () => unknown): Promise<void> {
  try {
    await prepare();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new PreparationError(error as NodeJS.ErrnoException);
    throw error;
  }
}

/** The account a daemon shall run as. @throws NoSuchUserError */
export async function accountOf(name: string): Promise<User> {
  const user = await findUser(name);
  if (user === undefined) {
    throw new NoSuchUserError(
      `Failed to prepare the Salt environment for user ${name}. The user is not available.`,
    );
  }
  return user;
}

/** Says so before anything is touched. @throws BrineError when we cannot become this user */
export function requireSwitchable(user: User): void {
  const uid = process.getuid?.();
  if (uid === user.uid || uid === 0) return;
  throw new BrineError(
    `Salt configured to run as user "${user.name}" but unable to switch. Start it as that user or as root, or set the option user.`,
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

/** Gives a tree to a user; hidden files are left alone, as Salt leaves them. Links are not followed. */
export function giveTree(path: string, user: User): void {
  if (process.getuid?.() !== 0) return;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return;
  if (stat.uid !== user.uid) chownSync(path, user.uid, user.gid);
  if (!stat.isDirectory()) return;
  for (const name of readdirSync(path)) if (!name.startsWith('.')) giveTree(join(path, name), user);
}
