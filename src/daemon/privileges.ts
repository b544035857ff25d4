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

/** Becomes the user, when we are root and the user is another. @throws BrineError when the system refuses */
export async function becomeUser(user: User): Promise<void> {
  if (process.getuid?.() === user.uid) return;
  if (process.getuid?.() !== 0) {
    throw new BrineError(`Salt configured to run as user "${user.name}" but unable to switch.`);
  }
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
