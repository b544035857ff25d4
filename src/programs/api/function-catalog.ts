/**
 * Every built-in function as the second version of the interface describes it: for forms, completion and documentation.
 */
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import { RUNNER_TABLE } from '../../plugins/registry/runner/table.generated.ts';
import { WHEEL_TABLE } from '../../plugins/registry/wheel/table.generated.ts';
import type { FunctionDescription, ModuleDescription } from '../../runtime/loader/module.ts';
import type { Value } from '../../python/values/value.ts';

/** What functions work on: minions, or the master. */
export type FunctionKind = 'local' | 'runner' | 'wheel';

/** One parameter. */
export interface ParameterEntry {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  /** Left out for one that must be given. */
  readonly default?: Value;
  readonly required: boolean;
  readonly keyword_only: boolean;
}

/** One function. */
export interface FunctionEntry {
  readonly name: string;
  readonly summary: string;
  readonly doc: string;
  readonly returns: string;
  readonly examples: readonly string[];
  readonly params: readonly ParameterEntry[];
  readonly varargs: boolean;
  readonly kwargs: boolean;
}

/** All of them, sorted. */
export type FunctionCatalog = Readonly<Record<FunctionKind, readonly FunctionEntry[]>>;

/** Reads all modules. */
export async function functionCatalog(): Promise<FunctionCatalog> {
  const modules = await Promise.all(
    MODULE_TABLE.map(async ({ name, load }): Promise<ModuleDescription> => ({ ...(await load()), name })),
  );
  return {
    local: entriesOf(modules),
    runner: entriesOf(await Promise.all([...RUNNER_TABLE.values()].map((load) => load()))),
    wheel: entriesOf(await Promise.all([...WHEEL_TABLE.values()].map((load) => load()))),
  };
}

/** A module that several programs stand behind, such as `pkg`, is described by the first of them. */
function entriesOf(modules: readonly ModuleDescription[]): FunctionEntry[] {
  const found = new Map<string, FunctionEntry>();
  for (const { name: module, functions } of modules)
    for (const [fun, spec] of Object.entries(functions)) {
      const name = `${module}.${fun}`;
      if (!found.has(name)) found.set(name, entryOf(name, spec));
    }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function entryOf(
  name: string,
  { doc, params = {}, varargs, kwargs, returns, examples = [] }: FunctionDescription,
): FunctionEntry {
  return {
    name,
    summary: /^.*?[.:](?=\s|$)/s.exec(doc)?.[0] ?? doc,
    doc,
    returns,
    examples: [...examples],
    params: Object.entries(params).map(([key, { type = 'any', doc: said = '', keywordOnly, ...param }]) => ({
      name: key,
      type,
      doc: said,
      ...(param.default === undefined ? {} : { default: param.default }),
      required: param.default === undefined,
      keyword_only: keywordOnly === true,
    })),
    varargs: varargs !== undefined,
    kwargs: kwargs !== undefined,
  };
}
