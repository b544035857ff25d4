/** The settings of bridges on Debian. Follows 3006.16 salt/modules/debian_ip.py `_parse_bridge_opts`. */
import { PythonError } from '../../../../python/exceptions.ts';
import { pyTypeName, isInt, type Dict, type Value } from '../../../../python/values/value.ts';
import {
  isFloatText,
  isWhole,
  joinTexts,
  pythonWords,
  settingError,
  SWITCH,
  switchOf,
  wrongOption,
} from '../settings.ts';

const HARDWARE_ADDRESS = /^[0-9a-f]{2}([-:])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/;

/**
 * The settings of a bridge.
 * @throws PythonError (AttributeError) for settings that cannot be
 */
export function bridgeSettings(opts: Dict, iface: string): Dict {
  const out: Dict = new Map();
  const ports = opts.get('ports');
  if (ports !== undefined) out.set('ports', Array.isArray(ports) ? joinTexts(ports, ' ') : ports);
  const add = (
    names: readonly string[],
    expected: string,
    check: (value: Value) => Value | undefined,
  ): void => {
    for (const name of names) {
      const given = opts.get(name);
      if (given === undefined) continue;
      const value = check(given);
      if (value === undefined) throw wrongOption(iface, name, [expected]);
      out.set(name, value);
    }
  };
  add(['ageing', 'fd', 'gcint', 'hello', 'maxage'], 'float', (value) =>
    isFloatText(value) ? value : undefined,
  );
  add(['bridgeprio', 'maxwait'], 'integer', (value) => (isPyInt(value) ? value : undefined));
  add(['hw'], 'valid MAC address', (value) =>
    HARDWARE_ADDRESS.test(textOf(value, 'lower').toLowerCase()) ? value : undefined,
  );
  add(['pathcost', 'portprio'], 'interface integer', portNumber);
  const stp = opts.get('stp');
  if (stp !== undefined) {
    const isOn = switchOf(stp);
    if (isOn === undefined) throw wrongOption(iface, 'stp', SWITCH);
    out.set('stp', isOn ? 'on' : 'off');
  }
  const wait = opts.get('waitport');
  if (wait !== undefined) out.set('waitport', waitPort(wait, iface));
  return out;
}

const isPyInt = (value: Value): boolean => typeof value === 'boolean' || isInt(value);

/** @throws PythonError (AttributeError) for what has no methods of a text */
function textOf(value: Value, method: string): string {
  if (typeof value === 'string') return value;
  throw settingError(`'${pyTypeName(value)}' object has no attribute '${method}'`);
}

/** A port and its number. */
function portNumber(value: Value): string | undefined {
  const [port, number, more] = pythonWords(textOf(value, 'split'));
  if (port === undefined || number === undefined || more !== undefined) return undefined;
  return isWhole(number) ? `${port} ${number}` : undefined;
}

/** Seconds, and for which interfaces. Salt names the option before it in its sentence. */
function waitPort(value: Value, iface: string): Value {
  if (isPyInt(value)) return value;
  const [seconds, ...interfaces] = pythonWords(textOf(value, 'split'));
  if (seconds === undefined) throw new PythonError('IndexError', 'pop from empty list');
  if (!/^\p{Nd}+$/u.test(seconds) || interfaces.length === 0)
    throw wrongOption(iface, 'portprio', ['integer [interfaces]']);
  return [seconds, ...interfaces].join(' ');
}
