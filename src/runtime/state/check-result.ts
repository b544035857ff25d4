/** Whether a state run counts as failed (salt/utils/state.py `check_result`, 3006.16). */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { EXTEND, isPrivate } from './high-data.ts';
import { TAG_SEPARATOR } from './result.ts';

/**
 * A run is good when it has results and none of them is a failure; a failure that an `onfail` with `onfail_stop: False`
 * has taken care of counts as that one did.
 * @param high the high data of the run, where those handlers are found
 * @param isInner what is looked at is inside of a result, where other values than mappings may stand
 */
export function isGoodRun(running: Value, high?: Dict, isInner = false): boolean {
  if (!isDict(running) || running.size === 0) return false;
  for (const [tag, result] of running) {
    const isFailed = isDict(result)
      ? result.has('result')
        ? result.get('result') === false
        : !isGoodRun(result, high, true)
      : !isInner && !(tag === EXTEND && Array.isArray(result));
    if (isFailed && !(isDict(result) && high !== undefined && isHandled(String(tag), running, high)))
      return false;
  }
  return true;
}

/** Whether handlers have dealt with a failed state: the last of them that ran did not fail. */
function isHandled(tag: string, running: Dict, high: Dict): boolean {
  const [state = '', id = ''] = tag.split(TAG_SEPARATOR);
  let outcome: boolean | undefined;
  for (const handler of handlersOf(state, id, high)) {
    for (const [otherTag, result] of running) {
      const [otherState, otherId] = String(otherTag).split(TAG_SEPARATOR);
      if (otherState !== handler.state || otherId !== handler.id || !isDict(result)) continue;
      const value = result.get('result');
      if (typeof value === 'boolean') outcome = value;
      if (value === false) break;
    }
    outcome ??= false;
  }
  return outcome ?? false;
}

function handlersOf(state: string, id: string, high: Dict): { state: string; id: string }[] {
  const handlers: { state: string; id: string }[] = [];
  for (const [otherId, body] of high) {
    if (otherId === id || !isDict(body)) continue;
    for (const [module, list] of body) {
      if (isPrivate(module) || !Array.isArray(list)) continue;
      const items = list.filter(isDict);
      if (!items.some((item) => item.get('onfail_stop') === false)) continue;
      const wanted = items
        .flatMap((item) => item.get('onfail') ?? [])
        .flatMap((entry) => (isDict(entry) ? [...entry] : []));
      if (wanted.some(([kind, name]) => kind === state && name === id))
        handlers.push({ state: String(module), id: String(otherId) });
    }
  }
  return handlers;
}
