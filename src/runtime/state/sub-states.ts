/** The results that a state gives for parts of itself (`sub_state_run`). */
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict } from '../../python/values/value.ts';
import { resultWithoutRun, tagOf } from './result.ts';
import type { RunNumbers } from './run-numbers.ts';

/** Takes the parts out of a state's result. @returns their results by tag */
export function takeParts(low: Dict, result: Dict, clock: Clock, numbers: RunNumbers): Dict {
  const parts = result.get('sub_state_run');
  result.delete('sub_state_run');
  const results: Dict = new Map();
  for (const part of Array.isArray(parts) ? parts : []) {
    const partLow = isDict(part) ? part.get('low') : undefined;
    if (!isDict(part) || !isDict(partLow)) continue;
    numbers.take();
    results.set(tagOf(partLow), partResult(low, part, clock, numbers.next));
  }
  return results;
}

function partResult(low: Dict, part: Dict, clock: Clock, number: number): Dict {
  const comment = pyStr(part.get('comment') ?? '');
  const result = resultWithoutRun(low, clock, {
    ...{ result: truthy(part.get('result')), comment, __state_ran__: true, __run_num__: number },
  });
  for (const key of ['changes', 'result', 'duration', 'start_time']) {
    const value = part.get(key);
    if (value !== undefined) result.set(key, value);
  }
  return result;
}
