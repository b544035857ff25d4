/**
 * `file.accumulated`: texts gathered for a file by several states. Follows 3006.16 salt/states/file.py `accumulated`.
 */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { param } from '../../../runtime/loader/params.ts';
import { FileOutcome } from './outcome.ts';

const TEXTS = 'file.accumulators';
const DEPENDENTS = 'file.accumulators_deps';

function memoryOf({ state }: StateContext, key: string): Dict {
  const known = state.memory.get(key);
  if (isDict(known)) return known;
  const fresh: Dict = new Map();
  state.memory.set(key, fresh);
  return fresh;
}

/** The texts that were gathered in this run: by file, by accumulator, lists. */
export function gatheredTexts(ctx: StateContext): Dict {
  return memoryOf(ctx, TEXTS);
}

/** The ids of the states that each accumulator of a file is meant for. */
export function gatheredFor(ctx: StateContext, name: string): Dict {
  return inner(memoryOf(ctx, DEPENDENTS), name);
}

function inner(outer: Dict, key: Value): Dict {
  const known = outer.get(key);
  if (isDict(known)) return known;
  const fresh: Dict = new Map();
  outer.set(key, fresh);
  return fresh;
}

function listAt(outer: Dict, key: Value): Value[] {
  const known = outer.get(key);
  if (Array.isArray(known)) return known;
  const fresh: Value[] = [];
  outer.set(key, fresh);
  return fresh;
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}

/** A text as Salt has it after it was kept in a file: mappings of an SLS are plain ones, and templates show them so. */
function kept(value: Value): Value {
  if (Array.isArray(value)) return value.map(kept);
  return isDict(value) ? new Map([...value].map(([key, item]) => [key, kept(item)])) : value;
}

function namesFile(requisite: Value): boolean {
  return isDict(requisite) ? requisite.has('file') : pyStr(requisite).includes('file');
}

/** The state `accumulated`. */
export const accumulatorStates = {
  accumulated: defineState({
    doc: 'Gathers text for a file; `file.managed` has it in its template as `accumulator`, `file.blockreplace` adds it.',
    params: {
      name: param.text({ doc: 'The name of the accumulator.' }),
      filename: param.text({ doc: 'The file that it is for.' }),
      text: param.value({ type: 'str or list', doc: 'The text.' }),
    },
    kwargs: 'kwargs',
    run: (ctx, { name, filename, text }) => {
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.accumulated');
      if (text === null) return outcome.fail('No text supplied for accumulator');
      const { low } = ctx.state;
      const dependents = [...listOf(low.get('require_in')), ...listOf(low.get('watch_in'))];
      if (!dependents.some(namesFile)) {
        const place = `${pyStr(low.get('__sls__') ?? null)}:${pyStr(low.get('__id__') ?? null)}`;
        return outcome.fail(`Orphaned accumulator ${name} in ${place}`);
      }
      const ids = listAt(gatheredFor(ctx, filename), name);
      for (const requisite of dependents) ids.push(...(isDict(requisite) ? requisite.values() : []));
      const known = listAt(inner(gatheredTexts(ctx), filename), name);
      for (const chunk of (Array.isArray(text) ? text : [text]).map(kept)) {
        if (known.some((other) => valuesEqual(other, chunk))) continue;
        known.push(chunk);
        outcome.comment = `Accumulator ${name} for file ${filename} was charged by text`;
      }
      return outcome.ret;
    },
  }),
};
