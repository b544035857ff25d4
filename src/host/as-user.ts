/** Looking at the machine with the rights of another account, without becoming it. */
import { groupIdsOf, type User } from './users.ts';

/**
 * Calls something with another account's rights to files. Only root can, and this process must be doing nothing else
 * meanwhile: the rights are those of all its threads.
 * @param look ends before it returns
 */
export async function asUser<T>(user: User, look: () => T): Promise<T> {
  const groups = await groupIdsOf(user);
  const own = {
    groups: process.getgroups?.() ?? [],
    gid: process.getegid?.() ?? 0,
    uid: process.geteuid?.() ?? 0,
  };
  try {
    process.setgroups?.(groups);
    process.setegid?.(user.gid);
    process.seteuid?.(user.uid);
    return look();
  } finally {
    process.seteuid?.(own.uid);
    process.setegid?.(own.gid);
    process.setgroups?.(own.groups);
  }
}
