/** `network_settings`: tells when settings of interfaces change (salt/beacons/network_settings.py, 3006.16). */
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID, type BeaconSpec, type Verdict } from '../shared/beacon/beacon.ts';
import { readInterfaceSettings, SETTINGS, type InterfaceSettings } from './beacon/interface-settings.ts';

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for network_settings beacon must be a list.'];
  const interfaces = listToDict(config).get('interfaces');
  if (Array.isArray(interfaces))
    return [false, 'interfaces section for network_settings beacon must be a dictionary.'];
  for (const item of isDict(interfaces) ? interfaces.values() : []) {
    if (!isDict(item))
      return [false, 'Interface attributes for network_settings beacon must be a dictionary.'];
    if (![...item.keys()].every((name) => SETTINGS.includes(pyStr(name))))
      return [false, 'Invalid attributes in beacon configuration.'];
  }
  return VALID;
}

/**
 * The interfaces that are meant, each with what is watched: those of the name, else those that the name as an
 * expression finds.
 */
function meant(wanted: Dict, now: ReadonlyMap<string, InterfaceSettings>): Map<string, Dict> {
  const out = new Map<string, Dict>();
  for (const [key, options] of wanted) {
    const name = pyStr(key);
    if (!isDict(options)) continue;
    if (now.has(name)) out.set(name, options);
    else {
      const pattern = compilePattern(name);
      for (const found of now.keys()) if (pattern.search(found) !== undefined) out.set(found, options);
    }
  }
  return out;
}

/** The watched settings that are others than before, and have the value that `onvalue` names. */
function changesOf(watched: Dict, before: InterfaceSettings, now: InterfaceSettings): Dict {
  const out: Dict = new Map();
  for (const [key, options] of watched) {
    const name = pyStr(key);
    const value = now.get(name);
    if (value === undefined || valuesEqual(value, before.get(name) ?? null)) continue;
    const onvalue = isDict(options) ? (options.get('onvalue') ?? null) : null;
    if (!truthy(onvalue) || valuesEqual(onvalue, value)) out.set(name, value);
  }
  return out;
}

/** @param read the settings of all interfaces; another one in tests */
export function networkSettingsBeacon(read = readInterfaceSettings): BeaconSpec {
  return defineBeacon({
    name: 'network_settings',
    doc: 'Reports settings of interfaces that have changed.',
    params: {
      interfaces: param.mapping({
        default: null,
        doc: 'settings by interface, each with `onvalue` or nothing',
      }),
      coalesce: param.flag({ default: false, doc: 'all changes in one event' }),
    },
    validate,
    start: ({ clock }) => {
      const known = new Map<string, InterfaceSettings>();
      return {
        look: async ({ interfaces, coalesce }) => {
          const isWatched = (name: string): boolean =>
            [...interfaces.values()].some((options) => isDict(options) && options.has(name));
          const now = await read(clock, isWatched('neighbours'));
          const events: Dict[] = [];
          const all: Dict = new Map();
          for (const [name, watched] of meant(interfaces, now)) {
            const settings = now.get(name) ?? new Map<string, Value>();
            // Salt compat: an interface that is new has not changed; Salt fails on it
            const changes = changesOf(watched, known.get(name) ?? settings, settings);
            all.set(name, changes);
            if (changes.size > 0) events.push(dict({ tag: name, interface: name, change: changes }));
          }
          for (const [name, settings] of now) known.set(name, settings);
          if (!coalesce || events.length === 0) return events;
          const changed = [...all].filter(([, changes]) => isDict(changes) && changes.size > 0);
          return [dict({ tag: 'result', changes: new Map(changed) })];
        },
      };
    },
  });
}
