/** Listing and describing functions of any kind of module, as `sys.*` does (3006.16 salt/modules/sysmod.py). */
import { filterNames } from '../../python/text/fnmatch.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import type { FunctionDescription, ModuleDescription } from './module.ts';

/** Functions by full name, sorted. */
export type Catalog = ReadonlyMap<string, FunctionDescription>;

/** All functions of modules, by full name, sorted. */
export function catalogOf(modules: ReadonlyMap<string, ModuleDescription>): Catalog {
  const functions: [string, FunctionDescription][] = [];
  for (const [name, module] of modules) {
    for (const [fun, spec] of Object.entries(module.functions)) functions.push([`${name}.${fun}`, spec]);
  }
  return new Map(functions.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The names that documentation words choose: globs with `*`, full names, or module words (`sys`, `sys.`). */
export function chooseForDoc(names: Iterable<string>, words: readonly string[]): string[] {
  const all = [...names];
  if (words.length === 0) return all;
  const chosen = new Set<string>();
  for (const word of words) {
    const prefix = word === '' || word.endsWith('.') ? word : `${word}.`;
    const found = word.includes('*')
      ? filterNames(all, word)
      : all.filter((name) => name === word || name.startsWith(prefix));
    for (const name of found) chosen.add(name);
  }
  return [...chosen];
}

/** The names that list words choose: globs and full names where there is a `*` or a dot, else a module's functions. */
export function chooseFunctions(names: Iterable<string>, words: readonly string[]): string[] {
  const all = [...names];
  if (words.length === 0) return all.sort();
  const found = words.flatMap((word) =>
    /[*.]/.test(word) ? filterNames(all, word) : all.filter((name) => name.startsWith(`${word}.`)),
  );
  return [...new Set(found)].sort();
}

/** The modules that list words choose. Salt matches globs against full names of functions, so `t*g` finds `test`. */
export function chooseModules(names: Iterable<string>, words: readonly string[]): string[] {
  const all = [...names];
  const moduleOf = (name: string): string => name.slice(0, name.indexOf('.'));
  const found =
    words.length === 0
      ? all.map(moduleOf)
      : words.flatMap((word) =>
          word.includes('*')
            ? filterNames(all, word).map(moduleOf)
            : all.map(moduleOf).filter((m) => m === word),
        );
  return [...new Set(found)].sort();
}

/** The call signature of one function: names, defaults of the last of them, whether more arguments are taken. */
function argspec(spec: FunctionDescription): Dict {
  const params = Object.entries(spec.params ?? {}).filter(([, param]) => !param.keywordOnly);
  const defaults = params.flatMap(([, param]) => (param.default === undefined ? [] : [param.default]));
  return dict({
    args: params.length === 0 ? null : params.map(([name]) => name),
    defaults: defaults.length === 0 ? null : defaults,
    varargs: spec.varargs === undefined ? null : true,
    kwargs: spec.kwargs === undefined ? null : true,
  });
}

/** The signatures of the functions that one word chooses; an empty word chooses nothing, as in Salt. */
export function argspecReport(catalog: Catalog, word: string): Dict {
  const names = chooseFunctions(catalog.keys(), [word]);
  return new Map(names.map((name) => [name, argspec(catalog.get(name) as FunctionDescription)]));
}

const SCHEMA_TYPES = ['boolean', 'integer', 'number', 'string'];

/** A JSON schema of one function's arguments, in the shape of `sys.state_schema`. */
export function argumentSchema(name: string, spec: FunctionDescription): Dict {
  const params = Object.entries(spec.params ?? {}).filter(([, param]) => !param.keywordOnly);
  const properties = params.map(([param, { default: value }]): [string, Value] => {
    const shown = { title: param, description: param, ...(value === undefined ? {} : { default: value }) };
    return [param, dict({ oneOf: SCHEMA_TYPES.map((type) => dict({ type, ...shown })) })];
  });
  return new Map<Value, Value>([
    ['$schema', 'http://json-schema.org/draft-04/schema#'],
    ['title', name],
    ['description', name],
    ['type', 'object'],
    ['properties', new Map(properties)],
    ['x-ordering', params.map(([param]) => param)],
    ['additionalProperties', false],
  ]);
}
