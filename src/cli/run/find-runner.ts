/** Runner functions by name. */
import type { RunnerModule, RunnerSpec } from '../../runners/runner.ts';
import { RUNNER_TABLE } from '../../runners/table.ts';

/** @returns the function, or undefined when there is none of this name */
export async function findRunner(fun: string): Promise<RunnerSpec | undefined> {
  const dot = fun.indexOf('.');
  if (dot < 0) return undefined;
  const module = await RUNNER_TABLE.get(fun.slice(0, dot))?.();
  const name = fun.slice(dot + 1);
  return module !== undefined && Object.hasOwn(module.functions, name) ? module.functions[name] : undefined;
}

/** All runners, by name. */
export async function loadRunners(): Promise<ReadonlyMap<string, RunnerModule>> {
  const loaded = await Promise.all(
    [...RUNNER_TABLE].map(async ([name, load]) => [name, await load()] as const),
  );
  return new Map(loaded);
}
