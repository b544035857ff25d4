/** `service`: tells whether services run (salt/beacons/service.py, 3006.16). */
import { existsSync } from 'node:fs';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions, type TypedArguments } from '../../runtime/loader/params.ts';
import {
  defineBeacon,
  listToDict,
  VALID,
  type BeaconContext,
  type Verdict,
} from '../shared/beacon/beacon.ts';

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

/** What is said of one service. */
const SERVICE_OPTIONS = {
  onchangeonly: param.by((value) => value === true, { type: 'bool', default: false, doc: 'only changes' }),
  emitatstartup: param.flag({ default: true, doc: 'with onchangeonly: also at the first look' }),
  delay: param.number({ default: 0, doc: 'with onchangeonly: seconds that a change has to last' }),
  uncleanshutdown: param.by((value) => (typeof value === 'string' ? value : undefined), {
    type: 'str',
    default: null,
    doc: 'the pid file; whether it is still there is reported of a service that does not run',
  }),
};

type ServiceOptions = TypedArguments<typeof SERVICE_OPTIONS>;

/** `{nginx: {onchangeonly: true}}`. */
function readServices(value: Value): [name: Value, options: ServiceOptions][] {
  return [...(isDict(value) ? value : [])].map(([name, options]) => [
    name,
    readOptions(SERVICE_OPTIONS, isDict(options) ? options : dict()),
  ]);
}

async function eventOf(
  ctx: BeaconContext,
  name: Value,
  { uncleanshutdown: pidFile }: ServiceOptions,
): Promise<{ event: Dict; isRunning: Value }> {
  const isRunning = await ctx.call('service.status', [name]);
  const status: Dict = new Map([['running', isRunning]]);
  if (pidFile !== undefined && !truthy(isRunning)) status.set('uncleanshutdown', existsSync(pidFile));
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
  { delay = 0, emitatstartup }: ServiceOptions,
  nowMs: number,
): boolean {
  const last = seen.get(name);
  if (last === undefined && !emitatstartup) {
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
export const serviceBeacon = defineBeacon({
  name: 'service',
  doc: 'Reports whether services run, always or when that changes.',
  params: {
    services: param.by(readServices, { type: 'dict', default: null, doc: 'what is wanted, by service' }),
  },
  validate,
  start: (ctx) => {
    const seen = new Map<Value, Seen>();
    return {
      look: async ({ services }) => {
        const events: Dict[] = [];
        for (const [name, options] of services) {
          const { event, isRunning } = await eventOf(ctx, name, options);
          if (!options.onchangeonly || isToldNow(seen, name, isRunning, options, ctx.clock.nowMs()))
            events.push(event);
        }
        return events;
      },
    };
  },
});
