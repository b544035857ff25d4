/** What the configuration says of the daemons on one folder, as far as a takeover needs it. */
import { lookup } from 'node:dns/promises';
import { loadMasterConfig, loadMinionConfig } from '../../config/load.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Environment } from '../../config/paths.ts';
import { tcpSocketsOf } from '../../host/tcp-sockets.ts';
import { parseMasterAddress } from '../../programs/minion/master-address.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { textDigest } from './key-digests.ts';
import type { RunningDaemon } from './daemons-here.ts';

const REQUEST_PORT = 4506;

/** The options of the daemons, read when they are asked for: a way back must not need them all. */
export class Site {
  readonly configDir: string;
  readonly #env: Environment;

  constructor(configDir: string, env: Environment) {
    this.configDir = configDir;
    this.#env = env;
  }

  /** @throws ConfigError */
  get master(): MasterOptions {
    return loadMasterConfig({ configDir: this.configDir, env: this.#env });
  }

  /** @throws ConfigError */
  get minion(): MinionOptions {
    return loadMinionConfig({ configDir: this.configDir, env: this.#env });
  }

  /** The ports that the daemon has and whoever takes its place must have. */
  portsOf({ role, pids }: RunningDaemon): number[] {
    const { listening } = tcpSocketsOf(pids);
    if (role === 'api') return [...listening];
    if (role !== 'master') return []; // engines may listen, and are told of by the check
    const own = [this.master.get('publish_port'), this.master.get('ret_port')];
    return own.filter((port) => listening.includes(port));
  }

  /** Whether a minion or a syndic is connected to a master that publishes to it. */
  async hasSession({ role, pids }: RunningDaemon): Promise<boolean> {
    if (role !== 'minion' && role !== 'syndic') return false;
    const [masters, requestPort] =
      role === 'minion'
        ? [this.minion.raw('master'), this.minion.get('master_port')]
        : [
            this.master.raw('syndic_master'),
            toNumber(this.master.raw('syndic_master_port') ?? null) ?? REQUEST_PORT,
          ];
    const { connectedTo } = tcpSocketsOf(pids);
    const addresses = await addressesOf(masters, requestPort);
    return connectedTo.some(
      ({ address, port }) => port !== requestPort && (addresses.size === 0 || addresses.has(address)),
    );
  }

  /** The accepted keys of a master: a digest of each, by minion. */
  acceptedKeys(): Map<string, string> {
    const folder = join(this.master.get('pki_dir'), 'minions');
    const names = namesIn(folder).filter((name) => !name.startsWith('.'));
    return new Map(names.map((name) => [name, textDigest(join(folder, name))]));
  }

  /** Returns of a minion of Brine that no master has taken yet. */
  returnsWaiting(): number {
    return namesIn(join(this.minion.get('cachedir'), 'returns')).length;
  }
}

/** IPv4 addresses of the masters; none where they cannot be told. */
async function addressesOf(masters: Value | undefined, port: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const entry of Array.isArray(masters) ? masters : [masters]) {
    try {
      const { host } = parseMasterAddress(entry, port);
      for (const { address, family } of await lookup(host, { all: true }))
        if (family === 4) found.add(address);
        else return new Set(); // written in another way where it is seen
    } catch {
      // no name of a host: a service, or what a function says
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
