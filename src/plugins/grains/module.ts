/**
 * `grains.*`: reading grains, and changing those in `<configuration folder>/grains` (3006.16 salt/modules/grains.py).
 */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, ArgumentError } from '../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { isTrue } from '../../python/conversions.ts';
import { filterBy, saltException } from '../../runtime/loader/filter-by.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { sortedKeys } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { DEFAULT_DELIMITER, traverse, type KeyPath } from '../../formats/data/traverse.ts';
import {
  copyValue,
  dict,
  isDict,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
  pyTypeName,
} from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { param } from '../../runtime/loader/params.ts';
import { isDir } from '../../python/paths.ts';

/** What stands for the true value of grains that tell who a minion is. */
const SANITIZED: ReadonlyMap<string, (value: Value) => Value> = new Map([
  ['serialnumber', (value: Value) => maskLastQuarter(pyStr(value))],
  ['domain', () => 'DOMAINNAME'],
  ['fqdn', () => 'MINION.DOMAINNAME'],
  ['id', () => 'MINION.DOMAINNAME'],
  ['host', () => 'MINION'],
  ['localhost', () => 'MINION'],
  ['nodename', () => 'MINION'],
]);

function maskLastQuarter(text: string): string {
  const shown = Math.floor(text.length * 0.75);
  return text.slice(0, shown) + 'X'.repeat(text.length - shown);
}

function sanitize(grains: Dict): Dict {
  return new Map([...grains].map(([key, value]) => [key, SANITIZED.get(pyStr(key))?.(value) ?? value]));
}

function keyPath(key: Value): KeyPath {
  return typeof key === 'string' || typeof key === 'number' || Array.isArray(key) ? key : pyStr(key);
}

/** A key that is looked up level by level. @throws ArgumentError for None, in Python's words */
function readKey(key: Value): Value {
  if (key === null) throw new ArgumentError("'NoneType' object is not iterable");
  return key;
}

/**
 * A key that is looked for the delimiter before anything is changed.
 * @throws ArgumentError for numbers and None, in Python's words
 */
function changedKey(key: Value): Value {
  if (typeof readKey(key) === 'string' || Array.isArray(key) || isDict(key)) return key;
  throw new ArgumentError(`argument of type '${pyTypeName(key)}' is not iterable`);
}

function look(grains: Dict, key: KeyPath, fallback: Value, delimiter: string): Value {
  return traverse(grains, key, { fallback, delimiter });
}

function getGrain(
  ctx: ModuleContext,
  args: { readonly key: KeyPath; readonly default: Value; readonly delimiter: string },
): Value {
  return look(ctx.grains, args.key, args.default, args.delimiter);
}

/** The grains file, with a symbolic link followed, so that writing keeps the link. */
function grainsFile(ctx: ModuleContext): string {
  const configFile = optionOf(ctx.opts, 'conf_file');
  const folder = isDir(configFile) ? configFile : dirname(configFile);
  const path = join(folder, 'grains');
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function saveGrains(ctx: ModuleContext, path: string, grains: Dict): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644;
  try {
    writeFileAtomic(path, dumpYaml(grains), { mode: mode & 0o777, durable: true });
  } catch (error) {
    ctx.log.error(`Unable to write to grains file at ${path}. Check permissions.`, error);
  }
}

/**
 * Writes grains into the file and into the running minion, then has them loaded anew. The file is read and written in
 * one go, so that two jobs do not lose each other's changes.
 * @returns the grains that were set, or Salt's sentence about a file that cannot be read
 */
async function setGrains(
  ctx: ModuleContext,
  changes: Dict,
  destructive: Value,
  refreshPillar: Value = true,
): Promise<Dict | string> {
  const path = grainsFile(ctx);
  let stored: Value;
  try {
    // what stands there twice was warned of when the grains were read, and stands there once after this
    stored = loadYaml(readTextIfExists(path) ?? '', { source: path, onDuplicate: () => undefined });
  } catch (error) {
    if (error instanceof YamlError) return `Unable to read existing grains file: ${messageOf(error)}`;
    throw error;
  }
  const grains: Dict = isDict(stored) ? stored : new Map();
  for (const [key, value] of changes) {
    for (const target of [grains, ctx.grains]) {
      if (value === null && destructive === true) target.delete(key);
      else target.set(key, value);
    }
  }
  saveGrains(ctx, path, grains);
  if (!truthy(ctx.opts.get('local'))) {
    await ctx.functions.call('saltutil.refresh_grains', [], { refresh_pillar: refreshPillar });
  }
  return changes;
}

/** Splits off the last part of a nested key; undefined for a key of one level. */
function splitLast(key: Value, delimiter: string): [head: string, last: string] | undefined {
  if (typeof key !== 'string' || delimiter === '') return undefined;
  const at = key.lastIndexOf(delimiter);
  return at < 0 ? undefined : [key.slice(0, at), key.slice(at + delimiter.length)];
}

/**
 * Puts a changed list back into the grain that holds it, level by level, and stores that grain.
 * @param grains a copy of all grains, in which `list` may already stand
 * @param missing what a level that is not there counts as
 */
async function storeList(
  ctx: ModuleContext,
  grains: Dict,
  place: { key: Value; delimiter: string },
  list: Value[],
  missing: () => Value,
): Promise<Value> {
  let key = place.key;
  let value: Value = list;
  for (let split = splitLast(key, place.delimiter); split; split = splitLast(key, place.delimiter)) {
    key = split[0];
    const parent = look(grains, keyPath(key), missing(), place.delimiter);
    if (isDict(parent)) parent.set(split[1], value);
    value = parent;
  }
  return setGrains(ctx, new Map([[key, value]]), false);
}

function isNested(value: Value | undefined): boolean {
  return isDict(value) || Array.isArray(value);
}

/** Why `grains.set` leaves a grain alone; undefined when it may be set. */
function refusal(key: Value, existing: Value | undefined, value: Value): string | undefined {
  if (existing === undefined || existing === null) return undefined;
  const name = pyStr(key);
  if (isNested(existing))
    return `The key '${name}' exists but is a dict or a list. Use 'force=True' to overwrite.`;
  if (!isNested(value)) return undefined;
  return `The key '${name}' exists and the given value is a dict or a list. Use 'force=True' to overwrite.`;
}

/** Puts `value` under `name` into what stands on the level above; undefined when that is another value. */
function putInto(
  parent: Value,
  name: string,
  value: Value,
  how: { force: boolean; destructive: boolean },
): Value | undefined {
  if (isDict(parent)) {
    if (value === null && how.destructive) parent.delete(name);
    else parent.set(name, value);
    return parent;
  }
  if (Array.isArray(parent)) return putIntoList(parent, name, value);
  return parent === name || how.force ? new Map([[name, value]]) : undefined;
}

function putIntoList(list: Value[], name: string, value: Value): Value[] {
  let found = false;
  for (const [i, item] of list.entries()) {
    if (item === name) list[i] = new Map([[name, value]]);
    else if (isDict(item) && item.has(name)) item.set(name, value);
    else continue;
    found = true;
  }
  if (!found) list.push(new Map([[name, value]]));
  return list;
}

/** `grains.set`; {@link setGrains} for nested keys, careful with what is there. */
async function setNested(
  ctx: ModuleContext,
  wanted: { key: Value; value: Value; force: boolean; destructive: Value; delimiter: string },
): Promise<Dict> {
  const { delimiter } = wanted;
  const how = { force: wanted.force, destructive: wanted.destructive === true };
  const grains = copyValue(ctx.grains);
  const existing = traverse(grains, keyPath(wanted.key), { delimiter });
  const answer = (result: boolean, comment: string, changes: Dict = new Map()): Dict =>
    dict({ comment, changes, result });
  if (
    existing !== undefined &&
    valuesEqual(existing, wanted.value) &&
    !(wanted.value === null && how.destructive)
  ) {
    return answer(true, 'Grain is already set');
  }
  const refused = how.force ? undefined : refusal(wanted.key, existing, wanted.value);
  if (refused !== undefined) return answer(false, refused);
  let key = wanted.key;
  let value = wanted.value;
  for (let split = splitLast(key, delimiter); split; split = splitLast(key, delimiter)) {
    key = split[0];
    const parent = look(grains, keyPath(key), new Map(), delimiter);
    const changed = putInto(parent, split[1], value, how);
    if (changed === undefined) {
      const text = `The key '${key}' value is '${pyStr(parent)}', which is different from the provided key '${split[1]}'.`;
      return answer(false, `${text} Use 'force=True' to overwrite.`);
    }
    value = changed;
  }
  const stored = await setGrains(ctx, new Map([[key, value]]), wanted.destructive);
  return isDict(stored) ? answer(true, '', stored) : answer(false, stored);
}

const getFunction = {
  params: {
    key: param.by(keyPath, {
      type: 'str',
      doc: 'Name of the grain; levels are separated by the delimiter (`pkg:apache`).',
    }),
    default: param.value({ default: '', type: 'any', doc: 'What to return when there is no such grain.' }),
    delimiter: param.text({ default: DEFAULT_DELIMITER, doc: 'What separates levels.' }),
    ordered: param.value({
      default: true,
      type: 'bool',
      doc: 'Without effect: mappings always keep their order.',
    }),
  },
  returns: 'the value, or the default',
} as const;
const destructiveParam = param.value({
  default: false,
  type: 'bool',
  doc: 'With a value of None remove the key, too.',
});
const refreshPillarParam = param.value({
  default: true,
  type: 'bool',
  doc: 'Have the pillar compiled anew afterwards.',
});
const LIST_KEY = param.value({
  type: 'str',
  doc: 'Name of the grain that holds the list; levels are separated by the delimiter.',
});
const listValue = param.value({ type: 'any', doc: 'The value.' });
const delimiterParam = param.text({ default: DEFAULT_DELIMITER, doc: 'What separates levels.' });
const SET_RESULT = '`{result, changes: {grain: value}, comment}`';

/** The module `grains`. */
export const grainsModule = defineModule({
  name: 'grains',
  file: 'grains',
  doc: 'What is known about the minion: its grains, read and, for those kept in a file beside the configuration, changed.',
  functions: {
    get: defineFunction({
      doc: 'Gives the value of one grain, also one inside another.',
      ...getFunction,
      examples: ["salt '*' grains.get pkg:apache", "salt '*' grains.get 'abc::def|ghi' delimiter='|'"],
      run: (ctx, args) => getGrain(ctx, args),
    }),
    fetch: defineFunction({
      doc: 'Another name of `grains.get`, for templates in which `get` is taken.',
      pythonName: 'get',
      ...getFunction,
      run: (ctx, args) => getGrain(ctx, args),
    }),
    has_value: defineFunction({
      doc: 'Returns whether there is a grain of that name, whatever its value.',
      params: {
        key: param.by((key) => keyPath(readKey(key)), {
          type: 'str',
          doc: 'Name of the grain; levels are separated by colons.',
        }),
      },
      returns: 'bool',
      run: (ctx, { key }) => traverse(ctx.grains, key) !== undefined,
    }),
    items: defineFunction({
      doc: 'Gives all grains.',
      params: {
        sanitize: param.strictFlag({
          default: false,
          doc: 'Hide what identifies the minion: names, serial number.',
        }),
      },
      returns: 'mapping of grain to value',
      outputter: 'nested',
      run: (ctx, args) => (args.sanitize ? sanitize(ctx.grains) : new Map(ctx.grains)),
    }),
    item: defineFunction({
      doc: 'Gives one or more grains by name; `default`, `delimiter` and `sanitize` may be given as keywords.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of the given names to values, the default (an empty text) for those that are missing',
      outputter: 'nested',
      examples: ["salt '*' grains.item os osrelease", "salt '*' grains.item host sanitize=True"],
      run: (ctx, _args, names, kwargs) => {
        const fallback = kwargs.get('default') ?? (kwargs.has('default') ? null : '');
        const delimiter = pyStr(kwargs.get('delimiter') ?? DEFAULT_DELIMITER);
        const found: Dict = new Map(
          names.map((name) => [name, look(ctx.grains, keyPath(name), fallback, delimiter)]),
        );
        return isTrue(kwargs.get('sanitize')) ? sanitize(found) : found;
      },
    }),
    ls: defineFunction({
      doc: 'Lists the names of all grains.',
      returns: 'sorted list',
      run: (ctx) => sortedKeys(ctx.grains),
    }),
    equals: defineFunction({
      doc: 'Returns whether a grain has a certain value; both are compared as text.',
      params: {
        key: param.by(readKey, { type: 'str', doc: 'Name of the grain; levels are separated by colons.' }),
        value: param.text({ type: 'any', doc: 'The value it should have.' }),
      },
      returns: 'bool',
      examples: ["salt '*' grains.equals systemd:version 252"],
      run: (ctx, { key, value }) => value === pyStr(look(ctx.grains, keyPath(key), '', DEFAULT_DELIMITER)),
    }),
    setvals: defineFunction({
      doc: 'Sets several grains in the file of grains. Grains of the configuration file still win.',
      params: {
        grains: param.mappingIfGiven({ doc: 'Grain to value.' }),
        destructive: destructiveParam,
        refresh_pillar: refreshPillarParam,
      },
      returns: 'the mapping that was given',
      examples: [`salt '*' grains.setvals "{'key1': 'val1', 'key2': 'val2'}"`],
      run: (ctx, { grains, destructive, refresh_pillar }) => {
        if (grains === undefined) throw saltException('setvals grains must be a dictionary.');
        return setGrains(ctx, grains, destructive, refresh_pillar);
      },
    }),
    setval: defineFunction({
      doc: 'Sets one grain in the file of grains. The name is taken as it is; for nested ones there is `grains.set`.',
      params: {
        key: param.value({ type: 'str', doc: 'Name of the grain.' }),
        val: param.value({ type: 'any', doc: 'Its new value.' }),
        destructive: destructiveParam,
        refresh_pillar: refreshPillarParam,
      },
      returns: '`{key: val}`',
      outputter: 'nested',
      examples: [`salt '*' grains.setval key "{'sub-key': 'val', 'sub-key2': 'val2'}"`],
      run: (ctx, { key, val, destructive, refresh_pillar }) =>
        setGrains(ctx, new Map([[key, val]]), destructive, refresh_pillar),
    }),
    append: defineFunction({
      doc: 'Adds a value to a grain that is a list; a grain that does not exist becomes a list.',
      params: {
        key: param.by(changedKey, LIST_KEY),
        val: listValue,
        convert: param.flag({ default: false, doc: 'Make a list of a grain that is none.' }),
        delimiter: delimiterParam,
      },
      returns: '`{grain: value}`; a text when the grain is no list or holds the value already',
      run: async (ctx, { key, val, convert, delimiter }) => {
        const grains = copyValue(ctx.grains);
        let list = look(grains, keyPath(key), [], delimiter);
        if (convert && !Array.isArray(list)) list = list === null ? [] : [list];
        if (!Array.isArray(list)) return `The key ${pyStr(key)} is not a valid list`;
        if (list.some((item) => valuesEqual(item, val))) {
          return `The val ${pyStr(val)} was already in the list ${pyStr(key)}`;
        }
        list.push(...(Array.isArray(val) ? val : [val]));
        return storeList(ctx, grains, { key, delimiter }, list, () => new Map());
      },
    }),
    remove: defineFunction({
      doc: 'Takes a value out of a grain that is a list.',
      params: { key: param.by(readKey, LIST_KEY), val: listValue, delimiter: delimiterParam },
      returns: '`{grain: value}`; a text when the grain is no list or does not hold the value',
      run: async (ctx, { key, val, delimiter }) => {
        const grains = copyValue(ctx.grains);
        const list = look(grains, keyPath(key), [], delimiter);
        if (!Array.isArray(list)) return `The key ${pyStr(key)} is not a valid list`;
        const at = list.findIndex((item) => valuesEqual(item, val));
        if (at < 0) return `The val ${pyStr(val)} was not in the list ${pyStr(key)}`;
        list.splice(at, 1);
        return storeList(ctx, grains, { key, delimiter }, list, () => null);
      },
    }),
    set: defineFunction({
      doc: 'Sets a grain, also one inside another. Lists and mappings are only replaced when forced.',
      params: {
        key: param.by(changedKey, {
          type: 'str',
          doc: 'Name of the grain; levels are separated by the delimiter.',
        }),
        val: param.value({ default: '', type: 'any', doc: 'Its new value.' }),
        force: param.flag({ default: false, doc: 'Replace whatever is there.' }),
        destructive: destructiveParam,
        delimiter: delimiterParam,
      },
      returns: SET_RESULT,
      examples: ["salt '*' grains.set apps:myApp:port 2209", "salt '*' grains.set apps:myApp '{port: 2209}'"],
      run: (ctx, { key, val, force, destructive, delimiter }) =>
        setNested(ctx, { key, value: val, force, destructive, delimiter }),
    }),
    delval: defineFunction({
      doc: 'Sets a grain to None, or removes it.',
      params: {
        key: param.by(changedKey, { type: 'str', doc: 'Name of the grain; levels are separated by colons.' }),
        destructive: param.value({ default: false, type: 'bool', doc: 'Remove the key, too.' }),
        force: param.flag({ default: false, doc: 'Do so even when the value is a list or a mapping.' }),
      },
      returns: SET_RESULT,
      run: (ctx, { key, destructive, force }) =>
        setNested(ctx, { key, value: null, force, destructive, delimiter: DEFAULT_DELIMITER }),
    }),
    delkey: defineFunction({
      doc: 'Removes a grain.',
      params: {
        key: param.by(changedKey, { type: 'str', doc: 'Name of the grain; levels are separated by colons.' }),
        force: param.flag({ default: false, doc: 'Do so even when the value is a list or a mapping.' }),
      },
      returns: SET_RESULT,
      run: (ctx, { key, force }) =>
        setNested(ctx, { key, value: null, force, destructive: true, delimiter: DEFAULT_DELIMITER }),
    }),
    filter_by: defineFunction({
      doc: 'Chooses a value from a table by the value of a grain. Keys of the table may be globs.',
      params: {
        lookup_dict: param.mapping({ doc: 'Value of the grain, or glob, to the result.' }),
        grain: param.by(keyPath, { default: 'os_family', type: 'str', doc: 'Name of the grain.' }),
        merge: param.value({ default: null, type: 'dict', doc: 'A mapping merged over the result.' }),
        default: param.value({
          default: 'default',
          type: 'str',
          doc: 'Key of the table to use when nothing matches.',
        }),
        base: param.value({
          default: null,
          type: 'str',
          doc: 'Key of the table whose mapping lies under the result.',
        }),
      },
      returns: 'the value of the table; None when nothing matches and there is no default',
      examples: ["salt '*' grains.filter_by '{Debian: apache2, RedHat: httpd}'"],
      run: (ctx, args) => {
        const wanted = traverse(ctx.grains, args.grain);
        return filterBy(args.lookup_dict, wanted, {
          merge: args.merge,
          fallback: args.default,
          base: args.base,
        });
      },
    }),
  },
});
