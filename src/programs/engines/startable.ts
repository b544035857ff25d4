/** What a daemon starts processes for, and what it does not. */
import type { Dict } from '../../python/values/value.ts';
import { configuredEngines } from './engine-list.ts';
import { missingEngine } from './find-engine.ts';

/** One process. */
export interface StartableEngine {
  readonly title: string;
  /** Its place in the list of the configuration, by which its process finds it. */
  readonly index: number;
}

/** @returns what is to be started, and a sentence for each that is not */
export function startableEngines(
  opts: Dict,
  role: 'master' | 'minion',
): { readonly startable: readonly StartableEngine[]; readonly refused: readonly string[] } {
  const { engines, refused } = configuredEngines(opts, role);
  const all = engines.map((engine, index) => ({
    title: engine.title,
    index,
    missing: missingEngine(engine, opts),
  }));
  const missing = all.flatMap(({ title, missing }) =>
    missing === undefined ? [] : [`${title} is not started: ${missing}${/[.?]$/.test(missing) ? '' : '.'}`],
  );
  return {
    startable: all.filter((engine) => engine.missing === undefined),
    refused: [...refused, ...missing],
  };
}
