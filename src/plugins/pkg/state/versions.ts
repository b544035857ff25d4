/** Whether installed versions are as a state wants them (3006.16 salt/states/pkg.py). */
import { compareLoose } from '../module/versions.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { toNumber, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** One condition: `>=` and a version. */
type Condition = readonly [operator: string, version: string];

/** The conditions of a text such as `>=1.2,<2`; a version alone is `==`. */
export function versionConditions(text: string): Condition[] {
  if (text.trim() === '') return [];
  return text
    .trim()
    .split(',')
    .map((part) => {
      const [, operator = '', version = part.trim()] =
        /^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$/.exec(part.trim()) ?? [];
      return [operator === '' || operator === '=' ? '==' : operator, version];
    });
}

const ORDERS: Readonly<Record<string, readonly number[]>> = {
  '<': [-1],
  '<=': [-1, 0],
  '==': [0],
  '>=': [0, 1],
  '>': [1],
  '!=': [-1, 1],
};

/**
 * True when one of the installed versions meets all conditions.
 * @param given.ignoreEpoch null: only where an epoch is not asked for
 * @param given.allowUpdates a newer version than the one wanted will do
 */
export async function fulfillsVersions(
  ctx: StateContext,
  installed: readonly string[],
  wanted: string,
  given: { readonly ignoreEpoch: Value; readonly allowUpdates?: boolean },
): Promise<boolean> {
  const conditions = versionConditions(wanted);
  const isLoose = given.allowUpdates === true && conditions.length === 1;
  for (const version of installed) {
    let isMet = true;
    for (const [operator, target] of conditions) {
      const shown = isLoose && operator === '==' ? '>=' : operator;
      isMet &&= await meets(ctx, version, [shown, target], given.ignoreEpoch);
    }
    if (isMet) return true;
  }
  return false;
}

async function meets(
  ctx: StateContext,
  version: string,
  [operator, target]: Condition,
  ignoreEpoch: Value,
): Promise<boolean> {
  if (operator === '==' && fnmatch(version, target)) return true;
  const orders = Object.hasOwn(ORDERS, operator) ? ORDERS[operator] : undefined;
  if (orders === undefined) {
    ctx.log.error(`Invalid operator '${operator}' for version comparison`);
    return false;
  }
  const ignores = ignoreEpoch ?? !(/[<>]/.test(operator) || target.includes(':'));
  // pacman's module has none, and Salt compares by itself then
  const order = (await ctx.functions.has('pkg.version_cmp'))
    ? await ctx.functions.call('pkg.version_cmp', [version, target], { ignore_epoch: ignores })
    : compareLoose(version, target);
  return orders.includes(Math.sign(toNumber(order) ?? NaN));
}
