/** Functions of the master, runners and wheel functions, by name. Custom ones hide built-in ones of the same name. */
import type { MasterFunctionKind, RunnerModule, RunnerSpec } from '../../plugins/shared/runner/runner.ts';
import { RUNNER_TABLE } from '../../plugins/registry/runner/table.generated.ts';
import { WHEEL_TABLE } from '../../plugins/registry/wheel/table.generated.ts';
import type { OwnFunctions } from './own-functions.ts';

type Table = ReadonlyMap<string, () => Promise<RunnerModule>>;

function tableOf(kind: MasterFunctionKind): Table {
  return kind === 'runner' ? RUNNER_TABLE : WHEEL_TABLE;
}

/** @returns the function, or undefined when there is none of this name */
export async function findFunction(
  kind: MasterFunctionKind,
  fun: string,
  own?: OwnFunctions,
): Promise<RunnerSpec | undefined> {
  const dot = fun.indexOf('.');
  if (dot < 0) return undefined;
  const [module, name] = [fun.slice(0, dot), fun.slice(dot + 1)];
  const custom = (await own?.(kind))?.modules.get(module);
  return functionOf(custom, name) ?? functionOf(await tableOf(kind).get(module)?.(), name);
}

function functionOf(module: RunnerModule | undefined, name: string): RunnerSpec | undefined {
  return module !== undefined && Object.hasOwn(module.functions, name) ? module.functions[name] : undefined;
}

/** What is said of a function that {@link findFunction} does not find. */
export async function missingFunction(
  kind: MasterFunctionKind,
  fun: string,
  own?: OwnFunctions,
): Promise<string> {
  const module = fun.split('.')[0] ?? '';
  const found = await own?.(kind);
  const leftOut = found?.leftOut.get(module);
  if (leftOut !== undefined) return `'${fun}' is not available: ${leftOut}`;
  const reason = found?.unavailable.get(module);
  if (reason !== undefined && found?.modules.has(module) !== true)
    return `'${module}' __virtual__ returned False${reason === '' ? '' : `: ${reason}`}`;
  if (kind === 'wheel') return `'${fun}' is not available.`;
  return (await import('../../plugins/registry/runner/salts-runners.ts')).missingRunnerText(fun);
}

/** All functions of a kind, by the names of their modules. */
export async function loadModules(
  kind: MasterFunctionKind,
  own?: OwnFunctions,
): Promise<ReadonlyMap<string, RunnerModule>> {
  const loaded = await Promise.all(
    [...tableOf(kind)].map(async ([name, load]) => [name, await load()] as const),
  );
  const all = new Map(loaded);
  for (const [name, custom] of (await own?.(kind))?.modules ?? []) {
    const base = all.get(name);
    all.set(name, { ...custom, functions: { ...base?.functions, ...custom.functions } });
  }
  return all;
}
