/** `pillar.*`: reading pillar (3006.16 salt/modules/pillar.py). */
import { updateDict } from '../../formats/data/dict-merge.ts';
import { DEFAULT_DELIMITER, traverse, type KeyPath } from '../../formats/data/traverse.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { filterBy } from '../../runtime/loader/filter-by.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { decryptOverride } from './module/override.ts';
import { freshPillar } from '../../runtime/pillar/fresh.ts';
import { PillarRoots } from '../../runtime/pillar/roots.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  copyValue,
  isDict,
  pyTypeName,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { param } from '../../runtime/loader/params.ts';

/** Stands for "no default given", which Salt tells from every value. */
const NOT_SET = '__unset__';

function keyPath(key: Value): KeyPath {
  return typeof key === 'string' || typeof key === 'number' || Array.isArray(key) ? key : pyStr(key);
}

function look<T>(pillar: Dict, key: Value, fallback: T, delimiter: string): Value | T {
  return traverse(pillar, keyPath(key), { fallback, delimiter });
}

/** True when a folder has a file of that path, which may not lead out of it. */
function hasFile(roots: Dict, path: string, env: string): boolean {
  return new PillarRoots(roots, env).exists(path, env);
}

/** The pillar a function reads: that in memory, or a fresh one when an environment is named. */
function pillarFor(ctx: ModuleContext, pillarenv: Value, saltenv: Value): Dict | Promise<Dict> {
  return pillarenv === null && saltenv === null ? ctx.pillar : freshPillar(ctx, { pillarenv, saltenv });
}

/** What `pillar.get` merges, and how. */
interface MergeWish {
  readonly key: Value;
  readonly default: Value;
  readonly merge_nested_lists: boolean | undefined;
  readonly delimiter: string;
}

function mergeWithDefault(ctx: ModuleContext, pillar: Dict, args: MergeWish): Value | undefined {
  const { key, default: fallback, delimiter } = args;
  const mergeLists = args.merge_nested_lists ?? truthy(ctx.opts.get('pillar_merge_lists'));
  const skipped = 'Merge will be skipped.';
  if (isDict(fallback)) {
    // a key that was left empty has nothing to merge
    const value = look(pillar, key, null, delimiter) ?? new Map<Value, Value>();
    if (isDict(value)) return updateDict(copyValue(fallback), value, { mergeLists });
    ctx.log.error(
      `pillar.get: the default is a dict, but the pillar value is of type '${pyTypeName(value)}'. ${skipped}`,
    );
  } else if (Array.isArray(fallback)) {
    const value = look(pillar, key, null, delimiter) ?? [];
    if (Array.isArray(value)) {
      const known = copyValue(fallback);
      return [...known, ...value.filter((item) => !known.some((other) => valuesEqual(other, item)))];
    }
    ctx.log.error(
      `pillar.get: the default is a list, but the pillar value is of type '${pyTypeName(value)}'. ${skipped}`,
    );
  } else {
    ctx.log.error(
      `pillar.get: the default is of type '${pyTypeName(fallback)}', must be a dict or list to merge. ${skipped}`,
    );
  }
  return undefined;
}

const ENVIRONMENTS = {
  pillarenv: param.value({ default: null, type: 'str', doc: 'Makes the pillar anew from this environment.' }),
  saltenv: param.value({
    default: null,
    type: 'str',
    doc: 'With pillarenv_from_saltenv: the environment to make it from.',
  }),
} as const;
const DELIMITER = param.text({
  default: DEFAULT_DELIMITER,
  doc: 'What separates levels in the key.',
});

function getFunction(pythonName?: string): FunctionSpec {
  return defineFunction({
    doc: 'Gives a value out of the pillar in memory, by a key that may name several levels.',
    ...(pythonName === undefined ? {} : { pythonName }),
    params: {
      key: param.value({ type: 'str', doc: 'The key, pkg:apache.' }),
      default: param.value({ default: NOT_SET, doc: "What to give when there is none; ''." }),
      merge: param.flag({ default: false, doc: 'Merges the value over the default, a mapping or a list.' }),
      merge_nested_lists: param.flagIfGiven({
        default: null,
        doc: 'Joins lists inside; as pillar_merge_lists.',
      }),
      delimiter: DELIMITER,
      ...ENVIRONMENTS,
    },
    returns: 'the value',
    examples: ["salt '*' pillar.get pkg:apache"],
    run: async (ctx, args) => {
      const pillar = await pillarFor(ctx, args.pillarenv, args.saltenv);
      const fallback =
        args.default === NOT_SET
          ? truthy(ctx.opts.get('pillar_raise_on_missing'))
            ? undefined
            : ''
          : args.default;
      if (args.merge) {
        const merged = mergeWithDefault(ctx, pillar, { ...args, default: fallback ?? null });
        if (merged !== undefined) return merged;
      }
      const value = look(pillar, args.key, fallback, args.delimiter);
      if (value === undefined)
        throw new PythonError('KeyError', `'Pillar key not found: ${pyStr(args.key)}'`);
      return value;
    },
  });
}

async function itemValues(ctx: ModuleContext, keys: readonly Value[], kwargs: Dict): Promise<Dict> {
  const pillar = await pillarFor(ctx, kwargs.get('pillarenv') ?? null, kwargs.get('saltenv') ?? null);
  const fallback = kwargs.get('default') ?? '';
  const delimiter = pyStr(kwargs.get('delimiter') ?? DEFAULT_DELIMITER);
  return new Map(keys.map((key) => [key, look(pillar, key, fallback, delimiter)]));
}

async function allItems(ctx: ModuleContext, keys: readonly Value[], kwargs: Dict): Promise<Dict> {
  if (keys.length > 0) return itemValues(ctx, keys, new Map());
  const option = (name: string): Value => kwargs.get(name) ?? null;
  const renderer = option('pillar_enc');
  const fault = (message: string): Error => new CommandExecutionError(message);
  const override =
    truthy(option('pillar')) && truthy(renderer)
      ? await decryptOverride(ctx, option('pillar'), { renderer, fault })
      : option('pillar');
  return freshPillar(ctx, {
    pillarenv: option('pillarenv'),
    saltenv: option('saltenv'),
    override,
  });
}

function itemsFunction(pythonName?: string): FunctionSpec {
  return defineFunction({
    doc: 'Makes the pillar of this minion anew and gives it whole, or some keys of the one in memory.',
    ...(pythonName === undefined ? {} : { pythonName }),
    varargs: 'args',
    kwargs: 'kwargs',
    returns: 'a mapping',
    examples: ["salt '*' pillar.items", "salt '*' pillar.items pillarenv=dev"],
    run: (ctx, _args, rest, kwargs) => allItems(ctx, rest, kwargs),
  });
}

function hidden(value: Value): Value {
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, hidden(item)]));
  return Array.isArray(value) ? value.map(hidden) : `<${pyTypeName(value)}>`;
}

/** The pillar module. */
export const pillarModule = defineModule({
  name: 'pillar',
  file: 'pillar',
  doc: 'Reads the pillar of this minion.',
  functions: {
    get: getFunction(),
    fetch: getFunction('get'),
    items: itemsFunction(),
    data: itemsFunction('items'),
    item: defineFunction({
      doc: 'Gives some values out of the pillar in memory.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: "a mapping of each key to its value, '' where there is none",
      examples: ["salt '*' pillar.item foo bar:baz", "salt '*' pillar.item foo default=None"],
      run: (ctx, _args, rest, kwargs) => itemValues(ctx, rest, kwargs),
    }),
    raw: defineFunction({
      doc: 'Gives the pillar in memory, or one key of it, without making it anew.',
      params: { key: param.valueIfGiven({ default: null, type: 'str', doc: 'The key.' }) },
      returns: 'a mapping, or the value of the key; an empty mapping when there is none',
      run: (ctx, { key }) => (key !== undefined ? (ctx.pillar.get(key) ?? new Map()) : new Map(ctx.pillar)),
    }),
    ls: defineFunction({
      doc: 'Makes the pillar anew and gives its uppermost keys.',
      varargs: 'args',
      returns: 'a list of keys',
      run: async (ctx, _args, rest) => [...(await allItems(ctx, rest, new Map())).keys()],
    }),
    keys: defineFunction({
      doc: 'Gives the keys below a key of the pillar in memory.',
      params: { key: param.value({ type: 'str', doc: 'The key.' }), delimiter: DELIMITER },
      returns: 'a list of keys',
      examples: ["salt '*' pillar.keys web:sites"],
      run: (ctx, { key, delimiter }) => {
        const value = look(ctx.pillar, key, undefined, delimiter);
        if (value === undefined) throw new PythonError('KeyError', `'Pillar key not found: ${pyStr(key)}'`);
        if (!isDict(value))
          throw new PythonError('ValueError', `Pillar value in key ${pyStr(key)} is not a dict`);
        return [...value.keys()];
      },
    }),
    obfuscate: defineFunction({
      doc: 'Makes the pillar anew and gives it with the types of the values in place of the values.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'a mapping',
      run: async (ctx, _args, rest, kwargs) => hidden(await allItems(ctx, rest, kwargs)),
    }),
    ext: defineFunction({
      doc: 'Makes the pillar anew with one external pillar more, which on_demand_ext_pillar must allow.',
      params: {
        external: param.value({ type: 'dict', doc: 'The name of the external pillar and its settings.' }),
        pillar: param.value({ default: null, type: 'dict', doc: 'Pillar that wins over all other.' }),
      },
      returns: 'a mapping',
      examples: ["salt '*' pillar.ext '{libvirt: _}'"],
      run: (ctx, { external, pillar }) =>
        freshPillar(ctx, {
          ext: typeof external === 'string' ? loadYaml(external) : external,
          override: pillar,
        }),
    }),
    file_exists: defineFunction({
      doc: 'Returns whether a file is in the folders of pillar on this machine.',
      params: {
        path: param.text({ doc: 'The path below the folders.' }),
        saltenv: param.textIfGiven({ default: null, doc: 'The only environment to look into.' }),
      },
      returns: 'true or false',
      examples: ["salt '*' pillar.file_exists foo/bar.sls"],
      run: (ctx, { path, saltenv }) => {
        const roots = ctx.opts.get('pillar_roots');
        if (!isDict(roots) || roots.size === 0)
          throw new CommandExecutionError('No pillar_roots found. Are you running this on the master?');
        const names = saltenv === undefined ? [...roots.keys()].map(pyStr) : [saltenv];
        return names.some((name) => hasFile(roots, path, name));
      },
    }),
    filter_by: defineFunction({
      doc: 'Chooses a value from a table by a value of the pillar in memory.',
      params: {
        lookup_dict: param.mapping({ doc: 'Globs and their values.' }),
        pillar: param.value({ type: 'str', doc: 'The key in pillar whose value the globs are tried on.' }),
        merge: param.value({ default: null, type: 'dict', doc: 'Merged over the chosen value.' }),
        default: param.value({
          default: 'default',
          type: 'str',
          doc: 'The key of the table when none matches.',
        }),
        base: param.value({
          default: null,
          type: 'str',
          doc: 'The key of the table that lies under the chosen value.',
        }),
      },
      returns: 'the chosen value, or null',
      examples: ["salt '*' pillar.filter_by '{web: Serve it up, db: I query}' role"],
      run: (ctx, { lookup_dict: table, pillar, merge, default: fallback, base }) => {
        const wanted = look(ctx.pillar, pillar, undefined, DEFAULT_DELIMITER);
        return filterBy(table, wanted, { merge, fallback, base });
      },
    }),
  },
});
