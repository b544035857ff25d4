/**
 * What the interop tests share: a test for each real Salt that is found, fleets that leave no process behind whatever a
 * real daemon forgets, and watching an event bus.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import type { Dict } from '../../src/python/values/value.ts';
import {
  Fleet,
  namesIn,
  realSalt,
  runProgram,
  until,
  type Daemon,
  type Finished,
  type Programs,
} from '../support/fleet.ts';

/** The Salt versions that Brine speaks with. */
const VERSIONS = ['3006', '3007'];
const TEST_MS = 600_000;

/** Runs a test once for each version of Salt; where that version is not found, the test says so and is skipped. */
export function interop(
  name: string,
  body: (t: TestContext, real: Programs, version: string) => Promise<void>,
  timeout = TEST_MS,
): void {
  for (const version of VERSIONS) {
    const real = realSalt(version);
    const skip =
      real === undefined &&
      `did not run: no real Salt ${version} found; BRINE_REAL_SALT can name a folder with ${version}/salt-master`;
    test(`interop ${version} - ${name}`, { skip, timeout }, async (t) => {
      if (real !== undefined) await body(t, real, version);
    });
  }
}

/** A fleet whose processes are all gone after the test, also those that a killed daemon left behind. */
export async function createFleet(t: TestContext, masterOptions: readonly string[] = []): Promise<Fleet> {
  const fleet = await Fleet.create(t, masterOptions);
  t.after(() => {
    for (const pid of processesOf(fleet)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended in the meantime
      }
    }
    rmSync(fleet.folder, { recursive: true, force: true });
  });
  return fleet;
}

/** Ids of the processes whose command line names a file of this fleet. */
function processesOf(fleet: Fleet): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLine(pid).includes(`${fleet.folder}/`));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Starts a minion whose key waits, has it accepted by these programs' salt-key, and waits until the minion is ready.
 */
export async function joinThroughPending(
  fleet: Fleet,
  id: string,
  parts: { minion: Programs; keys: Programs; options?: readonly string[] },
): Promise<Daemon> {
  const daemon = fleet.startMinion(id, parts.options ?? [], parts.minion);
  await until(`the key of ${id} waits`, () => namesIn(fleet.path('m', 'pki', 'minions_pre')).includes(id));
  const accepted = await fleet.run('salt-key', ['-y', '-a', id], parts.keys);
  if (accepted.code !== 0)
    throw new Error(`${parts.keys.name} salt-key failed: ${accepted.stdout}${accepted.stderr}`);
  await daemon.logged('Minion is ready to receive requests');
  return daemon;
}

/** Ends the master and starts these programs' one on the same folder. */
export async function restartMaster(fleet: Fleet, programs: Programs): Promise<Daemon> {
  await fleet.master?.stop();
  // a real master leaves its sockets behind, which would look as if it were up
  rmSync(fleet.path('m', 'run'), { recursive: true, force: true });
  return fleet.startMaster(programs);
}

/** Runs a program on a minion's configuration. */
export function runOnMinion(
  fleet: Fleet,
  id: string,
  programs: Programs,
  [program, ...args]: [string, ...string[]],
): Promise<Finished> {
  return runProgram(join(programs.folder, program), ['-c', fleet.path(id), ...args]);
}

/** Events of a master's bus, as our reader reads them. */
export class BusWatch {
  readonly events: BusEvent[] = [];
  #reader: EventBusReader | undefined;

  /** Reads the bus of the master in this fleet until the test ends. */
  static async open(t: TestContext, fleet: Fleet): Promise<BusWatch> {
    const watch = new BusWatch();
    watch.#reader = await EventBusReader.connect(
      fleet.path('m', 'run', 'master_event_pub.ipc'),
      () => true,
      (event) => watch.events.push(event),
    );
    t.after(() => watch.#reader?.close());
    return watch;
  }

  /** The data of the first event with this tag, when it has come. */
  async event(tag: string | RegExp): Promise<Dict> {
    const find = (): BusEvent | undefined =>
      this.events.find((event) => (typeof tag === 'string' ? event.tag === tag : tag.test(event.tag)));
    await until(`the event ${String(tag)} comes`, () => find() !== undefined);
    return (find() as BusEvent).data;
  }
}

/** Asks until a minion answers: a subscription that is just being made misses what is published meanwhile. */
export async function untilAnswers(fleet: Fleet, id: string, programs: Programs): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { stdout } = await fleet.salt(['-t', '5', '--out', 'txt', id, 'test.ping'], programs);
    if (stdout.includes(`${id}: True`)) return;
    if (attempt === 4) throw new Error(`${id} does not answer: ${stdout}`);
  }
}
