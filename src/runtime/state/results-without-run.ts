/** Results of chunks whose function a run does not call, because of what they require. */
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { Entry, Named } from './requisites.ts';
import { identified, resultWithoutRun, tagOf, textIn } from './result.ts';
import type { RunNumbers } from './run-numbers.ts';
import { lostSentence } from './wanted-chunks.ts';

/** Makes them, and numbers them among the others of the run. */
export class ResultsWithoutRun {
  readonly #environment: RunEnvironment;
  readonly #numbers: RunNumbers;

  constructor(environment: RunEnvironment, numbers: RunNumbers) {
    this.#environment = environment;
    this.#numbers = numbers;
  }

  /** For a chunk that requires itself by way of others. Its number is the next one, which stays to be given. */
  circle(low: Dict): Dict {
    this.#environment.job.log.error('Recursive requisite found');
    const comment = 'Recursive requisite found';
    return identified(dict({ changes: {}, result: false, comment, __run_num__: this.#numbers.next }), low);
  }

  /** For a chunk whose requisites name what nobody declares. */
  requisitesLost(low: Dict, lost: ReadonlyMap<string, readonly Entry[]>): Dict {
    return this.#withoutRun(low, { result: false, comment: lostSentence(lost) });
  }

  /** For the chunk before which a run was ended by order. @param left how many have not run, this one among them */
  ended(low: Dict, left: number): Dict {
    const what =
      left === 1 ? 'this state has not run' : `this state and those behind it, ${left} in all, have not run`;
    return this.#withoutRun(low, {
      result: false,
      comment: `The run was ended with state.soft_kill: ${what}.`,
    });
  }

  /** For a chunk that has nothing to do. */
  leftOut(low: Dict, status: 'pre' | 'onfail' | 'onchanges'): Dict {
    if (status === 'pre') return this.#withoutRun(low, { result: true, comment: 'No changes detected' });
    const comment =
      status === 'onfail'
        ? 'State was not run because onfail req did not change'
        : 'State was not run because none of the onchanges reqs changed';
    return this.#withoutRun(low, { result: true, comment, __state_ran__: false });
  }

  /**
   * For a chunk that requires what failed.
   * @param foreseenAll the results of test runs; the chunk's own becomes one of them
   */
  requisiteFailed(low: Dict, named: Named, running: Dict, foreseenAll: Dict): Dict {
    const tag = tagOf(low);
    const foreseen = foreseenAll.get(tag);
    if (isDict(foreseen)) {
      // what it would have changed was not changed
      foreseen.set('changes', new Map());
      foreseen.set('__run_num__', this.#numbers.take());
      return identified(foreseen, low);
    }
    const failed = new Set<string>();
    for (const required of [...named.values()].flat()) {
      const requiredTag = tagOf(required);
      const result = foreseenAll.get(requiredTag) ?? running.get(requiredTag);
      if (isDict(result) && result.get('result') === false)
        failed.add(`${textIn(required, '__sls__')}.${textIn(required, '__id__')}`);
    }
    const comment = `One or more requisite failed: ${[...failed].join(', ')}`;
    const result = this.#withoutRun(low, { result: false, comment });
    foreseenAll.set(tag, result);
    return result;
  }

  #withoutRun(
    low: Dict,
    fields: { readonly result: boolean; readonly comment: string; readonly [key: string]: Value },
  ): Dict {
    return resultWithoutRun(low, this.#environment.job.clock, {
      ...fields,
      __run_num__: this.#numbers.take(),
    });
  }
}
