/** States that are not to run on this minion (`state.disable`). */
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { tagOf, textIn } from './result.ts';
import type { RunNumbers } from './run-numbers.ts';

/** Takes the chunks out that the grain `state_runs_disabled` names. @returns their results */
export function takeDisabled(chunks: Dict[], grains: Dict, numbers: RunNumbers): Dict {
  const patterns = grains.get('state_runs_disabled');
  const results: Dict = new Map();
  if (!Array.isArray(patterns)) return results;
  for (const low of [...chunks]) {
    const full = `${textIn(low, 'state')}.${textIn(low, 'fun')}`;
    const pattern = patterns.map(pyStr).find((one) => fnmatch(full, one));
    if (pattern === undefined) continue;
    const comment = `The state function "${full}" is currently disabled by "${pattern}", to re-enable, run state.enable ${pattern}.`;
    const sls = low.get('__sls__') ?? null;
    results.set(
      tagOf(low),
      dict({ changes: {}, result: false, comment, __run_num__: numbers.take(), __sls__: sls }),
    );
    chunks.splice(chunks.indexOf(low), 1);
  }
  return results;
}
