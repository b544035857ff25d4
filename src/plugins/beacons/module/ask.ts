/** Orders about beacons to the minion on this host (3006.16 salt/modules/beacons.py). */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';

/** Seconds to wait for an answer, as texts name them. */
const DEFAULT_WAIT_SECONDS = 60;

/** Fires an order and waits for what answers it. @param answer the answering event, without its common parts */
export function ask(ctx: ModuleContext, answer: string, order: DictInit): Promise<Dict | undefined> {
  const tag = `/salt/minion/minion_${answer}_complete`;
  return ctx.services.manage?.('beacons', dict(order), tag) ?? Promise.resolve(undefined);
}

/** `{comment, result}`. */
export const say = (comment: Value, result: boolean): Dict => dict({ comment, result });

/** The beacons in an answer, when it says that the order was carried out. */
export function beaconsOf(answer: Dict | undefined): Dict | undefined {
  const beacons = truthy(answer?.get('complete') ?? null) ? answer?.get('beacons') : undefined;
  return isDict(beacons) ? beacons : undefined;
}

/** What is said when an order was not carried out. */
export function orderFailure(answer: Dict | undefined, what: string, kwargs: Dict): Dict {
  if (answer !== undefined) return say(answer.get('comment') ?? '', false);
  const seconds = pyStr(kwargs.get('timeout') ?? DEFAULT_WAIT_SECONDS);
  return say(`Did not receive the beacon ${what} before the timeout of ${seconds}s`, false);
}

/** The configured beacons; undefined when no minion answers. */
export async function listBeacons(
  ctx: ModuleContext,
  options: { readonly pillar?: boolean; readonly configured?: boolean } = {},
): Promise<Dict | undefined> {
  const answer = await ask(ctx, 'beacons_list', {
    func: 'list',
    include_pillar: options.pillar ?? true,
    include_opts: options.configured ?? true,
  });
  return beaconsOf(answer);
}

/** The kinds of beacons there are. */
export async function availableBeacons(ctx: ModuleContext): Promise<Value[]> {
  const answer = await ask(ctx, 'beacons_list_available', { func: 'list_available' });
  const names = answer?.get('beacons');
  return Array.isArray(names) ? names : [];
}
