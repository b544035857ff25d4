/** The settings of bonds on Debian. Follows 3006.16 salt/modules/debian_ip.py `_parse_settings_bond`. */
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import { bondMode, HASHES, isIn, isWhole, joinTexts, SWITCH, switchOf, wrongOption } from '../settings.ts';

const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['ad_select', '0'],
  ['miimon', '100'],
  ['arp_interval', '250'],
  ['downdelay', '200'],
  ['lacp_rate', '0'],
  ['updelay', '0'],
  ['use_carrier', 'on'],
]);

/** Puts one kind of setting into a bond. */
type Step = (bond: Dict, opts: Dict, iface: string) => void;

const numbers =
  (...names: readonly string[]): Step =>
  (bond, opts, iface) => {
    for (const name of names) {
      const value = opts.get(name) ?? (opts.has(name) ? null : pyStr(DEFAULTS.get(name) ?? null));
      if (!isWhole(value)) throw wrongOption(iface, name, ['integer']);
      bond.set(name, value);
    }
  };
const monitor = numbers('miimon', 'downdelay', 'updelay');

const targets: Step = (bond, opts, iface) => {
  const given = opts.get('arp_ip_target');
  if (!Array.isArray(given) || given.length < 1 || given.length > 16)
    throw wrongOption(iface, 'arp_ip_target', ['list of ips (up to 16)']);
  bond.set('arp_ip_target', joinTexts(given, ','));
};

const carrier: Step = (bond, opts, iface) => {
  const given = opts.get('use_carrier');
  const isOn = given === undefined ? undefined : switchOf(given);
  if (given !== undefined && isOn === undefined) throw wrongOption(iface, 'use_carrier', SWITCH);
  bond.set('use_carrier', isOn === undefined ? 'on' : isOn ? '1' : '0');
};

const primary: Step = (bond, opts) => {
  const given = opts.get('primary');
  if (given !== undefined) bond.set('primary', given);
};

const hash: Step = (bond, opts, iface) => {
  const given = opts.get('hashing-algorithm');
  if (given === undefined) return;
  if (!isIn(HASHES, given)) throw wrongOption(iface, 'hashing-algorithm', HASHES);
  bond.set('xmit_hash_policy', given);
};

const LACP_RATES: ReadonlyMap<Value, string> = new Map([
  ['fast', '1'],
  ['slow', '0'],
]);

const aggregation: Step = (bond, opts, iface) => {
  const given = opts.get('lacp_rate');
  const rate =
    given === undefined ? pyStr(DEFAULTS.get('lacp_rate') ?? null) : (LACP_RATES.get(given) ?? given);
  if (!isWhole(rate)) throw wrongOption(iface, 'lacp_rate', ['fast', '1', 'slow', '0']);
  bond.set('lacp_rate', rate);
  numbers('ad_select')(bond, opts, iface);
};

/** What each mode has, by its number. */
const STEPS: readonly (readonly Step[])[] = [
  [targets, numbers('arp_interval')],
  [monitor, primary, carrier],
  [targets, numbers('arp_interval'), hash],
  [monitor, carrier],
  [monitor, aggregation, carrier, hash],
  [monitor, carrier, primary],
  [monitor, carrier, primary],
];

/**
 * The settings of a bond, in the order in which a file of modprobe has them.
 * @param knowsCarrier whether `use_carrier` is written for an active backup, which a newer Ubuntu does not take
 * @throws PythonError (AttributeError) for settings that cannot be
 */
export function bondSettings(opts: Dict, iface: string, knowsCarrier: boolean): Dict {
  const mode = bondMode(opts, iface);
  const bond = dict({ mode: String(mode) });
  for (const step of STEPS[mode] ?? [])
    if (knowsCarrier || mode !== 1 || step !== carrier) step(bond, opts, iface);
  return bond;
}

/** The file of modprobe for a bond. */
export function bondText(iface: string, bond: Dict): string {
  const options = [...bond].map(([key, value]) => `${pyStr(key)}=${pyStr(value)} `);
  return `alias ${iface} bonding\noptions ${iface} ${options.join('')}`;
}
