/**
 * `module.run` with the function as its name and the arguments beside it (3006.16 salt/states/module.py `_legacy_run`).
 */
import type { FunctionSpec } from '../../../runtime/loader/module.ts';
import { osErrorText } from '../../../python/os-errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { resultOf } from './result.ts';
import { signatureOf } from './signature.ts';

/** Names of arguments that the state system takes for itself: they are written with `m_`. */
const SHADOWED = new Set(['name', 'fun', 'names', 'state', 'saltenv']);

const written = (name: string): string => (SHADOWED.has(name) ? `m_${name}` : name);

/** A call in this form, or why there is none. */
type LegacyCall = { readonly args: Value[]; readonly kwargs: Dict } | { readonly refused: string };

function legacyCall(spec: FunctionSpec, given: Dict): LegacyCall {
  const { required, defaults } = signatureOf(spec);
  const left = new Map(given);
  const missing = required.filter((name) => !left.has(written(name)));
  if (missing.length > 0)
    return {
      refused: `The following arguments are missing:${missing.map((name) => ` ${written(name)}`).join('')}`,
    };
  const args = required.map((name) => left.get(written(name)) as Value);
  for (const [name, value] of defaults) {
    const key = [name, name === 'names' ? name : written(name)].find((one) => left.has(one));
    args.push(key === undefined ? value : (left.get(key) as Value));
  }
  for (const name of [...required, ...defaults.keys()]) left.delete(written(name));
  const rest = spec.varargs === undefined ? undefined : left.get(written(spec.varargs));
  if (rest !== undefined && !Array.isArray(rest))
    return { refused: `'${spec.varargs ?? ''}' must be a list.` };
  const keywords = spec.kwargs === undefined ? undefined : left.get(spec.kwargs);
  if (keywords !== undefined && !isDict(keywords))
    return { refused: `'${spec.kwargs ?? ''}' must be a dict.` };
  return { args: [...args, ...(rest ?? [])], kwargs: keywords ?? new Map() };
}

/** A result with its fields in the order in which Salt makes them here. */
function ended(name: Value, result: boolean | null, comment: string, changes: Dict = dict()): StateResult {
  return { name, changes, comment, result };
}

/** Runs the function that the state is named after. */
export async function runLegacy(ctx: StateContext, name: Value, given: Dict): Promise<StateResult> {
  const fun = pyStr(name);
  const { spec } = await ctx.functions.find(fun);
  if (spec === undefined) return ended(name, false, `Module function ${fun} is not available`);
  if (ctx.state.test) return ended(name, null, `Module function ${fun} is set to execute`);
  const call = legacyCall(spec, given);
  if ('refused' in call) return ended(name, false, call.refused);
  let value: Value;
  try {
    value = await ctx.functions.call(fun, call.args, call.kwargs);
  } catch (error) {
    return ended(name, false, `Module function ${fun} threw an exception. Exception: ${osErrorText(error)}`);
  }
  return ended(name, resultOf(value), `Module function ${fun} executed`, dict({ ret: value }));
}
