/** What every grain function is handed. */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { GrainsHost, RunOptions, RunResult } from './host.ts';
import { programFinder } from './which.ts';

/** The surroundings of one collection. */
export interface GrainsContext {
  readonly host: GrainsHost;
  /** The minion's options by Salt's names. */
  readonly opts: Dict;
  readonly log: Logger;
  readonly clock: Clock;
  /** The path of a program, or undefined when it is not installed. */
  which(program: string): string | undefined;
  /** Runs a program found by {@link GrainsContext.which}; undefined when there is none or it could not run. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult | undefined>;
}

/** Makes the context of one collection. @param signal ends the programs that it runs */
export function createGrainsContext(
  host: GrainsHost,
  opts: Dict,
  log: Logger,
  clock: Clock,
  signal?: AbortSignal,
): GrainsContext {
  const which = programFinder(host);
  return {
    host,
    opts,
    log,
    clock,
    which,
    run(argv, options) {
      const path = which(argv[0] ?? '');
      if (path === undefined) return Promise.resolve(undefined);
      return host.run([path, ...argv.slice(1)], { ...(signal ? { signal } : {}), ...options });
    },
  };
}

/** An option's value, or `fallback` when it is not there. */
export function option(ctx: GrainsContext, name: string, fallback: Value): Value {
  const value = ctx.opts.get(name);
  return value === undefined ? fallback : value;
}

/** True when `path` is a folder. */
export function isDirectory(host: GrainsHost, path: string): boolean {
  return host.stat(path)?.kind === 'directory';
}

/** True when `path` is a regular file. */
export function isFile(host: GrainsHost, path: string): boolean {
  return host.stat(path)?.kind === 'file';
}
