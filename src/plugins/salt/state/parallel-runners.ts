/**
 * `salt.parallel_runners`: several runners beside each other as one step (3006.16 salt/states/saltmod.py). A real Salt
 * ends it with a TypeError on new versions of Python; this is what its source means.
 */
import { BrineError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { renderNested } from '../../outputters/nested.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { callerKeywords } from './master-function.ts';
import { param } from '../../../runtime/loader/params.ts';

/** One of the runners. */
interface Planned {
  readonly id: string;
  readonly fun: string;
  readonly kwarg: Dict;
}

/** What one of them has come to. */
interface Ended {
  readonly id: string;
  readonly value: Value;
  readonly success: boolean;
}

/** Reads `runners`; undefined for what is neither text nor mapping. */
function planOf(given: Value): Planned[] | undefined {
  if (typeof given === 'string') return [{ id: given, fun: given, kwarg: new Map() }];
  if (!isDict(given)) return undefined;
  return [...given].map(([key, config]) => {
    const id = pyStr(key);
    const named = repacked(config);
    const kwarg = named.get('kwarg');
    return { id, fun: pyStr(named.get('name') ?? id), kwarg: isDict(kwarg) ? kwarg : new Map() };
  });
}

/** A list of mappings as one mapping (salt/utils/data.py `repack_dictlist`). */
function repacked(config: Value): Dict {
  if (isDict(config)) return config;
  if (!Array.isArray(config)) return new Map();
  return new Map(config.filter(isDict).flatMap((item) => [...item]));
}

async function runOne(ctx: StateContext, { id, fun, kwarg }: Planned): Promise<Ended> {
  const named: Dict = new Map([...kwarg, ...callerKeywords(ctx), ['full_return', true]]);
  if (ctx.master !== undefined) named.set('__pub_user', ctx.master.user);
  const ended = await ctx.functions.call('saltutil.runner', [fun], named);
  const data: Dict = isDict(ended) ? ended : new Map();
  return { id, value: data.get('return') ?? null, success: data.get('success') !== false };
}

/** What an orchestration has changed, out of its results. */
function changesIn(value: Value): Value {
  if (!isDict(value)) return new Map();
  const changes = value.get('changes');
  if (changes !== undefined)
    return isDict(changes) && changes.get('out') === 'highstate' && changes.has('ret')
      ? (changes.get('ret') ?? null)
      : changes;
  const found: Dict = new Map();
  for (const [key, inner] of value) {
    const change = changesIn(inner);
    if (!isDict(change) || change.size > 0) found.set(key, change);
  }
  return found;
}

const isHighstate = ({ value }: Ended): boolean =>
  isDict(value) && value.get('outputter') === 'highstate' && value.has('data');

/**
 * Salt compat: Salt looks for the code beside the results only, where no runner of its own puts it, and finds no
 * failure ever.
 */
function hasFailed({ value, success }: Ended): boolean {
  if (!success) return true;
  if (!isDict(value)) return false;
  const data = value.get('data');
  const codes = [
    value.get('retcode'),
    value.get('exit_code'),
    isDict(data) ? data.get('retcode') : undefined,
  ];
  return codes.some((code) => (toNumber(code) ?? 0) !== 0);
}

function failureText(failed: readonly Ended[], isOrchestrations: boolean): string {
  if (isOrchestrations)
    return failed
      .map(({ id, value }) => {
        const shown = renderNested(value, { color: false, nestedIndent: 2 });
        return `Runner ${id} failed with return value:\n${shown}`;
      })
      .join('\n');
  const ids = failed.map(({ id }) => id).join(', ');
  return failed.length === 1 ? `Runner ${ids} failed.` : `Runners ${ids} failed.`;
}

/** The state `salt.parallel_runners`. */
export const parallelRunners = defineState({
  doc: 'Runs several runners beside each other.',
  params: {
    name: param.text({ doc: 'Any name for the step.' }),
    runners: param.by(planOf, {
      type: 'dict or str',
      doc: 'Mapping of any id to a list with `name`, the function, and `kwarg`; or the name of one function.',
    }),
  },
  kwargs: 'kwargs',
  run: async (ctx, { name, runners: planned }) => {
    const refuse = (comment: string): Dict => dict({ name, result: false, changes: {}, comment });
    if (planned === undefined) return refuse('The runners parameter must be a string or dict.');
    let ended: Ended[];
    try {
      ended = await Promise.all(planned.map((one) => runOne(ctx, one)));
    } catch (error) {
      if (!(error instanceof BrineError)) throw error;
      return refuse(`One of the runners raised an exception: ${messageOf(error)}`).set('success', false);
    }
    const isOrchestrations = ended.every(isHighstate);
    const failed = ended.filter(hasFailed);
    const changes: Dict = new Map();
    if (isOrchestrations)
      for (const { id, value } of ended) {
        const change = isDict(value) ? changesIn(value.get('data') ?? null) : new Map<Value, Value>();
        if (!isDict(change) || change.size > 0) changes.set(id, change);
      }
    else changes.set('ret', new Map(ended.map(({ id, value }) => [id, value])));
    const comment =
      failed.length === 0
        ? 'All runner functions executed successfully.'
        : failureText(failed, isOrchestrations);
    return new Map<Value, Value>([
      ...Object.entries({ name, result: failed.length === 0, changes, comment }),
    ]);
  },
});
