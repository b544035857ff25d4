/** `acl`: access control lists of files (3006.16 salt/states/linux_acl.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { isDir, pathExists } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isRights, octalOf } from './state/rights.ts';
import { outcomeResultFirst as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const failure = (name: string, comment: string): StateResult => outcome(name, false, comment);

/** What an entry is to be. */
interface Wanted {
  readonly name: string;
  readonly type: string;
  readonly perms: string;
  readonly recurse: boolean;
}

interface Acls {
  /** By path. */
  readonly all: Dict;
  readonly own: Dict;
  /** The type without `default:`. */
  readonly kind: string;
  readonly isDefault: boolean;
}

const lettersOf = (octal: number): string =>
  `${octal & 4 ? 'r' : '-'}${octal & 2 ? 'w' : '-'}${octal & 1 ? 'x' : '-'}`;

/**
 * What setfacl would not take, in a sentence: it is said before anything is changed, and in test mode.
 *
 * Salt compat: Salt's test mode promises it, and with `force` all entries are gone before setfacl fails.
 */
function refusal({ type, perms }: Wanted, names: readonly string[]): string | undefined {
  if (!isRights(perms))
    return `'${perms}' are no permissions: write each of r, w and x at most once, X for x on folders and programs alone, - for none, or one digit from 0 to 7`;
  const named = names.find((name) => name !== '');
  return /(?:^|:)(?:m|mask|o|other)$/.test(type) && named !== undefined
    ? `An entry of the type ${type} has no name, and ${named} is given as one`
    : undefined;
}

/** Whether somebody has the right to execute a path, which `X` asks for. */
function isExecuted({ all, isDefault }: Acls, path: Value): boolean {
  const of = all.get(path);
  if (isDefault || isDir(pyStr(path)) || !isDict(of)) return true;
  return ['user', 'group', 'other'].some((kind) =>
    entriesAt({ all, kind, isDefault: false }, path).some((entry) =>
      [...entry.values()].some((rights) => isDict(rights) && Number(rights.get('octal')) % 2 === 1),
    ),
  );
}

/** The entries of one path, of the default list where that is meant. */
function entriesAt({ all, kind, isDefault }: Pick<Acls, 'all' | 'kind' | 'isDefault'>, path: Value): Dict[] {
  const of = all.get(path);
  const list = isDict(of) ? (isDefault ? of.get('defaults') : of) : undefined;
  const entries = isDict(list) ? list.get(kind) : undefined;
  return Array.isArray(entries) ? entries.filter(isDict) : [];
}

/** The rights of a name in octal, undefined without an entry. */
function octalAt(acls: Acls, path: Value, name: string): number | undefined {
  const rights = entriesAt(acls, path)
    .map((entry) => entry.get(name))
    .findLast(isDict);
  const octal = rights?.get('octal');
  return typeof octal === 'number' ? octal : undefined;
}

async function aclsOf(ctx: StateContext, { name, type, recurse }: Wanted): Promise<Acls> {
  const answer = await ctx.functions.call('acl.getfacl', [name], { recursive: recurse });
  const all = isDict(answer) ? answer : dict();
  const own = all.get(name);
  if (!isDict(own)) throw new CommandExecutionError(`getfacl says nothing of ${name}`);
  const isDefault = /^(?:d|default):/.test(type);
  return { all, own, kind: isDefault ? type.slice(type.indexOf(':') + 1) : type, isDefault };
}

/** The owner's entry is always there, and setfacl does not take it away. */
const ownersRefusal = (name: string): string | undefined =>
  name === '' ? 'The entry of the owner cannot be removed: acl_name must name a user or a group' : undefined;

/** Whose entry a state means: an empty name is the owner's. Salt compat: Salt never finds that of the owning user. */
function meantName({ own, kind }: Acls, name: string): string {
  const comment = own.get('comment');
  return name === '' && isDict(comment) ? pyStr(comment.get(kind === 'user' ? 'owner' : kind) ?? '') : name;
}

async function setEntries(
  ctx: StateContext,
  { name, type, perms, recurse }: Wanted,
  names: readonly string[],
  force: boolean,
): Promise<string | undefined> {
  const keywords = dict({ recursive: recurse, raise_err: true });
  try {
    if (force) await ctx.functions.call('acl.wipefacls', [name], keywords);
    for (const each of names) await ctx.functions.call('acl.modfacl', [type, each, perms, name], keywords);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return error.message;
  }
}

const changesOf = (wanted: Wanted, name: string, old?: Value, perms: Value = wanted.perms): Dict => {
  const entry = (rights: Value): DictInit => ({ acl_name: name, acl_type: wanted.type, perms: rights });
  return dict({ new: entry(perms), ...(old === undefined ? {} : { old: entry(old) }) });
};

/** Whether all names have the wanted rights on all paths that are meant; only folders have rights for new files. */
function isEverywhere(acls: Acls, { name, perms, recurse }: Wanted, names: readonly string[]): boolean {
  const paths = recurse ? [...acls.all.keys()] : [name];
  const meant = acls.isDefault ? paths.filter((path) => path === name || isDir(pyStr(path))) : paths;
  return meant.every((path) => {
    const octal = octalOf(perms, isExecuted(acls, path));
    return names.every((each) => octalAt(acls, path, each) === octal);
  });
}

async function present(
  ctx: StateContext,
  wanted: Wanted,
  aclName: string,
  force: boolean,
): Promise<StateResult> {
  const { name, perms } = wanted;
  if (!pathExists(name)) return failure(name, `${name} does not exist`);
  const refused = refusal(wanted, [aclName]);
  if (refused !== undefined) return failure(name, refused);
  const acls = await aclsOf(ctx, wanted);
  const meant = meantName(acls, aclName);
  if (entriesAt(acls, name).length === 0 && !acls.isDefault) return failure(name, 'ACL Type does not exist');
  const held = octalAt(acls, name, meant);
  if (held !== undefined && isEverywhere(acls, wanted, [meant]))
    return outcome(name, true, 'Permissions are in the desired state');
  const before = held === undefined ? undefined : lettersOf(held);
  const changes = changesOf(wanted, aclName, before);
  if (ctx.state.test) {
    const comment =
      before === undefined
        ? `New permissions will be applied for ${aclName}: ${perms}`
        : `Updated permissions will be applied for ${aclName}: ${before} -> ${perms}`;
    return outcome(name, null, comment, changes);
  }
  const problem = await setEntries(ctx, wanted, [aclName], force);
  if (problem !== undefined) return failure(name, `Error updating permissions for ${aclName}: ${problem}`);
  const done = before === undefined ? 'Applied new permissions for' : 'Updated permissions for';
  return outcome(name, true, `${done} ${aclName}`, changes);
}

async function absent(ctx: StateContext, wanted: Wanted, aclName: string): Promise<StateResult> {
  const { name, type, recurse } = wanted;
  if (!pathExists(name)) return failure(name, `${name} does not exist`);
  const acls = await aclsOf(ctx, wanted);
  const meant = meantName(acls, aclName);
  if (entriesAt(acls, name).length === 0 && !acls.isDefault) return failure(name, 'ACL Type does not exist');
  if ([...acls.all.keys()].every((path) => octalAt(acls, path, meant) === undefined))
    return outcome(name, true, 'Permissions are in the desired state');
  if (ctx.state.test) return outcome(name, null, 'Removing permissions');
  // Salt compat: Salt hands the rights on as a second file.
  await ctx.functions.call('acl.delfacl', [type, aclName, name], { recursive: recurse });
  return outcome(name, true, 'Removing permissions');
}

async function listPresent(
  ctx: StateContext,
  wanted: Wanted,
  names: readonly string[],
  force: boolean,
): Promise<StateResult> {
  const { name, type, perms } = wanted;
  if (!pathExists(name)) return failure(name, `${name} does not exist`);
  const refused = refusal(wanted, names);
  if (refused !== undefined) return failure(name, refused);
  const acls = await aclsOf(ctx, wanted);
  if (entriesAt(acls, name).length === 0 && !acls.isDefault) return failure(name, 'ACL Type does not exist');
  const held = names.map((each) => octalAt(acls, name, each));
  if (names.length > 0 && isEverywhere(acls, wanted, names))
    return outcome(name, true, 'Permissions are in the desired state');
  const octal = octalOf(perms, isExecuted(acls, name));
  const other = held.find((each) => each !== undefined && each !== octal);
  const changes =
    other === undefined
      ? changesOf(wanted, names.join(', '))
      : changesOf(wanted, names.join(', '), String(other), octal);
  if (ctx.state.test) {
    const comment =
      other === undefined
        ? `New permissions will be applied for ${pyRepr([...names])}: ${perms}`
        : `Updated permissions will be applied for ${pyRepr([...names])}: ${other} -> ${perms}`;
    return outcome(name, null, comment, changes);
  }
  const problem = await setEntries(ctx, { ...wanted, type }, names, force);
  if (problem !== undefined)
    return failure(name, `Error updating permissions for ${pyRepr([...names])}: ${problem}`);
  const done =
    other === undefined
      ? `Applied new permissions for ${names.join(', ')}`
      : `Updated permissions for ${pyRepr([...names])}`;
  return outcome(name, true, done, changes);
}

async function listAbsent(ctx: StateContext, wanted: Wanted, names: readonly string[]): Promise<StateResult> {
  const { name, type, recurse } = wanted;
  if (!pathExists(name)) return failure(name, `${name} does not exist`);
  const acls = await aclsOf(ctx, wanted);
  if (entriesAt(acls, name).length === 0 && !acls.isDefault) return failure(name, 'ACL Type does not exist');
  if (names.every((each) => [...acls.all.keys()].every((path) => octalAt(acls, path, each) === undefined)))
    return outcome(name, true, 'Permissions are in the desired state');
  if (ctx.state.test) return outcome(name, null, 'Removing permissions');
  for (const each of names)
    await ctx.functions.call('acl.delfacl', [type, each, name], { recursive: recurse });
  return outcome(name, true, 'Removing permissions');
}

const PLACE = {
  name: param.text({ doc: 'The file or folder.' }),
  acl_type: param.text({ doc: 'user, group or mask; with `default:` or `d:` in front what new files get.' }),
} as const;
const ONE = {
  acl_name: param.textOrEmpty({ default: '', doc: 'The user or group; empty for the owner.' }),
} as const;
const SEVERAL = { acl_names: param.textsIfGiven({ default: null, doc: 'The users or groups.' }) } as const;
const PERMS = { perms: param.textOrEmpty({ default: '', doc: 'The rights: rwx, r-x.' }) } as const;
const RECURSE = { recurse: param.flag({ default: false, doc: 'With all that is in the folder.' }) } as const;
const FORCE = {
  force: param.flag({ default: false, doc: 'Remove all other entries first, when something changes.' }),
} as const;

/** The states of `acl`. */
export const aclStates = defineModule({
  name: 'acl',
  file: 'linux_acl',
  doc: 'Access control lists of files.',
  unavailable: () =>
    findProgram('getfacl') === undefined || findProgram('setfacl') === undefined
      ? 'The linux_acl state cannot be loaded: the getfacl or setfacl binary is not in the path.'
      : undefined,
  words: { lines: ['name'], dashes: ['name', 'perms'] },
  functions: {
    present: defineState({
      doc: 'Makes sure that a file has an entry.',
      params: { ...PLACE, ...ONE, ...PERMS, ...RECURSE, ...FORCE },
      run: (ctx, { name, acl_type: type, acl_name, perms, recurse, force }) =>
        present(ctx, { name, type, perms, recurse }, acl_name, force),
    }),
    absent: defineState({
      doc: 'Makes sure that a file does not have an entry.',
      params: { ...PLACE, ...ONE, ...PERMS, ...RECURSE },
      refuses: ({ acl_name, acl_type }) =>
        /(?:^|:)(?:m|mask)$|^d(?:efault)?:/.test(acl_type) ? undefined : ownersRefusal(acl_name),
      run: (ctx, { name, acl_type: type, acl_name, perms, recurse }) =>
        absent(ctx, { name, type, perms, recurse }, acl_name),
    }),
    list_present: defineState({
      doc: 'Makes sure that a file has entries of several names.',
      params: { ...PLACE, ...SEVERAL, ...PERMS, ...RECURSE, ...FORCE },
      // Salt compat: there, no names are a change at each run, and nothing is done
      refuses: ({ acl_names }) =>
        acl_names === undefined ? 'acl_names must name the users or groups of the entries' : undefined,
      run: (ctx, { name, acl_type: type, acl_names, perms, recurse, force }) =>
        listPresent(ctx, { name, type, perms, recurse }, acl_names ?? [], force),
    }),
    list_absent: defineState({
      doc: 'Makes sure that a file does not have entries of several names.',
      params: { ...PLACE, ...SEVERAL, ...RECURSE },
      run: (ctx, { name, acl_type: type, acl_names, recurse }) =>
        listAbsent(ctx, { name, type, perms: '', recurse }, acl_names ?? []),
    }),
  },
});
