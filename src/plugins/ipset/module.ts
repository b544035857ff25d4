/** `ipset`: sets of addresses for the packet filter. Follows 3006.16 salt/modules/ipset.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { entryOf, hasEntry, optionWords } from './module/members.ts';
import { createOptions, entryOptions, requiredOptions, WITHOUT_VALUE } from './module/set-types.ts';
import { programPath, runAll, runText } from '../shared/program.ts';

const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['ipv4', 'inet'],
  ['ip4', 'inet'],
  ['ipv6', 'inet6'],
  ['ip6', 'inet6'],
]);

const FAMILY = {
  family: param.text({ default: 'ipv4', doc: 'The family of addresses: ipv4 or ipv6.' }),
} as const;
const NAME = { name: param.textIfGiven({ default: null, doc: 'The set; required.' }) } as const;
const textsIn = (value: Value): string[] | undefined => {
  if (!truthy(value)) return undefined;
  return Array.isArray(value) ? value.map(pyStr) : [pyStr(value)];
};
const ENTRY = {
  entry: param.textIfGiven({
    default: null,
    doc: 'The entry: an address, a network, an address with a port …',
  }),
} as const;
const NO_SET = 'Error: Set needs to be specified';
const NO_ENTRY = 'Error: Entry needs to be specified';
const DONE = 'true, or what the program complains of';

/** The name that ipset has for a family. @throws SaltInvocationError for one that it does not know */
export function ipsetFamily(family: string): string {
  const own = FAMILIES.get(family);
  if (own !== undefined) return own;
  throw new SaltInvocationError(`ipset has no family '${family}'; the families are ipv4 and ipv6.`);
}

/** Why there are no functions for ipset here. */
function withoutIpset(): string | undefined {
  return findProgram('ipset') === undefined
    ? 'The ipset execution modules cannot be loaded: ipset binary not in path.'
    : undefined;
}

function run(ctx: ModuleContext, words: readonly string[]): Promise<string> {
  return runText(ctx, [programPath('ipset'), ...words]);
}

/** True, or what the program complains of. */
async function changed(ctx: ModuleContext, words: readonly string[]): Promise<Value> {
  return (await run(ctx, words)) || true;
}

/** The fields that `ipset list -t` prints of each set. */
function listedSets(text: string): Map<string, string>[] {
  const sets: Map<string, string>[] = [];
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.includes(':'));
    const fields = lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 2)];
    });
    if (fields.length > 0) sets.push(new Map(fields));
  }
  return sets;
}

/** What is known of a set; undefined where there is none. */
async function setInfo(ctx: ModuleContext, name: string): Promise<Map<string, string> | undefined> {
  const { retcode, stdout } = await runAll(ctx, [programPath('ipset'), 'list', '-t', name]);
  return retcode > 0 ? undefined : listedSets(stdout)[0];
}

async function setType(ctx: ModuleContext, name: string): Promise<string | undefined> {
  return (await setInfo(ctx, name))?.get('Type');
}

/** The members of a set, as ipset prints them. */
async function membersOf(ctx: ModuleContext, name: string): Promise<string[]> {
  const { retcode, stdout } = await runAll(ctx, [programPath('ipset'), 'list', name]);
  const lines = stdout.split('\n');
  const at = lines.findIndex((line) => line.includes('Members:'));
  return retcode > 0 || at < 0 ? [] : lines.slice(at + 1).filter((line) => line.trim() !== '');
}

/** Options with their values as words; what a set has no option for is named in the log. */
function givenOptions(
  ctx: ModuleContext,
  known: readonly string[],
  kwargs: Dict,
  ignored: readonly string[],
): string[] {
  const unknown = [...kwargs.keys()].map(pyStr).filter((key) => !key.startsWith('__'));
  const left = unknown.filter((key) => !known.includes(key) && !ignored.includes(key));
  if (left.length > 0) ctx.log.warning(`ipset has no such option for this type of set: ${left.join(', ')}`);
  return known.flatMap((option) => {
    if (!kwargs.has(option)) return [];
    const value = kwargs.get(option) ?? null;
    if (!WITHOUT_VALUE.has(option)) return [option, pyStr(value)];
    return value === false || value === null ? [] : [option];
  });
}

async function newSet(
  ctx: ModuleContext,
  given: { readonly name: string; readonly type: string; readonly family: string; readonly comment: boolean },
  kwargs: Dict,
): Promise<Value> {
  const known = createOptions(given.type);
  if (known === undefined) return 'Error: Set Type is invalid';
  const missing = requiredOptions(given.type).find((option) => !kwargs.has(option));
  if (missing !== undefined) return `Error: ${missing} is a required argument`;
  const words = ['create', given.name, given.type, ...givenOptions(ctx, known, kwargs, [])];
  if (known.includes('family')) words.push('family', given.family);
  if (given.comment && !words.includes('comment')) words.push('comment');
  return changed(ctx, words);
}

/** What the set was not made with and the entry asks for. */
function unsupported(
  name: string,
  header: string,
  options: readonly string[],
  kwargs: Dict,
): string | undefined {
  const asks = (...names: string[]): boolean =>
    names.some((each) => kwargs.has(each) || options.includes(each));
  const needs: [string, boolean][] = [
    ['timeout', asks('timeout')],
    ['counters', asks('packets', 'bytes')],
    ['comment', asks('comment')],
    ['skbinfo', asks('skbmark', 'skbprio', 'skbqueue')],
  ];
  const lacking = needs.find(([feature, isAsked]) => isAsked && !header.includes(feature));
  return lacking && `Error: Set ${name} not created with ${lacking[0]} support`;
}

async function addEntry(ctx: ModuleContext, name: string, entry: string, kwargs: Dict): Promise<string> {
  const info = await setInfo(ctx, name);
  if (info === undefined) return `Error: Set ${name} does not exist`;
  const { address, options } = entryOf(entry);
  const own = optionWords(options);
  const lacking = unsupported(name, info.get('Header') ?? '', own, kwargs);
  if (lacking !== undefined) return lacking;
  const known = ['comment', ...entryOptions(info.get('Type') ?? '')].filter(
    (option) => !own.includes(option),
  );
  const words = known.flatMap((option) => {
    if (!kwargs.has(option)) return [];
    if (option === 'nomatch') return kwargs.get(option) === false ? [] : [option];
    return [option, pyStr(kwargs.get(option) ?? null)];
  });
  if ((await membersOf(ctx, name)).includes(entry))
    return `Warn: Entry ${entry} already exists in set ${name}`;
  const said = await run(ctx, ['add', '-exist', name, address, ...own, ...words]);
  return said === '' ? 'Success' : `Error: ${said}`;
}

/** Sets. */
const sets = {
  version: defineFunction({
    doc: 'Returns the version of ipset.',
    returns: 'text',
    examples: ["salt '*' ipset.version"],
    run: async (ctx) => {
      const said = await run(ctx, ['--version']);
      const version = said.split(/\s+/)[1];
      if (version === undefined) throw new CommandExecutionError(`ipset says no version: ${said}`);
      return version;
    },
  }),
  new_set: defineFunction({
    doc: 'Makes a set; options of ipset are given as keywords: range, timeout, maxelem and others.',
    params: {
      ...NAME,
      set_type: param.textIfGiven({ default: null, doc: 'Its type, as hash:ip; required.' }),
      ...FAMILY,
      comment: param.flag({ default: false, doc: 'Entries may have comments.' }),
    },
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' ipset.new_set custom_set list:set comment=True"],
    run: (ctx, { name, set_type, family, comment }, _rest, kwargs) => {
      const own = ipsetFamily(family);
      if (name === undefined) return 'Error: Set Name needs to be specified';
      if (set_type === undefined) return 'Error: Set Type needs to be specified';
      return newSet(ctx, { name, type: set_type, family: own, comment }, kwargs);
    },
  }),
  delete_set: defineFunction({
    doc: 'Removes a set.',
    params: { ...NAME, ...FAMILY },
    returns: DONE,
    examples: ["salt '*' ipset.delete_set custom_set"],
    run: (ctx, { name }) => (name === undefined ? NO_SET : changed(ctx, ['destroy', name])),
  }),
  rename_set: defineFunction({
    doc: 'Gives a set another name.',
    params: {
      ...NAME,
      new_set: param.textIfGiven({ default: null, doc: 'The new name; required.' }),
      ...FAMILY,
    },
    returns: DONE,
    examples: ["salt '*' ipset.rename_set custom_set new_set=new_set_name"],
    run: async (ctx, { name, new_set }) => {
      if (name === undefined) return NO_SET;
      if (new_set === undefined) return 'Error: New name for set needs to be specified';
      if ((await setType(ctx, name)) === undefined) return 'Error: Set does not exist';
      if ((await setType(ctx, new_set)) !== undefined) return 'Error: New Set already exists';
      return changed(ctx, ['rename', name, new_set]);
    },
  }),
  list_sets: defineFunction({
    doc: 'Lists all sets.',
    params: FAMILY,
    returns: 'list of mappings of what ipset tells of each: Name, Type, Header …',
    examples: ["salt '*' ipset.list_sets"],
    run: async (ctx) => listedSets(await run(ctx, ['list', '-t'])).map((fields): Dict => new Map(fields)),
  }),
  check_set: defineFunction({
    doc: 'Returns whether there is a set.',
    params: { ...NAME, ...FAMILY },
    returns: 'true or false',
    examples: ["salt '*' ipset.check_set setname"],
    run: async (ctx, { name }) => (name === undefined ? NO_SET : (await setInfo(ctx, name)) !== undefined),
  }),
  flush: defineFunction({
    doc: 'Removes all entries of a set; without a name those of all sets.',
    params: { name: param.textIfGiven({ default: null, doc: 'The set.' }), ...FAMILY },
    returns: 'true where it has worked',
    examples: ["salt '*' ipset.flush setname"],
    run: async (ctx, { name }) => (await run(ctx, name === undefined ? ['flush'] : ['flush', name])) === '',
  }),
};

/** Entries. */
const entries = {
  add: defineFunction({
    doc: 'Puts an entry into a set; its options stand behind it or are given as keywords: timeout, comment and others.',
    params: { ...NAME, ...ENTRY, ...FAMILY },
    kwargs: 'kwargs',
    returns: '`Success`, or a sentence that begins with `Warn:` or `Error:`',
    examples: ["salt '*' ipset.add setname 192.168.1.26"],
    run: (ctx, { name, entry }, _rest, kwargs) => {
      if (name === undefined) return NO_SET;
      return entry === undefined ? NO_ENTRY : addEntry(ctx, name, entry, kwargs);
    },
  }),
  delete: defineFunction({
    doc: 'Removes an entry from a set.',
    params: { ...NAME, ...ENTRY, ...FAMILY },
    kwargs: 'kwargs',
    returns: '`Success`, or a sentence that begins with `Error:`',
    examples: ["salt '*' ipset.delete setname 192.168.0.3,AA:BB:CC:DD:EE:FF"],
    run: async (ctx, { name, entry }) => {
      if (name === undefined) return NO_SET;
      if (entry === undefined) return NO_ENTRY;
      if ((await setType(ctx, name)) === undefined) return `Error: Set ${name} does not exist`;
      const said = await run(ctx, ['del', name, entry]);
      return said === '' ? 'Success' : `Error: ${said}`;
    },
  }),
  check: defineFunction({
    doc: 'Returns whether a set has an entry, or one of several.',
    params: {
      ...NAME,
      entry: param.by(textsIn, {
        default: null,
        type: 'str or list',
        doc: 'The entry: an address, a range `a-b`, a network; with options behind it, these have to be the same.',
      }),
      ...FAMILY,
    },
    returns: 'true or false',
    examples: ["salt '*' ipset.check setname '192.168.0.1 comment \"Hello\"'"],
    run: async (ctx, { name, entry }) => {
      if (name === undefined) return NO_SET;
      if (entry === undefined) return NO_ENTRY;
      const type = await setType(ctx, name);
      if (type === undefined) return `Error: Set ${name} does not exist`;
      return hasEntry(type, await membersOf(ctx, name), entry);
    },
  }),
  test: defineFunction({
    doc: 'Asks ipset whether a set has an entry.',
    params: { ...NAME, ...ENTRY, ...FAMILY },
    kwargs: 'kwargs',
    returns: 'true or false',
    examples: ["salt '*' ipset.test setname 192.168.0.2"],
    run: async (ctx, { name, entry }) => {
      if (name === undefined) return NO_SET;
      if (entry === undefined) return NO_ENTRY;
      if ((await setType(ctx, name)) === undefined) return `Error: Set ${name} does not exist`;
      return (await runAll(ctx, [programPath('ipset'), 'test', name, entry])).retcode === 0;
    },
  }),
};

/** The module. */
export const ipsetModule = defineModule({
  name: 'ipset',
  file: 'ipset',
  doc: 'Sets of addresses, networks and ports for the packet filter (`ipset`).',
  unavailable: withoutIpset,
  words: {},
  failsWith: { text: ['delete_set', 'new_set', 'rename_set', 'flush'], error: ['add', 'delete'] },
  functions: { ...sets, ...entries },
});
