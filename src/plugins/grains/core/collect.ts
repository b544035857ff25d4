/**
 * Collecting all grains of a minion.
 *
 * Every part starts at once; the order in which results are put together is Salt's (salt/loader `grains`, 3006): core
 * grains, custom grains, the other built-in ones, among them those of the grains file, and the configuration's static
 * grains over them all. A custom module with the name of a built-in one stands in its place. A part that fails is
 * logged and left out. Only name look-ups can take long; they have a time of their own, after which collection goes on
 * without them.
 */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { copyValue, dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { createGrainsContext, type GrainsContext } from './context.ts';
import { gatewayGrains } from './core/gateway.ts';
import { startNameLookups, type NameLookups } from './core/hostname.ts';
import * as identity from './core/identity.ts';
import { localeGrains } from './core/locale.ts';
import * as network from './core/network.ts';
import { osGrains } from './core/os.ts';
import { resolverGrains } from './core/resolver.ts';
import { softwareVersionGrains } from './core/software.ts';
import * as extra from './extra.ts';
import type { GrainsHost } from './host.ts';
import { nodeGrainsHost } from './node-host.ts';
import * as storage from './storage.ts';

/** Custom grains: a function of a `_grains` module. */
export interface GrainsSource {
  /** `<file>.<function>`, for messages. */
  readonly name: string;
  /** @param grains what has been collected so far; @returns a mapping, anything else is ignored */
  run(grains: Dict): Value | undefined | Promise<Value | undefined>;
}

/** What a collection needs. */
export interface CollectInput {
  /** The minion's options; `grains` among them are the static ones of the configuration. */
  readonly opts: Dict;
  readonly log: Logger;
  readonly clock: Clock;
  /** Default: this machine. */
  readonly host?: GrainsHost;
  /** Custom grains, in the order in which they run. */
  readonly custom?: readonly GrainsSource[];
  /** The grains of an earlier collection; names that cannot be looked up in time keep their value. */
  readonly previous?: Dict;
  /** How long name look-ups may hold up the collection. Default 1000. */
  readonly lookupWaitMs?: number;
  /**
   * Called once with the grains that look-ups brought after the collection had gone on without them. Without it,
   * late look-ups are cancelled.
   */
  readonly onLate?: (grains: Dict) => void;
  /** Cancels what is still running; the collection then ends with what it has. */
  readonly signal?: AbortSignal;
}

const LOOKUP_WAIT_MS = 1000;
/** Look-ups that nobody waits for any longer end after this time. */
const LOOKUP_LIMIT_MS = 30_000;

type Part = () => Dict | Promise<Dict>;

/**
 * Collects all grains.
 * @returns the grains; never rejects because a grain cannot be read
 */
export async function collectGrains(input: CollectInput): Promise<Dict> {
  const { opts, log, clock } = input;
  const ctx = createGrainsContext(input.host ?? nodeGrainsHost(), opts, log, clock, input.signal);
  const blacklist = textsOf(opts.get('grains_blacklist'));
  const recursive = opts.get('grains_deep_merge') === true;
  const lookups = startLookups(ctx, input);
  const custom = input.custom ?? [];
  const replaced = new Set(custom.map(({ name }) => moduleOf(name)));
  const parts = builtInParts(ctx, lookups.interfaces, lookups.names, lookups.wait)
    .filter(([name]) => !replaced.has(moduleOf(name)))
    .map(([name, part]) => ({ isCore: moduleOf(name) === 'core', found: attempt(ctx, name, part) }));
  await Promise.all(parts.map(({ found }) => found));

  const grains: Dict = new Map();
  const add = (found: Dict): void => {
    removeBlacklisted(found, blacklist);
    updateDict(grains, found, { recursive });
  };
  for (const { isCore, found } of parts) if (isCore) add(await found);
  for (const source of custom)
    add(await attempt(ctx, source.name, async () => asDict(await source.run(grains))));
  for (const { isCore, found } of parts) if (!isCore) add(await found);
  const fixed = opts.get('grains');
  if (isDict(fixed)) updateDict(grains, copyValue(fixed), { recursive: false });
  lookups.finish(grains);
  return grains;
}

/** The module of `<module>.<function>`. */
function moduleOf(name: string): string {
  return name.split('.', 1)[0] ?? name;
}

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.filter((x) => typeof x === 'string') : [];
}

/** Each entry of `grains_blacklist` is a glob or a regular expression for the whole name. */
function removeBlacklisted(grains: Dict, blacklist: readonly string[]): void {
  if (blacklist.length === 0) return;
  for (const key of [...grains.keys()]) {
    if (typeof key === 'string' && blacklist.some((x) => expressionMatch(key, x))) grains.delete(key);
  }
}

function asDict(value: Value | undefined): Dict {
  return isDict(value) ? copyValue(value) : new Map();
}

async function attempt(ctx: GrainsContext, name: string, part: Part): Promise<Dict> {
  try {
    return await part();
  } catch (error) {
    ctx.log.critical(`The grains of ${name} are left out: reading them failed.`, error);
    return new Map();
  }
}

/** Salt's order: the functions of salt/grains/core.py by name, then the other files by name. */
function builtInParts(
  ctx: GrainsContext,
  interfaces: Promise<network.Interfaces>,
  names: NameLookups,
  waitForNames: Promise<void>,
): (readonly [string, Part])[] {
  const afterNames = async (read: () => Dict): Promise<Dict> => {
    await waitForNames;
    return read();
  };
  const perInterface = async (grain: string, families: (4 | 6)[]): Promise<Dict> =>
    network.interfaceGrains(await interfaces, grain, families);
  return [
    ['core.append_domain', () => identity.appendDomainGrain(ctx)],
    ['core.cwd', () => identity.workingDirectoryGrain(ctx)],
    ['core.default_gateway', () => gatewayGrains(ctx)],
    ['core.dns', () => resolverGrains(ctx)],
    ['core.fqdns', () => afterNames(names.fqdns)],
    ['core.get_machine_id', () => identity.machineIdGrain(ctx)],
    ['core.get_master', () => identity.masterGrain(ctx)],
    ['core.get_server_id', () => identity.serverIdGrain(ctx)],
    ['core.hostname', () => afterNames(names.hostname)],
    ['core.hwaddr_interfaces', async () => network.hardwareAddressGrains(await interfaces)],
    ['core.id_', () => identity.idGrain(ctx)],
    ['core.ip4_interfaces', () => perInterface('ip4_interfaces', [4])],
    ['core.ip6_interfaces', () => perInterface('ip6_interfaces', [6])],
    ['core.ip_fqdn', async () => addressGrains(await interfaces, names, waitForNames)],
    ['core.ip_interfaces', () => perInterface('ip_interfaces', [4, 6])],
    ['core.kernelparams', () => identity.kernelParametersGrain(ctx)],
    ['core.locale_info', () => localeGrains(ctx)],
    ['core.os_data', () => osGrains(ctx)],
    ['core.path', () => identity.pathGrains(ctx)],
    ['core.saltversion', () => softwareVersionGrains(ctx)],
    ['disks.disks', () => storage.diskGrains(ctx)],
    ['extra.config', () => extra.grainsFileGrains(ctx)],
    ['extra.shell', () => extra.shellGrain(ctx)],
    ['extra.transactional', () => extra.transactionalGrain(ctx)],
    ['extra.uefi', () => extra.efiGrains(ctx)],
    ['fibre_channel.fibre_channel_wwns', () => storage.fibreChannelGrains(ctx)],
    ['iscsi.iscsi_iqn', () => storage.iscsiGrains(ctx)],
    ['lvm.lvm', () => storage.lvmGrains(ctx)],
    ['mdadm.mdadm', () => storage.mdadmGrains(ctx)],
    ['minion_process.grains', () => extra.processGrains(ctx)],
    ['nvme.nvme_nqn', () => storage.nvmeGrains(ctx)],
    ['opts.opts', () => extra.optionsGrain(ctx)],
    ['zfs.zfs', () => storage.zfsGrains(ctx)],
  ];
}

async function addressGrains(
  interfaces: network.Interfaces,
  names: NameLookups,
  waitForNames: Promise<void>,
): Promise<Dict> {
  await waitForNames;
  const { ip4, ip6 } = names.fqdnAddresses();
  return dict({
    ipv4: network.allAddresses(interfaces, 4, { loopback: true }),
    ipv6: network.allAddresses(interfaces, 6, { loopback: true }),
    fqdn_ip4: ip4,
    fqdn_ip6: ip6,
  });
}

interface Lookups {
  readonly interfaces: Promise<network.Interfaces>;
  readonly names: NameLookups;
  /** Resolves when the names are known or their time is over. */
  readonly wait: Promise<void>;
  /** Ends or hands over the look-ups that are still open. */
  finish(grains: Dict): void;
}

function startLookups(ctx: GrainsContext, input: CollectInput): Lookups {
  const { clock, log, onLate, signal } = input;
  const stop = new AbortController();
  const stopNow = (): void => stop.abort();
  signal?.addEventListener('abort', stopNow, { once: true });
  const limit = clock.after(LOOKUP_LIMIT_MS, stopNow, { background: true });
  const interfaces = network.readInterfaces(ctx).catch((error: unknown): network.Interfaces => {
    log.critical('The network interfaces cannot be read; their grains are empty.', error);
    return new Map();
  });
  const names = startNameLookups(ctx, interfaces, input.previous, stop.signal);
  void names.settled.then(() => {
    limit.cancel();
    signal?.removeEventListener('abort', stopNow);
  });
  const timeUp = new AbortController();
  void names.settled.then(() => timeUp.abort());
  const waitMs = input.lookupWaitMs ?? LOOKUP_WAIT_MS;
  const wait = clock.sleep(waitMs, anySignal(timeUp.signal, signal));
  const finish = (grains: Dict): void => {
    if (names.isSettled()) return;
    log.warning(
      `Looking up this machine's names took more than ${waitMs} ms; fqdn, fqdns, fqdn_ip4 and fqdn_ip6 may be ` +
        'incomplete. List the machine in /etc/hosts or set enable_fqdns_grains: False.',
    );
    if (!onLate) return stop.abort();
    const before = namesNow(names);
    void names.settled.then(() => {
      const late = changed(before, namesNow(names), input.opts, grains);
      if (late.size > 0 && !signal?.aborted) onLate(late);
    });
  };
  return { interfaces, names, wait, finish };
}

function anySignal(a: AbortSignal, b: AbortSignal | undefined): AbortSignal {
  return b ? AbortSignal.any([a, b]) : a;
}

function namesNow(names: NameLookups): Dict {
  const { ip4, ip6 } = names.fqdnAddresses();
  return new Map<Value, Value>([...names.hostname(), ...names.fqdns(), ['fqdn_ip4', ip4], ['fqdn_ip6', ip6]]);
}

/** What is new, without grains that the configuration or a blacklist decides. */
function changed(before: Dict, after: Dict, opts: Dict, grains: Dict): Dict {
  const fixed = opts.get('grains');
  const out: Dict = new Map();
  for (const [key, value] of after) {
    const isFixed = isDict(fixed) && fixed.has(key);
    const same = JSON.stringify(before.get(key)) === JSON.stringify(value);
    if (!same && !isFixed && grains.has(key)) out.set(key, value);
  }
  return out;
}
