/**
 * How a state function is described: an execution function that is handed its state call and gives a state's result.
 */
import { ArgumentError, CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import type {
  FunctionSpec,
  ModuleContext,
  ParamSpec,
  StateCall,
  TypedArguments,
} from '../../runtime/loader/module.ts';
import { asGiven, readArguments } from '../../runtime/loader/params.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { oneLine, shownUnlessSecret } from '../../runtime/loader/words.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

import { mayBeMade } from './made-earlier.ts';

/** A function's context, within a state run. */
export type StateContext = ModuleContext & { readonly state: StateCall };

/** What a state function gives (3006.16 salt/state.py `State.verify_ret`). */
export interface StateResult {
  readonly name: Value;
  /** Null: in test mode something would be changed. */
  readonly result: boolean | null;
  readonly changes: Dict;
  readonly comment: Value;
  /** Further keys that some states add: `warnings`, `data`, `skip_watch`, `pchanges`. */
  readonly [key: string]: Value | undefined;
}

/** The description and the body of a state function. The parameter `name` comes first. */
export interface StateFunctionSpec<P extends Record<string, ParamSpec>> {
  readonly doc: string;
  readonly params: P;
  /** Name of the parameter that takes the remaining keywords; without it the state fails for unknown arguments. */
  readonly kwargs?: string;
  readonly examples?: readonly string[];
  /**
   * Why the arguments can never be right, on whatever machine; asked before the body runs, so that test mode refuses
   * what the run refuses. What an earlier state may still make (a folder, an account) is no reason.
   * @param given each parameter as it was given, before it was read
   * @returns the comment of the failure @throws SaltInvocationError with the comment
   */
  refuses?(args: TypedArguments<P>, kwargs: Dict, given: Readonly<Record<string, Value>>): string | undefined;
  /**
   * @param kwargs what fits no parameter; the keywords of the state system (`__id__`, `order`, `onlyif` …) are in
   *   `ctx.state.low` only
   */
  run(
    ctx: StateContext,
    args: TypedArguments<P>,
    kwargs: Dict,
  ): StateResult | Dict | Promise<StateResult | Dict>;
}

/** Describes a state function as one the loader can hold. */
export function defineState<const P extends Record<string, ParamSpec>>(
  spec: StateFunctionSpec<P>,
): FunctionSpec {
  const { doc, params, kwargs, examples } = spec;
  return {
    doc,
    params,
    returns: 'name, result, changes and comment',
    ...(kwargs === undefined ? {} : { kwargs }),
    ...(examples === undefined ? {} : { examples }),
    run: async (ctx, args, _rest, further) => {
      if (!isStateContext(ctx))
        throw new CommandExecutionError('A state function runs only within a state run.');
      const fail = (comment: string): StateResult => ({
        ...{ name: args['name'] ?? null, changes: dict(), result: false, comment },
      });
      const unreadable = unreadableArgument(params, args);
      if (unreadable !== undefined) return dict(fail(unreadable));
      const read = readArguments(params, args);
      const refusal = refusalOf(spec, read, further, args) ?? (await missingAccount(ctx, params, args));
      const result = refusal === undefined ? await spec.run(ctx, read, further) : fail(refusal);
      const made = result instanceof Map ? result : dict(result);
      const { read: readName = asGiven } = params['name'] ?? {};
      return readName === asGiven ? made : underGivenName(made, args['name']);
    },
  };
}

function refusalOf<P extends Record<string, ParamSpec>>(
  { params, refuses }: StateFunctionSpec<P>,
  args: TypedArguments<P>,
  kwargs: Dict,
  given: Readonly<Record<string, Value>>,
): string | undefined {
  try {
    for (const [name, spec] of Object.entries(params)) {
      const value = given[name] ?? null;
      if (spec.isLine === true) checkLines(value, name);
    }
    return refuses?.(args, kwargs, given);
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
}

/**
 * States whose results are made as those of a run, with what is only foretold in test mode: there the result is None
 * where something would be changed. Salt compat: that of `zfs.*` is True.
 */
export function foretelling(functions: Readonly<Record<string, FunctionSpec>>): Record<string, FunctionSpec> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, spec]) => [
      name,
      {
        ...spec,
        run: async (...call: Parameters<FunctionSpec['run']>) => {
          const result = await spec.run(...call);
          const changes = isDict(result) ? result.get('changes') : undefined;
          const isToChange = call[0].state?.test === true && isDict(changes) && changes.size > 0;
          return isToChange && isDict(result) && result.get('result') === true
            ? result.set('result', null)
            : result;
        },
      },
    ]),
  );
}

/**
 * Why an argument cannot be read. Salt compat: there, it is a traceback, or a value of another type is taken for none,
 * for its letters or for its Python spelling.
 */
function unreadableArgument(
  params: Readonly<Record<string, ParamSpec>>,
  given: Readonly<Record<string, Value>>,
): string | undefined {
  for (const [name, spec] of Object.entries(params)) {
    const value = given[name] ?? null;
    const isNoAccount =
      value !== null && (typeof value === 'boolean' || isDict(value) || Array.isArray(value));
    if (spec.account !== undefined && spec.type === 'str' && isNoAccount)
      return `${name} must be the name of a ${spec.account}, not ${pyRepr(value)}`;
    if (!isTaken(spec, value))
      return `${name} must be a ${spec.type === 'int' ? 'number' : spec.takes}, not ${shownUnlessSecret(name, value)}`;
    try {
      spec.read?.(value);
    } catch (error) {
      if (!(error instanceof PythonError || error instanceof ArgumentError)) throw error;
      return spec.takes === 'number'
        ? `${name} must be a number, not ${shownUnlessSecret(name, value)}`
        : `${name} cannot be ${shownUnlessSecret(name, value)}${error.message === '' ? '' : `: ${error.message}`}`;
    }
  }
  return undefined;
}

/** Whether a parameter takes a value of this type; numbers and flags are texts, too. */
function isTaken({ takes, type = '' }: ParamSpec, value: Value): boolean {
  if (takes === undefined || takes === 'number' || !truthy(value)) return true;
  if (takes === 'mapping') return isDict(value);
  if (takes === 'list') return Array.isArray(value);
  if (takes === 'list or text') return !isDict(value);
  return (!isDict(value) && !Array.isArray(value)) || (type !== 'str' && type !== 'int');
}

/** Looks at a text, or at each of a list or of the keys of a mapping. @throws SaltInvocationError for two lines */
function checkLines(value: Value, name: string): void {
  if (typeof value === 'string') oneLine(value, name);
  else if (Array.isArray(value)) for (const item of value) checkLines(item, name);
  else if (isDict(value)) for (const key of value.keys()) checkLines(key, name);
}

/** In test mode: why there is no user or group as is needed, and no earlier state of the run would make it. */
async function missingAccount(
  ctx: StateContext,
  params: Readonly<Record<string, ParamSpec>>,
  given: Readonly<Record<string, Value>>,
): Promise<string | undefined> {
  if (!ctx.state.test || mayBeMade(ctx)) return undefined;
  for (const [key, { account }] of Object.entries(params)) {
    if (account === undefined) continue;
    const value = given[key] ?? null;
    for (const name of Array.isArray(value) ? value : [value]) {
      const isNamed = (typeof name === 'string' && name !== '') || typeof name === 'number';
      if (!isNamed) continue;
      const fun = account === 'user' ? 'file.user_to_uid' : 'file.group_to_gid';
      if ((await ctx.functions.call(fun, [name])) === '')
        return `${account === 'user' ? 'User' : 'Group'} '${pyStr(name)}' is not available`;
    }
  }
  return undefined;
}

/** A name that is no text (null, as no other passes the checks before a run) is in the result as it was given. */
function underGivenName(result: Dict, given: Value | undefined): Dict {
  if (given === undefined || typeof given === 'string') return result;
  const name = result.get('name');
  return name === '' || name === pyStr(given) ? result.set('name', given) : result;
}

function isStateContext(ctx: ModuleContext): ctx is StateContext {
  return ctx.state !== undefined;
}
