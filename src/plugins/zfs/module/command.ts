/**
 * Commands of `zfs` and `zpool`: their words, what they say of properties, and how they end. Follows 3006.16
 * salt/utils/zfs.py.
 */
import { findProgram } from '../../../host/which.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll, type Ended } from '../../shared/program.ts';
import { wordForZfs, wordOf, type PropertyType, type PropertyTypes } from './values.ts';

/** The two programs. */
export type ZfsProgram = 'zfs' | 'zpool';

/** A command, as its parts are put one behind the other. */
export interface ZfsCommand {
  readonly flags?: readonly string[];
  /** Options with values, which are put in the order of their letters. */
  readonly options?: ReadonlyMap<string, Value>;
  /** Properties of file systems. */
  readonly properties?: Dict;
  readonly poolProperties?: Dict;
  /** A property without a value. */
  readonly property?: Value;
  /** Properties that are set. */
  readonly settings?: Dict;
  /** Names; None is left out. */
  readonly targets?: readonly Value[];
}

/** Words between spaces. */
export const wordsIn = (line: string): string[] => (strip(line) === '' ? [] : strip(line).split(/\s+/));
const isAscending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function settingWords(types: PropertyTypes, settings: Dict, option?: string): string[] {
  const words = [...settings].map(
    ([key, value]) => [pyStr(key), wordForZfs(types, pyStr(key), value)] as const,
  );
  const sorted = option === undefined ? words : words.sort(([a], [b]) => isAscending(a, b));
  return sorted.flatMap(([key, word]) => [...(option === undefined ? [] : [option]), `${key}=${word}`]);
}

/** Runs a command. @param keywords of cmd.run_all */
export async function runZfs(
  ctx: ModuleContext,
  program: ZfsProgram,
  verb: string,
  command: ZfsCommand,
  keywords: { readonly ignore_retcode?: boolean } = {},
): Promise<Ended> {
  const { flags = [], options = new Map<string, Value>(), properties, poolProperties, settings } = command;
  const words = [programPath(program), verb, ...flags];
  for (const [option, value] of [...options].sort(([a], [b]) => isAscending(a, b)))
    for (const one of Array.isArray(value) ? value : [value]) words.push(option, wordOf(one));
  if (properties !== undefined && properties.size > 0)
    words.push(
      ...settingWords(await propertiesOf(ctx, 'zfs'), properties, program === 'zpool' ? '-O' : '-o'),
    );
  if (poolProperties !== undefined && poolProperties.size > 0)
    words.push(...settingWords(await propertiesOf(ctx, 'zpool'), poolProperties, '-o'));
  if (settings !== undefined) words.push(...settingWords(await propertiesOf(ctx, program), settings));
  if (command.property !== undefined && command.property !== null) words.push(pyStr(command.property));
  const [first = null, ...others] = command.targets ?? [];
  const targets = Array.isArray(first) && others.length === 0 ? first : [first, ...others];
  for (const target of targets) if (target !== null && target !== '') words.push(wordOf(target));
  return runAll(ctx, words, { ...keywords });
}

/** Further names of properties, in what the commands print. */
const ALIASES: Readonly<Record<ZfsProgram, Readonly<Record<string, string>>>> = {
  zpool: {
    allocated: 'alloc',
    autoexpand: 'expand',
    autoreplace: 'replace',
    listsnapshots: 'listsnaps',
    fragmentation: 'frag',
  },
  zfs: {
    available: 'avail',
    logicalreferenced: 'lrefer.',
    logicalused: 'lused.',
    referenced: 'refer',
    volblocksize: 'volblock',
    compression: 'compress',
    readonly: 'rdonly',
    recordsize: 'recsize',
    refreservation: 'refreserv',
    reservation: 'reserv',
  },
};
/** Columns of `zpool status` and `zpool iostat`, which are no properties. */
const COLUMNS: readonly (readonly [name: string, type: PropertyType])[] = [
  ...'capacity-alloc capacity-free operations-read operations-write bandwidth-read bandwidth-write read write'
    .split(' ')
    .map((name) => [name, 'size'] as const),
  ['cksum', 'numeric'],
  ['cap', 'numeric'],
];
const SIZES = new Set(['<size>', '<size> | none']);
const COUNTS = new Set(['<count>', '<count> | none', '<guid>']);

function typeOf(name: string, values: string): PropertyType {
  if (values.startsWith('on | off')) return 'bool';
  if (values.startsWith('yes | no')) return 'bool_alt';
  if (SIZES.has(values)) return 'size';
  if (COUNTS.has(values)) return 'numeric';
  if (['sharenfs', 'sharesmb', 'canmount'].includes(name)) return 'bool';
  return name === 'version' || name === 'copies' ? 'numeric' : 'str';
}

/** The kinds of properties, as the usage of `get` lists them. */
async function propertiesOf(ctx: ModuleContext, program: ZfsProgram): Promise<PropertyTypes> {
  const said = await runAll(ctx, [programPath(program), 'get'], {
    ignore_retcode: true,
    output_loglevel: 'quiet',
  });
  const found = new Map<string, PropertyType>();
  let columns = 0;
  for (const line of said.stderr.split('\n')) {
    const words = wordsIn(line.toLowerCase());
    const [name = '', edit = ''] = words;
    if (name === 'property') columns = words.length;
    else if (columns > 0 && (edit === 'no' || edit === 'yes')) {
      const key = name.includes('@') ? name.slice(0, name.indexOf('@') + 1) : name;
      const type = typeOf(key, words.slice(columns - 1).join(' '));
      found.set(key, type);
      const alias = ALIASES[program][key];
      if (alias !== undefined) found.set(alias, type);
    }
  }
  return program === 'zpool' ? new Map([...found, ...COLUMNS]) : found;
}

/** The kinds of all that either program prints. */
export async function allProperties(ctx: ModuleContext): Promise<PropertyTypes> {
  return new Map([...(await propertiesOf(ctx, 'zpool')), ...(await propertiesOf(ctx, 'zfs'))]);
}

const FLAGS: readonly (readonly [RegExp, string, string])[] = [
  [/^use '-f'/i, '-f', 'force=True'],
  [/^use '-r'/i, '-r', 'recursive=True'],
];

/** How a command has ended: whether it did what the label says, and what it said if not. */
export function resultOf({ retcode, stderr }: Ended, label?: string): Dict {
  const result: Dict = new Map<Value, Value>(label === undefined ? [] : [[label, retcode === 0]]);
  if (retcode === 0) return result;
  const lines = splitLines(stderr);
  const usage = lines.findIndex((line) => /^usage:/i.test(line));
  const said = (usage < 0 ? lines : lines.slice(0, usage)).map((line) => {
    const flag = FLAGS.find(([pattern]) => pattern.test(line));
    return flag === undefined ? line : line.replaceAll(flag[1], flag[2]);
  });
  if (said.length > 0) result.set('error', said.join('\n'));
  return result;
}

/** Runs a command that does something. @param label what it has done, in the answer */
export async function actZfs(
  ctx: ModuleContext,
  program: ZfsProgram,
  verb: string,
  label: string,
  command: ZfsCommand,
): Promise<Dict> {
  return resultOf(await runZfs(ctx, program, verb, command), label);
}

/** Fields of a line with tabs, under their names. */
export function rowOf(names: readonly string[], line: string): Dict {
  const fields = line.split('\t');
  return new Map(names.slice(0, fields.length).map((name, i): [Value, Value] => [name, fields[i] ?? '']));
}

/** A list of names, as a list or a text with commas, without one that is put first. */
export function listedProperties(value: Value): string[] {
  const all = Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
  return ['name', ...all.filter((name) => name !== 'name')];
}

/** Words for what keywords ask for. */
export const flagsFor = (kwargs: Dict, flags: Readonly<Record<string, string>>): string[] =>
  Object.entries(flags).flatMap(([key, flag]) => (truthy(kwargs.get(key) ?? null) ? [flag] : []));

/** Options for what keywords ask for, with their values. */
export const optionsFor = (kwargs: Dict, options: Readonly<Record<string, string>>): Map<string, Value> =>
  new Map(
    Object.entries(options).flatMap(([key, option]): [string, Value][] => {
      const value = kwargs.get(key) ?? null;
      return truthy(value) ? [[option, value]] : [];
    }),
  );

/** A mapping among keywords; anything else is an empty one. */
export const mappingIn = (kwargs: Dict, name: string): Dict => {
  const value = kwargs.get(name);
  return isDict(value) ? value : new Map();
};

/** Why neither module can be used. Without the program the grain is false: it is not collected to find that out. */
export const withoutZfs =
  (what: string) =>
  ({ grains }: { readonly grains: Dict }): string | undefined =>
    findProgram('zfs') !== undefined && truthy(grains.get('zfs_support') ?? null)
      ? undefined
      : `The ${what} cannot be loaded: zfs not supported`;
