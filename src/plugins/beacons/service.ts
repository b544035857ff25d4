/** `service`: tells whether services run (salt/beacons/service.py, 3006.16). */
import { existsSync } from 'node:fs';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { listToDict, VALID, type BeaconContext, type BeaconSpec, type Verdict } from './beacon.ts';

/** What was last seen of a service. */
interface Seen {
  isRunning: Value;
  /** When a change was seen that has to last before it is told. */
  sinceMs?: number;
}

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for service beacon must be a list.'];
  const options = listToDict(config);
  const services = options.get('services');
  if (services === undefined) return [false, 'Configuration for service beacon requires services.'];
  if (!isDict(services))
    return [false, 'Services configuration item for service beacon must be a dictionary.'];
  if (![...services.values()].every(isDict))
    return [false, 'Configuration for service beacon must be a list of dictionaries.'];
  return VALID;
}

async function eventOf(
  ctx: BeaconContext,
  name: Value,
  options: Dict,
): Promise<{ event: Dict; isRunning: Value }> {
  const isRunning = await ctx.call('service.status', [name]);
  const status: Dict = new Map([['running', isRunning]]);
  const pidFile = options.get('uncleanshutdown');
  if (typeof pidFile === 'string' && !truthy(isRunning)) status.set('uncleanshutdown', existsSync(pidFile));
  const event: Dict = new Map<Value, Value>([
    [name, status],
    ['service_name', name],
    ['tag', name],
  ]);
  return { event, isRunning };
}

/** Whether a change is told now: at once, or after it has lasted for `delay` seconds. */
function isToldNow(
  seen: Map<Value, Seen>,
  name: Value,
  isRunning: Value,
  options: Dict,
  nowMs: number,
): boolean {
  const delay = toNumber(options.get('delay')) ?? 0;
  const last = seen.get(name);
  if (last === undefined && !truthy(options.get('emitatstartup') ?? true)) {
    seen.set(name, { isRunning });
    return false;
  }
  if (last === undefined || last.isRunning !== isRunning) {
    seen.set(name, delay > 0 ? { isRunning, sinceMs: nowMs } : { isRunning });
    return delay <= 0;
  }
  if (last.sinceMs === undefined || Math.round((nowMs - last.sinceMs) / 1000) <= delay) return false;
  delete last.sinceMs;
  return true;
}

/** The beacon. */
export const serviceBeacon: BeaconSpec = {
  name: 'service',
  doc: 'Reports whether services run, always or when that changes.',
  validate,
  start: (ctx) => {
    const seen = new Map<Value, Seen>();
    return {
      look: async (config) => {
        const services = listToDict(config).get('services');
        const events: Dict[] = [];
        for (const [name, given] of isDict(services) ? services : []) {
          const options = isDict(given) ? given : dict();
          const { event, isRunning } = await eventOf(ctx, name, options);
          const onChange = options.get('onchangeonly') === true;
          if (!onChange || isToldNow(seen, name, isRunning, options, ctx.clock.nowMs())) events.push(event);
        }
        return events;
      },
    };
  },
};
