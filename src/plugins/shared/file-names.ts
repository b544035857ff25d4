/** Names and numbers of users and groups, as the functions of `file` take and give them. */
import { findGroup, findUser } from '../../host/users.ts';
import { isInt, type Value } from '../../python/values/value.ts';
import { textArgument } from './file-params.ts';

/** The name of a user id; the id itself when nobody has it. */
export async function userName(uid: number): Promise<string | number> {
  return (await findUser(uid))?.name ?? uid;
}

/** The name of a group id; the id itself when no group has it. */
export async function groupName(gid: number): Promise<string | number> {
  return (await findGroup(gid))?.name ?? gid;
}

/** The id of a user; an empty text when there is none. None is the minion's own user. */
export async function userId(user: Value): Promise<number | ''> {
  if (user === null) return process.getuid?.() ?? '';
  if (isId(user)) return Number(user);
  return (await findUser(textArgument(user)))?.uid ?? '';
}

/** The id of a group; an empty text when there is none, and for None. */
export async function groupId(group: Value): Promise<number | ''> {
  if (group === null) return '';
  if (isId(group)) return Number(group);
  return (await findGroup(textArgument(group)))?.gid ?? '';
}

/** True for what counts as a number in Python. */
export function isId(value: Value): value is number | bigint | boolean {
  return typeof value === 'boolean' || isInt(value);
}
