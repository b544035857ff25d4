/** `status`: tells what functions of the module `status` give (salt/beacons/status.py, 3006.16). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { VALID, withoutHidden, type BeaconContext, type BeaconSpec } from '../shared/beacon/beacon.ts';

const DEFAULTS = ['loadavg', 'cpustats', 'meminfo', 'vmstats', 'time'];

/** Some items of what a function gave, or all of it. */
function pick(data: Value, items: readonly Value[]): Value {
  if (items.includes('all')) return data;
  const out: Dict = new Map();
  for (const item of items) {
    const value = isDict(data) ? data.get(item) : Array.isArray(data) ? data[Number(item)] : undefined;
    if (value === undefined) return `Status beacon is incorrectly configured: ${pyRepr(item)}`;
    out.set(item, value);
  }
  return out;
}

async function gather({ call, log }: BeaconContext, wanted: readonly Dict[]): Promise<Dict> {
  const out: Dict = new Map();
  for (const entry of wanted) {
    for (const [fun, items] of entry) {
      out.set(fun, new Map());
      try {
        out.set(fun, pick(await call(`status.${String(fun)}`), Array.isArray(items) ? items : [items]));
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        log.debug(
          `Status beacon attempted to process function ${String(fun)} but encountered error: ${error.message}`,
        );
      }
    }
  }
  return out;
}

/** The beacon. */
export const statusBeacon: BeaconSpec = {
  name: 'status',
  doc: 'Reports load, memory, processor and the like at each interval.',
  validate: (config) =>
    Array.isArray(config) ? VALID : [false, 'Configuration for status beacon must be a list.'],
  start: (ctx) => ({
    look: async (config) => {
      const given = withoutHidden(config);
      const all = new Map<Value, Value>(DEFAULTS.map((fun) => [fun, ['all']]));
      const data = await gather(ctx, given.length === 0 ? [all] : given);
      const now = new Date(ctx.clock.nowMs()).toISOString().slice(0, 23);
      return [dict({ tag: `${now}000`, data })];
    },
  }),
};
