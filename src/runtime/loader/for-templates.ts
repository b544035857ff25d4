/** The functions of a context as templates and files in Python call them (`salt` and `__salt__`). */
import type { Value } from '../../python/values/value.ts';
import type { FunctionCaller, FunctionSource, FunctionSpec } from './module.ts';

/** See `TemplateFunctions` of the renderers. */
export interface CalledByTemplates {
  has(name: string): Promise<boolean>;
  find(name: string): Promise<FunctionSpec | undefined>;
  hasModule(name: string): Promise<boolean>;
  names(): Promise<string[]>;
  states(): Promise<FunctionSource>;
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value>;
}

/** @param functions asked when something is called for the first time, where they are not known before */
export function functionsForTemplates(
  functions: FunctionCaller | (() => Promise<FunctionCaller>),
): CalledByTemplates {
  const caller = typeof functions === 'function' ? functions : () => functions;
  return {
    has: async (name) => (await caller()).has(name),
    find: async (name) => (await (await caller()).find(name)).spec,
    hasModule: async (name) => (await (await caller()).module(name)) !== undefined,
    names: async () =>
      [...(await (await caller()).modules()).values()].flatMap((module) =>
        Object.keys(module.functions).map((fun) => `${module.name}.${fun}`),
      ),
    states: async () => (await caller()).states(),
    call: async (name, args, kwargs) =>
      (await caller()).callExactly(name, args, new Map<Value, Value>(kwargs)),
  };
}
