/** Keywords of service states that only systemd knows. */
import { isSystemdBooted } from '../../shared/systemd-host.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

const SYSTEMD_ONLY = ['no_block', 'unmask', 'unmask_runtime'];

/** The keywords that a function is to be called with, and warnings about those that are of no use here. */
export async function systemdKeywords(
  ctx: StateContext,
  fun: string,
  kwargs: Dict,
): Promise<{ readonly keywords: Dict; readonly warnings: readonly string[] }> {
  const { spec } = await ctx.functions.find(fun);
  const given = SYSTEMD_ONLY.filter((name) => kwargs.has(name) && Object.hasOwn(spec?.params ?? {}, name));
  if (isSystemdBooted())
    return {
      keywords: new Map(given.map((name): [Value, Value] => [name, kwargs.get(name) ?? null])),
      warnings: [],
    };
  const warnings = given.map((name) => `The '${name}' argument is not supported by this platform`);
  return { keywords: new Map(), warnings };
}

/** The result with its warnings, where there are any. */
export function withWarnings(result: StateResult, warnings: readonly string[]): StateResult {
  return warnings.length === 0 ? result : { ...result, warnings: [...warnings] };
}
