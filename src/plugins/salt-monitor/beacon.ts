/** `salt_monitor`: tells what functions return (salt/beacons/salt_monitor.py, 3006.16). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, type Verdict } from '../shared/beacon/beacon.ts';

/** One call of a function. */
interface Call {
  readonly fun: Value;
  readonly args: readonly Value[];
  readonly kwargs: Dict;
}

function validate(config: Value): Verdict {
  const wanted = listToDict(config).get('salt_fun');
  // Salt compat: Salt fails here, with the name of the missing option alone
  if (wanted === undefined) return [false, 'Configuration for salt_monitor beacon requires salt_fun.'];
  for (const entry of Array.isArray(wanted) ? wanted : []) {
    const [first] = isDict(entry) ? entry : [];
    const fault = first === undefined ? undefined : faultOf(pyStr(first[0]), first[1]);
    if (fault !== undefined) return [false, fault];
  }
  return [true, 'valid config'];
}

function faultOf(fun: string, options: Value): string | undefined {
  for (const [key, value] of isDict(options) ? options : []) {
    if (key === 'args') {
      if (!Array.isArray(value)) return `args key for fun ${fun} must be list`;
    } else if (key !== 'kwargs') return `key ${pyStr(key)} not allowed under fun ${fun}`;
    else if (!Array.isArray(value)) return `kwargs key for fun ${fun} must be list of key value pairs`;
    else {
      const wrong = value.find((item) => !isDict(item));
      if (wrong !== undefined)
        return `${typeof wrong === 'string' ? wrong : pyRepr(wrong)} is not a key / value pair`;
    }
  }
  return undefined;
}

/** `[test.ping, {disk.usage: {args: [/]}}]`. */
function readCalls(value: Value): Call[] {
  return (Array.isArray(value) ? value : []).map((entry): Call => {
    const [first] = isDict(entry) ? entry : [];
    if (first === undefined) return { fun: entry, args: [], kwargs: new Map() };
    const [fun, options] = first;
    const args = isDict(options) ? options.get('args') : undefined;
    const kwargs = isDict(options) ? options.get('kwargs') : undefined;
    return { fun, args: Array.isArray(args) ? args : [], kwargs: listToDict(kwargs ?? null) };
  });
}

/** The beacon. Whether a function exists is seen when it is called. */
export const saltMonitorBeacon = defineBeacon({
  name: 'salt_monitor',
  doc: 'Calls functions, and reports what they return unless it is empty.',
  params: {
    salt_fun: param.by((value) => (typeof value === 'string' ? value : readCalls(value)), {
      type: 'str or list',
      default: null,
      doc: 'one function, or a list of them, with `args` and `kwargs`',
    }),
  },
  validate,
  start: ({ call }) => ({
    look: async ({ salt_fun: wanted }) => {
      if (typeof wanted === 'string') return [dict({ salt_fun: wanted, ret: await call(wanted) })];
      const events: Dict[] = [];
      for (const { fun, args, kwargs } of wanted) {
        const ret = await call(pyStr(fun), args, kwargs);
        if (!truthy(ret)) continue;
        const event = dict({ salt_fun: fun, ret });
        if (args.length > 0) event.set('args', [...args]);
        if (kwargs.size > 0) event.set('kwargs', kwargs);
        events.push(event);
      }
      return events;
    },
  }),
});
