/**
 * The addresses behind the `master` option: hosts, and names of lists that are read anew each time they are needed: a
 * file (`/etc/salt/masters`, one address per line), or a DNS service (`_salt-master._tcp.example.org`, RFC 2782). Salt
 * 3006.16 knows only hosts.
 */
import { readFileSync } from 'node:fs';
import type { MinionOptions } from '../../../config/minion-options.ts';
import { ConfigError, messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { NameService, ServiceRecord } from '../../../host/dns.ts';
import type { Logger } from '../../../host/log.ts';
import { rareLog } from '../../../host/rare-lines.ts';
import type { Random } from '../../../host/random.ts';
import type { Value } from '../../../python/values/value.ts';
import { addressName, parseMasterAddress, type MasterAddress } from '../master-address.ts';

/** More addresses than this in one list are a mistake. */
const ADDRESSES_MAX = 256;

/** What discovery needs. */
export interface MasterDiscoveryDeps {
  readonly opts: MinionOptions;
  readonly names: NameService;
  readonly random: Random;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

/** Looks masters up; a list that cannot be had now counts as it was last. */
export class MasterDiscovery {
  readonly #deps: MasterDiscoveryDeps;
  readonly #last = new Map<string, readonly MasterAddress[]>();

  constructor(deps: MasterDiscoveryDeps) {
    // a list that is not there is looked at again every few seconds
    this.#deps = { ...deps, log: rareLog(deps.log, deps.clock) };
  }

  /** Whether an entry names a list, whose masters may change while the minion runs. */
  static isList(entry: Value): boolean {
    return typeof entry === 'string' && (isFile(entry.trim()) || isService(entry.trim()));
  }

  /**
   * @param entries what the configuration says
   * @returns each master once, in the order of the entries; empty when lists are all there is and none can be had
   * @throws ConfigError for an entry that is no address
   */
  async addresses(entries: readonly Value[]): Promise<MasterAddress[]> {
    const found = await Promise.all(entries.map((entry) => this.#of(entry)));
    const byName = new Map(found.flat().map((address) => [addressName(address), address]));
    return [...byName.values()].slice(0, ADDRESSES_MAX);
  }

  async #of(entry: Value): Promise<readonly MasterAddress[]> {
    const port = this.#deps.opts.get('master_port');
    if (typeof entry !== 'string' || !MasterDiscovery.isList(entry)) return [parseMasterAddress(entry, port)];
    const name = entry.trim();
    try {
      const addresses = isFile(name) ? fromFile(name, port) : await this.#fromService(name);
      if (addresses.length > 0) this.#last.set(name, addresses);
      else this.#deps.log.error(`The list of masters ${name} is empty.`);
    } catch (error) {
      const { log } = this.#deps;
      log.error(`The list of masters ${name} cannot be read: ${messageOf(error)}`, error);
    }
    return this.#last.get(name) ?? [];
  }

  async #fromService(name: string): Promise<MasterAddress[]> {
    const records = await this.#deps.names.service(name);
    return inServiceOrder(records, this.#deps.random)
      .filter(({ host }) => host !== '' && host !== '.')
      .map(({ host, port }) => ({ host: host.replace(/\.$/, ''), port }));
  }
}

/** Lower priorities first; among equals by lot, heavier ones more often. */
export function inServiceOrder(records: readonly ServiceRecord[], random: Random): ServiceRecord[] {
  const left = [...records].sort((a, b) => a.priority - b.priority || a.weight - b.weight);
  const out: ServiceRecord[] = [];
  while (left.length > 0) {
    const equals = left.filter(({ priority }) => priority === left[0]?.priority);
    let lot = random.fraction() * equals.reduce((sum, { weight }) => sum + weight, 0);
    const chosen = equals.find(({ weight }) => (lot -= weight) < 0) ?? equals[0];
    if (chosen === undefined) break;
    out.push(chosen);
    left.splice(left.indexOf(chosen), 1);
  }
  return out;
}

function isFile(name: string): boolean {
  return name.startsWith('/') || name.startsWith('file:');
}

function isService(name: string): boolean {
  return /^_[^.]+\._(tcp|udp)\./.test(name);
}

function fromFile(name: string, port: number): MasterAddress[] {
  const path = name.startsWith('file:') ? name.replace(/^file:(\/\/)?/, '') : name;
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') return [];
    try {
      return [parseMasterAddress(text, port)];
    } catch {
      throw new ConfigError(`line ${index + 1} is no address: ${JSON.stringify(text)}`);
    }
  });
}
