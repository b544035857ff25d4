/** Groups of packages with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { defineFunction, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import { runStdout } from '../../../shared/program.ts';
import { packageName } from '../../../shared/packages.ts';
import { inputList, installedRpms } from './rpm.ts';
import { yumOptions, yumProgram } from './yum.ts';
import { param } from '../../../../runtime/loader/params.ts';

const SECTIONS = new Map([
  ['installed groups:', 'installed'],
  ['available groups:', 'available'],
  ['installed environment groups:', 'installed environments'],
  ['available environment groups:', 'available environments'],
  ['available language groups:', 'available languages'],
]);
/** How a member belongs to its group. */
const KINDS = ['mandatory', 'optional', 'default', 'conditional'] as const;
type Kind = (typeof KINDS)[number];

const program = (): string => yumProgram() ?? 'yum';

async function listGroups(ctx: ModuleContext): Promise<Dict> {
  const lists = new Map([...SECTIONS.values()].map((name) => [name, [] as Value[]]));
  const languages: Dict = new Map();
  let key: string | undefined;
  const text = await runStdout(ctx, [program(), 'grouplist', 'hidden'], { output_loglevel: 'trace' });
  for (const line of text.split('\n')) {
    if (line.toLowerCase() === 'done') break;
    const section = SECTIONS.get(line.toLowerCase());
    if (section !== undefined) key = section;
    else if (key === 'available languages') {
      const [, name, language] = /^(.+) \[(.+)\]/.exec(line.trim()) ?? [];
      if (name !== undefined) languages.set(line.trim(), dict({ name, language }));
    } else if (key !== undefined && line !== '') lists.get(key)?.push(line.trim());
  }
  return new Map<Value, Value>([...lists, ['available languages', languages]]);
}

/** A group, read. */
interface Group {
  readonly isEnvironment: boolean;
  readonly facts: Dict;
  readonly members: ReadonlyMap<Kind, ReadonlySet<string>>;
}

/** Reads what `groupinfo` prints. */
function parseGroup(text: string): Group {
  const fields = new Map<string, string>();
  const members = new Map<Kind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
  let kind: Kind | undefined;
  for (const line of text.split('\n')) {
    const parts = line.split(':').map((part) => part.trim());
    if (parts.length === 2) fields.set((parts[0] ?? '').toLowerCase(), parts[1] ?? '');
    const bare = line.trim().replace(/^[!-/:-@[-`{-~]+/, '');
    const heading = /^(mandatory|optional|default|conditional) (?:groups|packages):\s*$/.exec(
      bare.toLowerCase(),
    )?.[1];
    if (heading !== undefined) kind = heading as Kind;
    else if (kind !== undefined && text !== '') members.get(kind)?.add(bare);
  }
  const isEnvironment = fields.has('environment group');
  const facts: Dict = new Map();
  if (isEnvironment) facts.set('type', 'environment group');
  else if (fields.has('group')) facts.set('type', 'package group');
  facts.set('group', fields.get('environment group') || (fields.get('group') ?? null));
  facts.set('id', fields.get('environment-id') || (fields.get('group-id') ?? null));
  facts.set('description', fields.get('description') ?? '');
  return { isEnvironment, facts, members };
}

/**
 * `pkg.group_info`
 * @param looked the groups that were already followed
 * @throws CommandExecutionError `Group 'X' not found`
 */
async function groupInfo(
  ctx: ModuleContext,
  name: string,
  given: { readonly expand: boolean; readonly kwargs: Dict; readonly looked: Set<string> },
): Promise<Dict> {
  const { expand, kwargs, looked } = given;
  const options = yumOptions(
    new Map([...kwargs].filter(([key]) => ['fromrepo', 'enablerepo', 'disablerepo'].includes(pyStr(key)))),
  );
  const words = [program(), '--quiet', ...options, 'groupinfo', packageName(name)];
  const { isEnvironment, facts, members } = parseGroup(
    await runStdout(ctx, words, { output_loglevel: 'trace' }),
  );
  if (facts.get('group') === null && facts.get('id') === null)
    throw new CommandExecutionError(`Group '${name}' not found`);
  const found = new Map<Kind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
  for (const [kind, names] of members) {
    for (const member of names) {
      if (!expand || !isEnvironment) {
        found.get(kind)?.add(member);
        continue;
      }
      if (member === '' || looked.has(member)) continue;
      looked.add(member);
      const inner = await groupInfo(ctx, `@${member}`, { expand: true, kwargs: new Map(), looked });
      for (const each of KINDS) for (const item of inner.get(each) as string[]) found.get(each)?.add(item);
    }
  }
  const lists = KINDS.map((kind): [Value, Value] => [kind, [...(found.get(kind) ?? [])].sort(compareText)]);
  return new Map<Value, Value>([...lists, ...facts]);
}

async function groupDiff(ctx: ModuleContext, name: string, kwargs: Dict): Promise<Dict> {
  const installed = await installedRpms(ctx);
  const group = await groupInfo(ctx, name, { expand: true, kwargs, looked: new Set() });
  return new Map<Value, Value>(
    KINDS.map((kind) => {
      const members = group.get(kind) as string[];
      return [
        kind,
        dict({
          installed: members.filter((each) => installed.has(each)),
          'not installed': members.filter((each) => !installed.has(each)),
        }),
      ];
    }),
  );
}

const listArgument =
  (name: string) =>
  (value: Value): string[] => {
    if (typeof value === 'string') return value.split(',');
    if (!Array.isArray(value)) throw new SaltInvocationError(`'${name}' must be a list`);
    return value.map(pyStr);
  };

/** Groups, what of theirs is not wanted, and what is wanted besides. */
interface GroupWish {
  readonly name: readonly string[];
  readonly skip: readonly string[];
  readonly include: readonly string[];
}

async function installGroups(ctx: ModuleContext, wish: GroupWish, kwargs: Dict): Promise<Value> {
  const { name: groups, skip, include } = wish;
  if (groups.length === 0) throw new SaltInvocationError('no groups specified');
  const wanted = new Set<string>();
  for (const name of groups) {
    const group = await groupInfo(ctx, name, { expand: false, kwargs: new Map(), looked: new Set() });
    for (const each of group.get('mandatory') as string[]) wanted.add(each);
    for (const each of group.get('default') as string[]) if (!skip.includes(each)) wanted.add(each);
  }
  for (const each of include) wanted.add(each);
  const installed = await installedRpms(ctx);
  const pkgs = [...wanted].filter((each) => !installed.has(each));
  if (pkgs.length === 0) return new Map();
  return ctx.functions.call('pkg.install', [], new Map<Value, Value>([...kwargs, ['pkgs', pkgs]]));
}

const FROM = 'Keywords: `fromrepo`, `enablerepo`, `disablerepo`.';
const name = param.text({ doc: 'The group, by name or id.' });
const installing = (pythonName?: string) =>
  defineFunction({
    doc: 'Installs the packages of groups, those that belong to it and those that are its default. Keywords go to `pkg.install`.',
    ...(pythonName === undefined ? {} : { pythonName }),
    params: {
      name: param.by(listArgument('groups'), {
        type: 'list',
        doc: 'The groups, also as a text with commas between.',
      }),
      skip: param.by(listArgument('skip'), {
        default: [],
        type: 'list',
        doc: 'Default packages not to install.',
      }),
      include: param.by(listArgument('include'), {
        default: [],
        type: 'list',
        doc: 'Further packages to install.',
      }),
    },
    kwargs: 'kwargs',
    returns: '`{package: {old, new}}` of what has changed',
    examples: ["salt '*' pkg.group_install 'My Group' skip='foo,bar' include='baz'"],
    run: (ctx, args, _rest, kwargs) => installGroups(ctx, args, kwargs),
  });

/** The functions of `pkg` about groups. */
export const yumGroupFunctions = {
  group_list: defineFunction({
    doc: 'Lists the groups of packages.',
    returns: '`{installed, available, installed environments, available environments, available languages}`',
    examples: ["salt '*' pkg.group_list"],
    run: (ctx) => listGroups(ctx),
  }),
  group_info: defineFunction({
    doc: `Returns what belongs to a group. ${FROM}`,
    params: {
      name,
      expand: param.strictFlag({ default: false, doc: 'Show packages where an environment has groups.' }),
      ignore_groups: param.by(inputList, { default: null, type: 'list', doc: 'Groups not to follow.' }),
    },
    kwargs: 'kwargs',
    returns: '`{mandatory, optional, default, conditional, type, group, id, description}`',
    examples: ["salt '*' pkg.group_info 'Perl Support'"],
    run: (ctx, args, _rest, kwargs) =>
      groupInfo(ctx, args.name, {
        expand: args.expand,
        kwargs,
        looked: new Set(args.ignore_groups),
      }),
  }),
  group_diff: defineFunction({
    doc: `Returns which packages of a group are installed. ${FROM}`,
    params: { name },
    kwargs: 'kwargs',
    returns: '`{mandatory: {installed, not installed}, …}`',
    examples: ["salt '*' pkg.group_diff 'Perl Support'"],
    run: (ctx, args, _rest, kwargs) => groupDiff(ctx, args.name, kwargs),
  }),
  group_install: installing(),
  groupinstall: installing('group_install'),
};
