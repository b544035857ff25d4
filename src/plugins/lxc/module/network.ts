/** Network cards in the configuration of containers (3006.16 salt/modules/lxc.py `_network_conf`, `_get_veths`). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { pathExists } from '../../../python/paths.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { copyValue, dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';
import { DEFAULT_NIC, type Setting } from './config.ts';

const DEFAULT_BRIDGE = 'br0';
/** What each network card has, in the order in which it is written. */
const FIELDS = ['type', 'name', 'flags', 'link', 'hwaddr', 'ipv4', 'ipv6'] as const;
/** Keys of a profile that are among the fields, or stand elsewhere. */
const KNOWN = new Set(['type', 'flags', 'name', 'gateway', 'mac', 'link', 'ipv4', 'ipv6']);
/** Where addresses of network cards made by Salt begin. */
const MAC_PREFIX = 'AC:DE:48';

/** The bridges of this machine, the one that containers are on first. */
export async function bridges(ctx: ModuleContext): Promise<string[]> {
  const { stdout } = await runAll(ctx, ['brctl', 'show']).catch(() => ({ stdout: '' }));
  const own = splitLines(stdout)
    .slice(1)
    .filter((line) => !line.startsWith(' '))
    .map((line) => line.trim().split(/\s+/)[0] ?? '');
  const interfaces = ctx.grains.get('ip_interfaces');
  const names = isDict(interfaces) ? [...interfaces.keys()].map(pyStr) : [];
  const found = names.filter(
    (name) => own.includes(name) || pathExists(`/sys/devices/virtual/net/${name}/bridge`),
  );
  const rank = (name: string): string =>
    `${name.includes('lxc') ? 'a' : name === DEFAULT_BRIDGE ? 'c' : 'z'}_${name}`;
  return [...new Set([DEFAULT_BRIDGE, ...found])].sort((a, b) => compareText(rank(a), rank(b)));
}

/** Settings of network cards, by the cards' names. */
export function nicsIn(settings: Iterable<Setting>): Map<string, Dict> {
  const nics = new Map<string, Dict>();
  let current = dict();
  for (const [key, value] of settings) {
    if (key === 'lxc.network.type') current = dict();
    if (key === 'lxc.network.name') nics.set(value, current);
    current.set(key, value);
  }
  if (nics.size === 0 && current.size > 0) nics.set(DEFAULT_NIC, current);
  return nics;
}

function randomMac(ctx: ModuleContext): string {
  const bytes = [...ctx.random.bytes(3)].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'));
  return [MAC_PREFIX, ...bytes].join(':');
}

/** What network cards are to be. */
export interface NetworkWish {
  /** The profile: settings by the cards' names. */
  readonly profile: Dict;
  /** Settings by the cards' names, over those of the profile. */
  readonly options: Dict;
}

/** The settings of all network cards, of the old ones and of those that are wanted. */
export async function networkSettings(
  ctx: ModuleContext,
  oldSettings: Iterable<Setting>,
  { profile: given, options }: NetworkWish,
): Promise<Setting[]> {
  const old = nicsIn(oldSettings);
  const profile = copyValue(given);
  if (!profile.has(DEFAULT_NIC)) profile.set(DEFAULT_NIC, dict());
  for (const [card, more] of options) {
    if (!isDict(more)) throw new SaltInvocationError('Invalid nic_opts configuration');
    const own = profile.get(card);
    profile.set(card, isDict(own) ? updateDict(own, more) : copyValue(more));
  }
  const link = (await bridges(ctx))[0] ?? DEFAULT_BRIDGE;
  const made: Setting[] = [];
  let hasGateway = false;
  const cards = [...new Set([...[...profile.keys()].map(pyStr), ...old.keys()])].sort(compareText);
  for (const card of cards) {
    const [args, opts, before] = [profile.get(card), options.get(card), old.get(card) ?? dict()];
    const field = (name: string): Value => {
      for (const source of [opts, args])
        if (isDict(source) && source.has(name)) return source.get(name) ?? null;
      return null;
    };
    if (truthy(field('disable'))) continue;
    const fallback: Readonly<Record<(typeof FIELDS)[number], string>> = {
      type: 'veth',
      name: card,
      flags: 'up',
      link,
      hwaddr: randomMac(ctx),
      ipv4: '',
      ipv6: '',
    };
    for (const name of FIELDS) {
      const said =
        name === 'name' ? card : name === 'hwaddr' ? (field('mac') ?? field('hwaddr')) : field(name);
      const value = [said, before.get(`lxc.network.${name}`) ?? null, fallback[name]].find((each) =>
        truthy(each),
      );
      if (value !== undefined) made.push([`lxc.network.${name}`, pyStr(value)]);
    }
    for (const [key, value] of isDict(args) ? args : dict())
      if (!KNOWN.has(pyStr(key)))
        made.push([`lxc.network.${pyStr(key)}`, pyStr((isDict(opts) ? opts.get(key) : undefined) ?? value)]);
    const gateway = isDict(args) ? (args.get('gateway') ?? null) : null;
    if (gateway !== null && !hasGateway) {
      made.push(['lxc.network.ipv4.gateway', pyStr(gateway)]);
      hasGateway = true;
    }
  }
  return [...nicsIn(made).values()].flatMap((nic) =>
    [...nic].map(([key, value]): Setting => [pyStr(key), pyStr(value)]),
  );
}
