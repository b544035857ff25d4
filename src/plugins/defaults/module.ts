/** `defaults`: the defaults files of formulas, and merging for templates (3006.16 salt/modules/defaults.py). */
import { readFileSync } from 'node:fs';
import { updateDict } from '../../formats/data/dict-merge.ts';
import { DEFAULT_DELIMITER, traverse } from '../../formats/data/traverse.ts';
import { defaultEnvironment, openFileClient } from '../../storage/fileclient/open.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { parseJson } from '../../formats/json/text.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { param } from '../../runtime/loader/params.ts';

/** The first of `salt://<formula>/defaults.yaml` and `.json`; None when there is neither. */
async function load(ctx: ModuleContext, formula: string): Promise<Value> {
  const client = openFileClient(ctx);
  const saltenv = defaultEnvironment(ctx.opts);
  for (const ending of ['yaml', 'json']) {
    const path = await client.cacheFile(`salt://${formula}/defaults.${ending}`, { saltenv });
    if (path === false) continue;
    const text = readFileSync(path, 'utf8');
    const found = ending === 'yaml' ? loadYaml(text) : parseJson(text);
    return truthy(found) ? found : new Map<Value, Value>();
  }
  return null;
}

const NO_DICT = 'Cannot update using non-dict types in dictupdate.update()';

interface MergeOptions {
  readonly mergeLists: boolean;
  readonly inPlace: boolean;
  readonly convertNone: boolean;
}

function mergeInto(dest: Value, src: Value, { mergeLists, inPlace, convertNone }: MergeOptions): Dict {
  const none = (value: Value): Value => (value === null && convertNone ? new Map<Value, Value>() : value);
  if (dest === null && convertNone && inPlace)
    throw new PythonError('TypeError', "Can't perform in-place merge into NoneType");
  const [into, from] = [none(dest), none(src)];
  if (!isDict(into) || !isDict(from)) throw new PythonError('TypeError', NO_DICT);
  return updateDict(inPlace ? into : copyValue(into), from, { mergeLists });
}

function updateNodes(dest: Value, defaults: Value, options: MergeOptions): Dict {
  if (options.inPlace && dest === null)
    throw new PythonError('TypeError', "Can't perform in-place update into NoneType");
  const given = dest === null && options.convertNone ? new Map<Value, Value>() : dest;
  if (!isDict(given))
    throw new PythonError(
      'AttributeError',
      `'${given === null ? 'NoneType' : 'object'}' object has no attribute 'items'`,
    );
  const nodes = options.inPlace ? given : copyValue(given);
  const base = defaults === null && options.convertNone ? new Map<Value, Value>() : defaults;
  for (const [name, values] of nodes)
    nodes.set(name, mergeInto(copyValue(base), values, { ...options, inPlace: true }));
  return nodes;
}

const how = {
  in_place: param.flag({ default: true, doc: 'Change the first mapping itself.' }),
  convert_none: param.flag({ default: true, doc: 'None counts as an empty mapping.' }),
} as const;
const mergeLists = param.flag({ doc: 'Join lists instead of replacing them.' });

const optionsOf = (args: {
  readonly merge_lists: boolean;
  readonly in_place: boolean;
  readonly convert_none: boolean;
}): MergeOptions => ({
  mergeLists: args.merge_lists,
  inPlace: args.in_place,
  convertNone: args.convert_none,
});

/** The module `defaults`. */
export const defaultsModule = defineModule({
  name: 'defaults',
  file: 'defaults',
  doc: 'Defaults of formulas.',
  functions: {
    get: defineFunction({
      doc: 'Gives a value out of `defaults.yaml` or `defaults.json` of a formula.',
      params: {
        key: param.text({ doc: 'The formula, and the path below it: `core:users:root`.' }),
        default: param.value({ default: '', doc: 'What to give when there is no such value.' }),
      },
      returns: 'the value; without a path everything, None when there is no such file',
      examples: ["salt '*' defaults.get core:users:root"],
      run: async (ctx, args) => {
        const [formula = '', ...path] = args.key.split(DEFAULT_DELIMITER);
        const found = await load(ctx, formula);
        const key = path.join(DEFAULT_DELIMITER);
        return key === '' ? found : traverse(found, key, { fallback: args.default });
      },
    }),
    merge: defineFunction({
      doc: 'Merges a mapping into another.',
      params: {
        dest: param.value({ type: 'dict', doc: 'The one that is changed.' }),
        src: param.value({ type: 'dict', doc: 'The other.' }),
        merge_lists: { ...mergeLists, default: false },
        ...how,
      },
      returns: 'the merged mapping',
      examples: ["salt '*' defaults.merge '{a: b}' '{d: e}'"],
      run: (_ctx, args) => mergeInto(args.dest, args.src, optionsOf(args)),
    }),
    deepcopy: defineFunction({
      doc: 'Copies a value.',
      params: { source: param.value({ doc: 'The value.' }) },
      returns: 'the copy',
      run: (_ctx, { source }) => copyValue(source),
    }),
    update: defineFunction({
      doc: 'Gives each member of a mapping the defaults that it lacks.',
      params: {
        dest: param.value({ type: 'dict', doc: 'The members by name.' }),
        defaults: param.value({ type: 'dict', doc: 'The defaults.' }),
        merge_lists: { ...mergeLists, default: true },
        ...how,
      },
      returns: 'the members',
      run: (_ctx, args) => updateNodes(args.dest, args.defaults, optionsOf(args)),
    }),
  },
});
