/** Runner functions by name. Custom ones hide built-in ones of the same name. */
import type { RunnerModule, RunnerSpec } from '../../plugins/runners/runner.ts';
import { RUNNER_TABLE } from '../../plugins/runners/table.ts';
import type { OwnRunners } from './own-runners.ts';

/** @returns the function, or undefined when there is none of this name */
export async function findRunner(fun: string, own?: OwnRunners): Promise<RunnerSpec | undefined> {
  const dot = fun.indexOf('.');
  if (dot < 0) return undefined;
  const [module, name] = [fun.slice(0, dot), fun.slice(dot + 1)];
  const custom = (await own?.())?.modules.get(module);
  return functionOf(custom, name) ?? functionOf(await RUNNER_TABLE.get(module)?.(), name);
}

function functionOf(module: RunnerModule | undefined, name: string): RunnerSpec | undefined {
  return module !== undefined && Object.hasOwn(module.functions, name) ? module.functions[name] : undefined;
}

/** What is said of a function that {@link findRunner} does not find. */
export async function missingRunner(fun: string, own?: OwnRunners): Promise<string> {
  const leftOut = (await own?.())?.leftOut.get(fun.split('.')[0] ?? '');
  if (leftOut !== undefined) return `'${fun}' is not available: ${leftOut}`;
  return (await import('../../plugins/runners/salts-runners.ts')).missingRunnerText(fun);
}

/** All runners, by name. */
export async function loadRunners(own?: OwnRunners): Promise<ReadonlyMap<string, RunnerModule>> {
  const loaded = await Promise.all(
    [...RUNNER_TABLE].map(async ([name, load]) => [name, await load()] as const),
  );
  const all = new Map(loaded);
  for (const [name, custom] of (await own?.())?.modules ?? []) {
    const base = all.get(name);
    all.set(name, { ...custom, functions: { ...base?.functions, ...custom.functions } });
  }
  return all;
}
