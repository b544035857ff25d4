/**
 * `cluster`: what a member of a cluster of masters gives beside a master that stands alone, in turns on one machine,
 * and what it sends to NATS: returns that it takes (one NATS server, one replica), `salt` with a minion of its own and
 * with one of another member, and the messages and bytes of each thing that members tell each other.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusWriter } from '../../src/network/events/bus-client.ts';
import { preseedKeys, swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import { dict } from '../../src/python/values/value.ts';
import { startDatabase } from '../../test/support/database-servers.ts';
import { freePort } from '../../test/support/fleet.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { Fleet, REAL_MINION } from '../fleet.ts';
import { checkReturns } from '../job-cache.ts';
import { SHARED_KEYS } from '../load/process.ts';
import { cpuSeconds, pause, until } from '../processes.ts';
import { median } from '../statistics.ts';
import { SWARM_PREFIX, type Scenario, type ScenarioContext } from './scenario.ts';

const NAME = 'cluster';
const ID = 'bench';
const SENDERS = 200;
const RETURNS_IN_FLIGHT = 256;
const STORM_MS = 4_000;
const WARM_UP_MS = 1_500;
const STORMS = 4;
const ROUND_TRIPS = 20;
const COMMAND_MS = 60_000;
/** How long nothing is done, to see what members say by themselves. */
const IDLE_MS = 5_000;
/** What was sent is in all streams by then. */
const SETTLE_MS = 2_000;
/** Minions that the cluster has never seen. */
const NEW_PREFIX = 'new-';
const EVENTS = 200;
const EVENT_BYTES = 300;
/** So long apart that each is a message of its own. */
const EVENT_PAUSE_MS = 5;
const EVENT_BYTES_MAX = 1024 * 1024;
const JOBS = 10;

/** See the head of this file. */
export const cluster: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    if (context.fleet.kind.name !== 'brine') return [];
    if (missingServers(['nats']).length > 0) {
      context.step('is left out: nats-server is not installed');
      return [];
    }
    return measure(context);
  },
};

/** NATS' own counters, from its page for monitoring. */
interface NatsFigures {
  readonly in_msgs: number;
  readonly out_msgs: number;
  readonly in_bytes: number;
  readonly out_bytes: number;
  readonly mem: number;
  readonly store: number;
  readonly kept: number;
}

type ReadNats = () => Promise<NatsFigures>;

async function measure(context: ScenarioContext): Promise<Figure[]> {
  const undo: (() => void | Promise<void>)[] = [];
  const scope = { after: (run: () => void | Promise<void>) => void undo.push(run) };
  const { fleet: alone, step } = context;
  try {
    step('NATS and two members start');
    const monitoring = await freePort();
    const nats = await startDatabase(scope, 'nats', ['-m', String(monitoring)], { isDurable: true });
    const readNats: ReadNats = () => natsFigures(monitoring);
    const folder = join(alone.folder, 'cluster');
    mkdirSync(folder);
    const a = await member(context, join(folder, 'a'), 'a', nats.port);
    scope.after(() => a.stop());
    const returns = await compareReturns(context, a);
    const b = await member(context, join(folder, 'b'), 'b', nats.port, a);
    scope.after(() => b.stop());
    return [
      ...returns,
      ...(await compareRoundTrips(context, a, b)),
      ...(await traffic({ ...context, fleet: a }, readNats)),
    ];
  } finally {
    for (const run of undo.reverse()) await run();
  }
}

/** A member that runs. @param first of a cluster that is there; without it the cluster is made */
async function member(
  { fleet: { kind, groups }, keysDir }: ScenarioContext,
  folder: string,
  name: string,
  natsPort: number,
  first?: Fleet,
): Promise<Fleet> {
  const runner = join(dirname(kind.salt[0] ?? ''), 'salt-run');
  const run = async (at: string, ...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await groups.run([runner, '-c', at, ...words], COMMAND_MS);
    if (code !== 0) throw new Error(`salt-run ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  const become = async (): Promise<void> => {
    if (first === undefined) return void (await run(folder, 'cluster.init'));
    const { fingerprint } = JSON.parse(await run(first.folder, 'cluster.status', '--out=json')) as {
      fingerprint: string;
    };
    const words = [runner, '-c', folder, 'cluster.join', `fingerprint=${fingerprint}`];
    const joining = groups.start(words, join(folder, 'join.out'));
    const asked = (): string =>
      /fingerprint=([0-9a-f:]+)/.exec(readFileSync(joining.logPath, 'utf8'))?.[1] ?? '';
    await until('The request to join', () => asked() !== '', COMMAND_MS, undefined);
    await run(first.folder, 'cluster.accept', name, `fingerprint=${asked()}`);
    await until('The end of joining', () => joining.process.exitCode !== null, COMMAND_MS);
  };
  const options = [
    `cluster: {id: ${ID}, member: ${name}, nats: ['nats://127.0.0.1:${natsPort}'], replicas: 1}`,
  ];
  const started = await Fleet.start(kind, folder, groups, options, become);
  if (first === undefined)
    preseedKeys(started.pkiDir, SWARM_PREFIX, SENDERS, await swarmKeys(SHARED_KEYS, keysDir));
  return started;
}

/** Storms of returns on the two masters in turns. */
async function compareReturns(context: ScenarioContext, a: Fleet): Promise<Figure[]> {
  const rates = new Map<Fleet, number[]>([
    [context.fleet, []],
    [a, []],
  ]);
  const cpu = new Map<Fleet, number[]>([
    [context.fleet, []],
    [a, []],
  ]);
  let lost = 0;
  let duplicates = 0;
  for (let round = 0; round <= STORMS; round++)
    for (const fleet of round % 2 === 0 ? [...rates.keys()] : [...rates.keys()].reverse()) {
      const what = fleet === a ? 'a member' : 'the single master';
      context.step(`returns to ${what}, round ${round} of ${STORMS}`);
      const { load, keysDir } = context;
      await load.order({ type: 'join', ...fleet.address, keysDir, prefix: SWARM_PREFIX, count: SENDERS });
      const baseMs = Date.now();
      const cpuBefore = cpuSeconds(fleet.master);
      const durationMs = round === 0 ? WARM_UP_MS : STORM_MS;
      const { returns } = await load.order({
        type: 'returns',
        durationMs,
        inFlight: RETURNS_IN_FLIGHT,
        baseMs,
      });
      const cpuUsed = cpuSeconds(fleet.master) - cpuBefore;
      await load.order({ type: 'leave' });
      if (returns === undefined) throw new Error('The load process gave no result.');
      const check = await checkReturns(fleet, returns, { prefix: SWARM_PREFIX, count: SENDERS, baseMs });
      lost += check.lost;
      duplicates += check.duplicates;
      if (round === 0) continue;
      rates.get(fleet)?.push(returns.done / (returns.elapsedMs / 1000));
      cpu.get(fleet)?.push((cpuUsed / returns.done) * 1000);
    }
  const [cpuAlone = [], cpuMember = []] = cpu.values();
  const cost = { scenario: NAME, unit: 'CPU s', better: 'lower' } as const;
  const [alone_ = [], member_ = []] = rates.values();
  const row = { scenario: NAME, better: 'higher' } as const;
  return [
    sampled({ ...row, name: 'returns: single master', unit: '/s' }, alone_),
    sampled({ ...row, name: 'returns: member', unit: '/s' }, member_),
    single(
      { ...row, name: 'returns: share of a single master', unit: 'ratio' },
      median(member_) / median(alone_),
    ),
    sampled({ ...cost, name: 'returns: CPU of a single master per 1,000' }, cpuAlone),
    sampled({ ...cost, name: 'returns: CPU of a member per 1,000' }, cpuMember),
    single({ scenario: NAME, name: 'lost', unit: 'count', better: 'lower' }, lost),
    single({ scenario: NAME, name: 'duplicates', unit: 'count', better: 'lower' }, duplicates),
  ];
}

/**
 * The whole `salt` process with one real minion, in turns: at a single master, at the minion's member, at the other
 * one.
 */
async function compareRoundTrips(
  { fleet: alone, rounds, step }: ScenarioContext,
  a: Fleet,
  b: Fleet,
): Promise<Figure[]> {
  await alone.minion();
  await a.minion();
  const count = rounds ?? ROUND_TRIPS;
  const times = new Map<Fleet, number[]>([
    [alone, []],
    [a, []],
    [b, []],
  ]);
  for (let round = 0; round <= count; round++) {
    step(`salt, round ${round} of ${count}`);
    for (const [fleet, samples] of times) {
      const { elapsedMs, stdout, stderr, code } = await fleet.salt([REAL_MINION, 'test.ping']);
      if (!stdout.includes('True')) throw new Error(`salt ended with ${code}: ${stdout}${stderr}`);
      if (round > 0) samples.push(elapsedMs);
    }
  }
  await a.stopMinion();
  await alone.stopMinion();
  const [atAlone = [], atA = [], atB = []] = times.values();
  const row = { scenario: NAME, unit: 'ms', better: 'lower' } as const;
  return [
    sampled({ ...row, name: 'salt: single master' }, atAlone),
    sampled({ ...row, name: 'salt: member with the minion' }, atA),
    sampled({ ...row, name: 'salt: another member' }, atB),
    single({ ...row, name: 'salt: more than a single master' }, median(atA) - median(atAlone)),
    single({ ...row, name: 'salt: more for a minion of another master' }, median(atB) - median(atA)),
  ];
}

/** Messages and bytes that NATS gets, of each thing that two members tell each other. */
async function traffic(context: ScenarioContext, readNats: ReadNats): Promise<Figure[]> {
  const { fleet, load, keysDir, step } = context;
  const figures: Figure[] = [];
  const row = { scenario: NAME, better: 'none' } as const;
  let idle = { in_msgs: 0, in_bytes: 0 };
  /** @param each of how many things */
  const note = async (what: string, count: number, work: () => Promise<unknown>): Promise<void> => {
    step(`NATS: ${what}`);
    const before = await readNats();
    const startedMs = performance.now();
    await work();
    await pause(SETTLE_MS);
    const seconds = (performance.now() - startedMs) / 1000;
    const after = await readNats();
    const of = (name: 'in_msgs' | 'in_bytes'): number =>
      (after[name] - before[name] - idle[name] * seconds) / count;
    figures.push(
      single({ ...row, name: `NATS: messages in, ${what}`, unit: 'count' }, of('in_msgs')),
      single({ ...row, name: `NATS: bytes in, ${what}`, unit: 'bytes' }, of('in_bytes')),
      single(
        { ...row, name: `NATS: bytes kept, ${what}`, unit: 'bytes' },
        (after.store - before.store) / count,
      ),
    );
  };
  step('NATS: nothing is done');
  const before = await readNats();
  await pause(IDLE_MS);
  const after = await readNats();
  const perSecond = (name: 'in_msgs' | 'in_bytes'): number => ((after[name] - before[name]) / IDLE_MS) * 1000;
  idle = { in_msgs: perSecond('in_msgs'), in_bytes: perSecond('in_bytes') };
  figures.push(
    single({ ...row, name: 'NATS: messages in per second, idle, two members', unit: 'count' }, idle.in_msgs),
    single({ ...row, name: 'NATS: bytes in per second, idle, two members', unit: 'bytes' }, idle.in_bytes),
  );
  const target = { ...fleet.address, keysDir, prefix: NEW_PREFIX, count: SENDERS };
  await note(`${SENDERS} new minions join`, 1, () => load.order({ type: 'join', ...target }));
  await note(`a job and its ${SENDERS} returns`, JOBS, async () => {
    for (let job = 0; job < JOBS; job++) await fleet.salt([`${NEW_PREFIX}*`, 'test.ping']);
  });
  const writer = new EventBusWriter({
    path: join(fleet.sockDir, 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: EVENT_BYTES_MAX,
    queueBytesMax: EVENT_BYTES_MAX,
  });
  writer.open();
  await note(`${EVENTS} events of ${EVENT_BYTES} bytes`, 1, async () => {
    for (let event = 0; event < EVENTS; event++) {
      writer.fire('bench/cluster', dict({ text: 'x'.repeat(EVENT_BYTES) }));
      await pause(EVENT_PAUSE_MS);
    }
  });
  writer.close();
  await load.order({ type: 'leave' });
  const { mem, store, kept } = await readNats();
  figures.push(
    single({ ...row, name: 'NATS: memory', unit: 'MB' }, mem / 1e6),
    single({ ...row, name: 'NATS: kept on the disk', unit: 'MB' }, store / 1e6),
    single({ ...row, name: 'NATS: messages kept', unit: 'count' }, kept),
  );
  return figures;
}

async function natsFigures(port: number): Promise<NatsFigures> {
  const read = async (page: string): Promise<Record<string, number>> =>
    (await (await fetch(`http://127.0.0.1:${port}/${page}`)).json()) as Record<string, number>;
  const [varz, jsz] = await Promise.all([read('varz'), read('jsz')]);
  const of = (from: Record<string, number>, name: string): number => from[name] ?? 0;
  return {
    in_msgs: of(varz, 'in_msgs'),
    out_msgs: of(varz, 'out_msgs'),
    in_bytes: of(varz, 'in_bytes'),
    out_bytes: of(varz, 'out_bytes'),
    mem: of(varz, 'mem'),
    store: of(jsz, 'storage'),
    kept: of(jsz, 'messages'),
  };
}
