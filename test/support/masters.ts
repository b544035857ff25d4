/** Several masters with one key pair and one minion between them. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Fleet, type Daemon } from './fleet.ts';
import { halt } from './halt.ts';

/** A master of its own folder and ports. */
export interface OneOfMany {
  readonly fleet: Fleet;
  /** `127.0.0.1:<request port>` */
  readonly address: string;
}

/**
 * Starts masters that share their key pair, as minions with several masters demand without signed keys.
 * @param own further options of each, from its address
 */
export async function startMasters(
  t: TestContext,
  count: number,
  options: readonly string[] = ['auto_accept: True'],
  own: (address: string) => readonly string[] = () => [],
): Promise<OneOfMany[]> {
  const masters: OneOfMany[] = [];
  for (let index = 0; index < count; index++) {
    const fleet = await Fleet.create(t);
    const address = `127.0.0.1:${fleet.retPort}`;
    fleet.configureMaster([...options, ...own(address)]);
    const first = masters[0]?.fleet;
    if (first !== undefined) copyKey(first, fleet);
    await fleet.startMaster();
    masters.push({ fleet, address });
  }
  return masters;
}

/** Gives a master the key pair of another one. */
export function copyKey(from: Fleet, to: Fleet): void {
  mkdirSync(to.path('m', 'pki'), { recursive: true, mode: 0o700 });
  for (const name of ['master.pem', 'master.pub'])
    cpSync(join(from.masterDir, 'pki', name), join(to.masterDir, 'pki', name));
}

/** Stops or continues a master's whole tree of processes, as if its machine stood still. */
export function signalTree(master: Daemon, signal: NodeJS.Signals): void {
  const pids = [...master.children().values(), master.child.pid ?? 0];
  for (const pid of pids)
    if (signal === 'SIGSTOP') halt(pid);
    else process.kill(pid, signal);
}
