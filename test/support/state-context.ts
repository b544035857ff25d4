/** A state context for tests: one state function is called as a state run calls it, over fake services. */
import { checkedCall } from '../../src/runtime/loader/built-in-calls.ts';
import type { FunctionCaller, FunctionLookup, StateCall } from '../../src/runtime/loader/module.ts';
import { ModuleRegistry } from '../../src/runtime/loader/registry.ts';
import { bindState } from '../../src/runtime/state/bind-state.ts';
import type { StateContext } from '../../src/plugins/shared/state-function.ts';
import { STATE_TABLE } from '../../src/plugins/registry/state/table.generated.ts';
import { CommandExecutionError } from '../../src/errors/errors.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './module-context.ts';

/** An execution function that a test puts in place of the real one, or beside those there are. */
export type FunctionDouble = (args: readonly Value[], kwargs: Dict) => Value | Promise<Value>;

/** What a test may set besides what {@link FakeContextOptions} has. */
export interface FakeStateOptions extends FakeContextOptions {
  /** Test mode; also `test` in the options that execution functions see. */
  readonly test?: boolean;
  /** What the low chunk holds besides what comes from the call: `__env__`, `__reqs__`, … */
  readonly low?: Dict;
  readonly lowstate?: readonly Dict[];
  readonly running?: Dict;
  readonly memory?: Map<string, Value>;
  /** By full name, `service.status`. An Error as answer is thrown. */
  readonly functions?: Readonly<Record<string, FunctionDouble | Value | Error>>;
}

/** The context, and what was done through it. */
export interface FakeStateContext extends FakeContext {
  readonly state: StateCall;
  /** The calls of the functions that the test put in place, in order. */
  readonly called: [fun: string, args: readonly Value[], kwargs: Dict][];
}

/** Makes the context of one state call over the real modules and the real states. */
export function fakeStateContext(options: FakeStateOptions = {}): FakeStateContext {
  const test = options.test ?? false;
  const opts = new Map<Value, Value>([
    ...(options.opts ?? dict({ id: 'minion', hash_type: 'sha256' })),
    ['test', test],
  ]);
  const base = fakeContext({ ...options, opts });
  const called: FakeStateContext['called'] = [];
  const states = new ModuleRegistry({ opts, grains: base.grains, table: STATE_TABLE });
  const context = Object.create(base) as FakeStateContext;
  const state: StateCall = {
    test,
    low: new Map([...dict({ __sls__: 'sls', __id__: 'id', __env__: 'base' }), ...(options.low ?? [])]),
    lowstate: options.lowstate ?? [],
    running: options.running ?? new Map(),
    memory: options.memory ?? new Map(),
    find: (fun) => states.find(fun),
    call: (fun, kwargs) => runState(context, fun, kwargs),
  };
  const functions = withDoubles(base.functions, options.functions ?? {}, called);
  return Object.defineProperties(context, {
    called: { value: called },
    state: { value: state },
    functions: { value: functions },
  });
}

/**
 * Calls a state function with the arguments of an SLS, after a context of its own was made for it.
 * @param kwargs the arguments; `name` becomes the id when there is none
 * @returns the state's result, as the function gives it
 * @throws whatever the function throws, and an error when it does not exist or does not take the arguments
 */
export async function callState(fun: string, kwargs: Dict, options: FakeStateOptions = {}): Promise<Dict> {
  const given = kwargs.has('name') ? kwargs : new Map<Value, Value>([['name', 'id'], ...kwargs]);
  const [state = '', name = ''] = fun.split('.');
  const low = new Map([...dict({ state, fun: name }), ...given, ...(options.low ?? [])]);
  return runState(fakeStateContext({ ...options, low }), fun, given);
}

/** Calls a state function within a context. */
export async function runState(ctx: StateContext, fun: string, kwargs: Dict): Promise<Dict> {
  const { spec, missing } = await ctx.state.find(fun);
  if (spec === undefined) throw new CommandExecutionError(missing);
  const bound = bindState(fun, spec, kwargs);
  const result = await spec.run(ctx, bound.args, [], bound.kwargs);
  if (!isDict(result)) throw new Error(`${fun} gave no result`);
  return result;
}

function withDoubles(
  real: FunctionCaller,
  doubles: NonNullable<FakeStateOptions['functions']>,
  called: FakeStateContext['called'],
): FunctionCaller {
  const find = async (fun: string): Promise<FunctionLookup> => {
    if (!Object.hasOwn(doubles, fun)) return real.find(fun);
    const [name = '', short = ''] = fun.split('.');
    const spec = { doc: '', returns: '', kwargs: 'kwargs', run: () => null };
    return { spec, module: { name, file: name, doc: '', functions: { [short]: spec } } };
  };
  return {
    ...real,
    find,
    has: async (fun) => (await find(fun)).spec !== undefined,
    call: checkedCall(async (fun, args, kwargs) => {
      if (!Object.hasOwn(doubles, fun)) return real.call(fun, args, kwargs);
      called.push([fun, args, kwargs]);
      const double = doubles[fun] as FunctionDouble | Value | Error;
      const answer = typeof double === 'function' ? await double(args, kwargs) : double;
      if (answer instanceof Error) throw answer;
      return answer;
    }),
  };
}
