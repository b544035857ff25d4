/**
 * How a state function is described: an execution function that is handed its state call and gives a state's result.
 */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import type {
  FunctionSpec,
  ModuleContext,
  ParamSpec,
  StateCall,
  TypedArguments,
} from '../../runtime/loader/module.ts';
import { readArguments } from '../../runtime/loader/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';

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
  /**
   * Name of the parameter that takes the remaining keywords; without it unknown arguments end the whole run, as in
   * Salt.
   */
  readonly kwargs?: string;
  readonly examples?: readonly string[];
  /**
   * Why the arguments can never be right, on whatever machine; asked before the body runs, so that test mode refuses
   * what the run refuses. What an earlier state may still make (a folder, an account) is no reason.
   * @returns the comment of the failure @throws SaltInvocationError with the comment
   */
  refuses?(args: TypedArguments<P>, kwargs: Dict): string | undefined;
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
      const read = readArguments(params, args);
      const refusal = refusalOf(spec, read, further);
      const result =
        refusal === undefined
          ? await spec.run(ctx, read, further)
          : { name: args['name'] ?? null, changes: dict(), result: false, comment: refusal };
      const made = result instanceof Map ? result : dict(result);
      return params['name']?.read === undefined ? made : underGivenName(made, args['name']);
    },
  };
}

function refusalOf<P extends Record<string, ParamSpec>>(
  { refuses }: StateFunctionSpec<P>,
  args: TypedArguments<P>,
  kwargs: Dict,
): string | undefined {
  try {
    return refuses?.(args, kwargs);
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
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
