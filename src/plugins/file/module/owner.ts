/** Owners and groups of files: looking them up and changing them. Follows 3006.16 salt/modules/file.py. */
import { chownSync, lchownSync } from 'node:fs';
import { pathExists } from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { pyInt } from '../../../python/conversions.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { toNumber, truthy, type Value } from '../../../python/values/value.ts';
import { groupId, groupName, isId, userId, userName } from '../../shared/file-names.ts';
import { param } from '../../../runtime/loader/params.ts';
import { P } from '../../shared/file-params.ts';
import { statsOf } from './stats.ts';

/** A user id as it stands, or out of a text. @throws ValueError */
function userIdOf(uid: Value): number {
  return Number(isId(uid) ? uid : pyInt(uid));
}

/** `file.gid_to_group`: also takes names and numbers in text. */
async function groupOf(gid: Value): Promise<Value> {
  let id: Value;
  try {
    id = pyInt(gid);
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    id = await groupId(gid);
  }
  return id === '' ? '' : groupName(toNumber(id) ?? -1);
}

interface Ids {
  readonly uid: number;
  readonly gid: number;
  readonly error: string;
}

async function idsFor(user: Value, group: Value): Promise<Ids> {
  const [uid, gid] = [await userId(user), await groupId(group)];
  const noUser = uid === '' && truthy(user) ? 'User does not exist\n' : '';
  const noGroup = gid === '' && truthy(group) ? 'Group does not exist\n' : '';
  return { uid: uid === '' ? -1 : uid, gid: gid === '' ? -1 : gid, error: noUser + noGroup };
}

/** -1 leaves an id alone. */
function asId(id: number): number {
  return id === -1 ? 0xffffffff : id;
}

/** Changes owner and group. @returns Salt's sentences when user, group or file do not exist, else nothing */
export async function changeOwner(path: string, user: Value, group: Value): Promise<string | null> {
  const { uid, gid, error } = await idsFor(user, group);
  if (!pathExists(path)) {
    try {
      lchownSync(path, asId(uid), asId(gid));
      return null;
    } catch (failure) {
      if (!isOsError(failure)) throw failure;
      return `${error}File not found`;
    }
  }
  if (error !== '') return error;
  chownSync(path, asId(uid), asId(gid));
  return null;
}

/** Changes owner and group of a link itself. */
export async function changeLinkOwner(path: string, user: Value, group: Value): Promise<string | null> {
  const { uid, gid, error } = await idsFor(user, group);
  // Salt compat: Salt goes on with an owner that does not exist, and fails with a TypeError.
  if (error !== '') return error;
  lchownSync(path, asId(uid), asId(gid));
  return null;
}

const OWNER = { path: P.path, user: P.user, group: P.group } as const;
const CHANGED = 'nothing when it has worked, else a sentence';

/** Functions about owners. */
export const ownerFunctions = {
  gid_to_group: defineFunction({
    doc: 'Finds the name of a group id.',
    params: { gid: P.gid },
    returns: 'the name; the id when no group has it',
    examples: ["salt '*' file.gid_to_group 0"],
    run: (_ctx, { gid }) => groupOf(gid),
  }),
  group_to_gid: defineFunction({
    doc: 'Finds the id of a group.',
    params: { group: P.group },
    returns: 'the id; an empty text when there is no such group',
    examples: ["salt '*' file.group_to_gid root"],
    // a number is its own answer, and True is a number in Python
    run: (_ctx, { group }) => (typeof group === 'boolean' ? group : groupId(group)),
  }),
  uid_to_user: defineFunction({
    doc: 'Finds the name of a user id.',
    params: { uid: param.by(userIdOf, P.uid) },
    returns: 'the name; the id when nobody has it',
    examples: ["salt '*' file.uid_to_user 0"],
    run: (_ctx, { uid }) => userName(uid),
  }),
  user_to_uid: defineFunction({
    doc: 'Finds the id of a user.',
    params: { user: P.user },
    returns: 'the id; an empty text when there is no such user',
    examples: ["salt '*' file.user_to_uid root"],
    run: (_ctx, { user }) => (typeof user === 'boolean' ? user : userId(user)),
  }),
  chown: defineFunction({
    doc: 'Changes owner and group of a file; an empty text leaves one of them alone.',
    params: OWNER,
    returns: CHANGED,
    examples: ["salt '*' file.chown /etc/passwd root root"],
    run: (_ctx, { path, user, group }) => changeOwner(path, user, group),
  }),
  lchown: defineFunction({
    doc: 'Changes owner and group of a file, of a symbolic link those of the link itself.',
    params: OWNER,
    returns: CHANGED,
    examples: ["salt '*' file.lchown /etc/localtime root root"],
    run: (_ctx, { path, user, group }) => changeLinkOwner(path, user, group),
  }),
  chgrp: defineFunction({
    doc: 'Changes the group of a file.',
    params: { path: P.path, group: P.group },
    returns: CHANGED,
    examples: ["salt '*' file.chgrp /etc/passwd root"],
    run: async (_ctx, { path, group }) => {
      const place = path;
      return changeOwner(place, (await statsOf(place)).get('user') ?? null, group);
    },
  }),
};
