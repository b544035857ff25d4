/**
 * Masters of a cluster without the rest of them: what each makes of the stream of calls while NATS servers end, stand
 * still and have no room. It is the same calls in the same order, and everything that was acknowledged.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { Secret } from '../../src/host/secret.ts';
import { firstFields, clientOf } from '../../src/network/ipc/contract.ts';
import { jobStore } from '../../src/network/ipc/contracts/job-store.ts';
import { dict } from '../../src/python/values/value.ts';
import { CallSpool } from '../../src/runtime/cluster/call-spool.ts';
import { JobCalls } from '../../src/runtime/cluster/job-calls.ts';
import { ClusterLink } from '../../src/runtime/cluster/link.ts';
import { clusterNames } from '../../src/runtime/cluster/names.ts';
import { StreamPosition } from '../../src/runtime/cluster/position-file.ts';
import { ClusterSeal } from '../../src/runtime/cluster/seal.ts';
import { caughtUp, SmallDisk } from '../support/cluster/small-disk.ts';
import { CHOICE_MS, startNats, untilComplete } from '../support/cluster/stage.ts';
import type { DatabaseServer } from '../support/database-servers.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;
const ROUNDS = Number(process.env['BRINE_ROUNDS'] ?? 2);
const NAMES = clusterNames('faults');
const SEAL = new ClusterSeal(new Secret(Buffer.alloc(56, 7).toString('base64')));
/** True, as an answer. */
const TRUE = Buffer.of(0xc3);
const PAUSE_MS = 5;
const FAULT_MS = 3_000;
const CAUGHT_UP_MS = 15_000;
const SAME_MS = 20_000;

/** A master's part that makes calls, as often as it is started anew. */
class Member {
  /** The jids of what it made, in order; what is made again after a new start changes nothing. */
  readonly made = new Set<string>();
  readonly acknowledged: string[] = [];
  readonly #folder: string;
  readonly #name: string;
  readonly #access: { readonly servers: readonly string[] };
  #parts: { readonly jobs: JobCalls; readonly link: ClusterLink } | undefined;
  #given = 0;

  constructor(folder: string, name: string, servers: readonly DatabaseServer[]) {
    this.#folder = folder;
    this.#name = name;
    this.#access = { servers: servers.map(({ port }) => `nats://127.0.0.1:${port}`) };
  }

  async start(): Promise<void> {
    const link = await openLink(this.#access, this.#name);
    const jobs = new JobCalls({
      ...NAMES.jobs,
      link,
      seal: SEAL,
      member: this.#name,
      make: (call) => {
        this.made.add(String(firstFields(call, 1)[0]));
        return Promise.resolve(TRUE);
      },
      spool: new CallSpool(join(this.#folder, `spool-${this.#name}`), 1_000_000),
      position: new StreamPosition(join(this.#folder, `position-${this.#name}`), systemClock),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    });
    await jobs.start();
    this.#parts = { jobs, link };
  }

  async stop(): Promise<void> {
    const parts = this.#parts;
    this.#parts = undefined;
    await parts?.jobs.stop();
    await parts?.link.close();
  }

  /** Saves jobs, one after another. */
  async give(isOver: () => boolean): Promise<void> {
    for (; !isOver(); await systemClock.sleep(PAUSE_MS)) {
      const jobs = this.#parts?.jobs;
      if (jobs === undefined) continue;
      const jid = `${this.#name}${this.#given++}`;
      const link = { call: (...pieces: readonly Uint8Array[]) => jobs.call(Buffer.concat(pieces)) };
      await clientOf(jobStore, link)
        .saveJob({ jid, load: dict({}), minions: [] })
        .then(
          () => this.acknowledged.push(jid),
          () => undefined, // refused, or its master ended
        );
    }
  }
}

async function openLink(access: { readonly servers: readonly string[] }, name: string): Promise<ClusterLink> {
  const untilMs = systemClock.monotonicMs() + CHOICE_MS;
  for (;;) {
    try {
      return await ClusterLink.open({
        access,
        name,
        probe: NAMES.jobs.stream,
        clock: systemClock,
        log: silentLogger,
      });
    } catch (error) {
      if (systemClock.monotonicMs() > untilMs) throw error;
    }
  }
}

async function makeStreams(link: ClusterLink): Promise<void> {
  const streams = [
    { name: NAMES.jobs.stream, subjects: [NAMES.jobs.subject] },
    { name: NAMES.files.stream, subjects: [`${NAMES.files.prefix}.>`] },
    { name: NAMES.state.stream, subjects: [`${NAMES.state.prefix}.>`] },
  ];
  for (const stream of streams)
    await link.streams.ensure({ ...stream, replicas: 3, maxAgeMs: 0, perSubject: -1 });
}

/** Each ends with a server that runs on a disk with room. */
const FAULTS: ReadonlyMap<string, (server: DatabaseServer, disk: SmallDisk) => Promise<void>> = new Map([
  [
    'a server is killed',
    async (server: DatabaseServer) => {
      await server.kill();
      await systemClock.sleep(FAULT_MS);
      await server.start();
    },
  ],
  [
    'a server stands still',
    async (server: DatabaseServer) => {
      server.pause();
      await systemClock.sleep(FAULT_MS);
      server.resume();
    },
  ],
  [
    'a disk is full',
    async (server: DatabaseServer, disk: SmallDisk) => {
      disk.fill();
      await systemClock.sleep(FAULT_MS);
      disk.empty();
      await server.kill();
      await server.start();
    },
  ],
]);

test(
  'faults - masters of a cluster make the same calls in the same order, whatever becomes of NATS',
  { skip, timeout: 900_000 },
  async (t) => {
    const stage = await prepare(t);
    if (stage === undefined) return t.skip('did not run: nothing can be mounted here');
    const { servers, disks, members } = stage;
    let isOver = false;
    t.after(() => (isOver = true));
    const load = members.map((member) => member.give(() => isOver));
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, fault] of FAULTS) {
        const index = systemRandom.int(0, servers.length - 1);
        const [server, disk] = [servers[index], disks[index]];
        assert.ok(server !== undefined && disk !== undefined);
        await fault(server, disk);
        await caughtUp(servers, server, disk, CAUGHT_UP_MS);
        const restarted = members[systemRandom.int(0, members.length - 1)];
        await restarted?.stop();
        await restarted?.start();
        t.diagnostic(`${name}: ${members.map(({ made }) => made.size).join(' ')} calls were made`);
      }
    isOver = true;
    await Promise.all(load);
    const [first, ...others] = members.map(({ made }) => made);
    assert.ok(first !== undefined);
    const untilMs = systemClock.monotonicMs() + SAME_MS;
    while (others.some(({ size }) => size !== first.size) && systemClock.monotonicMs() < untilMs)
      await systemClock.sleep(PAUSE_MS);
    for (const made of others) assert.deepEqual(firstDifference([...first], [...made]), undefined);
    for (const { acknowledged } of members) {
      assert.ok(acknowledged.length > 0);
      assert.deepEqual(
        acknowledged.filter((jid) => !first.has(jid)),
        [],
      );
    }
  },
);

async function prepare(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'brine-calls-'));
  const disks = ['0', '1', '2'].flatMap((name) => SmallDisk.mount(t, join(folder, name)) ?? []);
  const members: Member[] = [];
  t.after(async () => {
    await Promise.all(members.map((member) => member.stop()));
    // what was mounted in it is gone
    rmSync(folder, { recursive: true, force: true });
  });
  if (disks.length < 3) return undefined;
  const servers = await startNats(t, 3, (index) => ['-sd', disks[index]?.folder ?? '']);
  members.push(...['a', 'b', 'c'].map((name) => new Member(folder, name, servers)));
  const link = await openLink({ servers: servers.map(({ port }) => `nats://127.0.0.1:${port}`) }, 'maker');
  await makeStreams(link);
  await link.close();
  await untilComplete(servers);
  await Promise.all(members.map((member) => member.start()));
  return { servers, disks, members };
}

/** Where two masters' calls part, with what stands around it. */
function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const at = one.findIndex((jid, index) => jid !== other[index]);
  if (at < 0 && one.length === other.length) return undefined;
  const around = (of: readonly string[]): string => of.slice(Math.max(0, at - 2), at + 4).join(' ');
  return `at ${at} of ${one.length} and ${other.length}: ${around(one)} | ${around(other)}`;
}
