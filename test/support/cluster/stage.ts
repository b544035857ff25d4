/** A cluster for tests: NATS servers, masters that are members, and a way to cut each master from each server. */
import assert from 'node:assert/strict';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { systemClock } from '../../../src/host/clock.ts';
import { startDatabase, type DatabaseServer } from '../database-servers.ts';
import { Fleet, freePort } from '../fleet.ts';
import { ClockFile } from './clock-file.ts';

const CLUSTER = 'faults';
const FINGERPRINT = /fingerprint=[0-9a-f:]+/;
/** NATS chooses a new leader within nine seconds; the rest is for a busy machine. */
export const CHOICE_MS = 20_000;
const COMPLETE_MS = 60_000;
/**
 * A question that waits for a minion which is on its way to another master does not hold up the next. Few at a time: a
 * real Salt's minion starts a process for each, and would have no time left to answer any.
 */
const ASK_AGAIN_MS = 1_500;
const QUESTIONS_AT_ONCE = 2;
/** Within this all are to answer on a machine that does nothing else. */
const SLOW_MS = 5_000;
/** Characters of a master's log in a message about it. */
const LOG_SHOWN = 3_000;

/** One master of the cluster. */
export interface MemberMaster {
  readonly name: string;
  readonly fleet: Fleet;
  /** Its ways to the NATS servers. */
  readonly relays: readonly Relay[];
  /** What it takes the time from, where that can be set. */
  readonly clock: ClockFile | undefined;
}

/** Passes bytes on until it is cut. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(to: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connectSocket(to, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  /** Listens on a port of the system's choice. */
  static async open(t: TestContext, to: number): Promise<Relay> {
    const relay = new Relay(to);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      relay.cut();
      relay.#server.close();
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }
}

/** Starts NATS servers that are one cluster. @param more further words for the command line of each, by its number */
export async function startNats(
  t: TestContext,
  count: number,
  more: (index: number) => readonly string[] = () => [],
): Promise<DatabaseServer[]> {
  if (count === 1) return [await startDatabase(t, 'nats', more(0))];
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  const address = (port: number): string => `nats://127.0.0.1:${port}`;
  return Promise.all(
    ports.map((port, index) =>
      startDatabase(t, 'nats', [
        ...['-n', `n${index}`, '--cluster_name', CLUSTER, '--cluster', address(port), '--no_advertise'],
        ...['--routes', ports.map(address).join(','), ...more(index)],
      ]),
    ),
  );
}

/**
 * Waits until every server has all that the streams have: before that, the death of another one is the death of the
 * majority.
 */
export async function untilComplete(
  servers: readonly DatabaseServer[],
  atMostMs = COMPLETE_MS,
): Promise<void> {
  const nats = await connect({ servers: servers.map(({ port }) => `127.0.0.1:${port}`) });
  const untilMs = systemClock.monotonicMs() + atMostMs;
  try {
    for (const kind of ['JOBS', 'FILES', 'STATE']) {
      for (;;) {
        const info = await jetstreamManager(nats)
          .then((manager) => manager.streams.info(`BRINE_${CLUSTER}_${kind}`))
          .catch(() => undefined);
        const replicas = info?.cluster?.replicas ?? [];
        const isComplete = replicas.every(({ current, offline }) => current && offline !== true);
        if (replicas.length === servers.length - 1 && isComplete) break;
        assert.ok(systemClock.monotonicMs() < untilMs, `${kind}: ${JSON.stringify(info?.cluster)}`);
      }
    }
  } finally {
    await nats.close();
  }
}

/** Makes the cluster on the first master, joins the others, and starts all. */
export async function startMembers(
  t: TestContext,
  servers: readonly DatabaseServer[],
  names: readonly string[],
  options: readonly string[] = [],
): Promise<MemberMaster[]> {
  const members = await Promise.all(names.map((name) => memberOf(t, servers, name, options)));
  for (const { fleet, clock } of members) fleet.masterEnv = clock?.env ?? process.env;
  const [first, ...further] = members;
  if (first === undefined) return [];
  const untilMs = systemClock.monotonicMs() + CHOICE_MS;
  let made = '';
  // the servers first have to find each other
  while (!FINGERPRINT.test(made)) {
    const { stdout, stderr } = await first.fleet.run('salt-run', ['cluster.init']);
    made = stdout;
    assert.ok(systemClock.monotonicMs() < untilMs, stdout + stderr);
  }
  await first.fleet.startMaster();
  for (const { name, fleet } of further) {
    const words = ['-c', fleet.masterDir, 'cluster.join', FINGERPRINT.exec(made)?.[0] ?? ''];
    const joining = fleet.start('salt-run', words);
    await joining.logged('fingerprint=');
    await first.fleet.run('salt-run', ['cluster.accept', name, FINGERPRINT.exec(joining.log)?.[0] ?? '']);
    assert.equal(await joining.exited, 0, joining.log);
    await fleet.startMaster();
  }
  return members;
}

async function memberOf(
  t: TestContext,
  servers: readonly DatabaseServer[],
  name: string,
  options: readonly string[],
): Promise<MemberMaster> {
  const relays = await Promise.all(servers.map(({ port }) => Relay.open(t, port)));
  const nats = relays.map(({ port }) => `'nats://127.0.0.1:${port}'`).join(', ');
  const replicas = servers.length < 3 ? ', replicas: 1' : '';
  const fleet = await Fleet.create(t);
  const address = `'127.0.0.1:${fleet.retPort}'`;
  fleet.configureMaster([
    `cluster: {id: ${CLUSTER}, member: ${name}, minion_address: ${address}, nats: [${nats}]${replicas}}`,
    ...options,
  ]);
  return { name, fleet, relays, clock: ClockFile.at(fleet.path('clock')) };
}

/** Ends a master as a lack of memory would, with all of its processes. */
export async function killMaster({ fleet }: MemberMaster): Promise<void> {
  const { master } = fleet;
  if (master === undefined) return;
  const pids = [...master.children().values()];
  process.kill(master.child.pid ?? 0, 'SIGKILL');
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // has ended with its parent
    }
  }
  await master.exited;
}

/** Minions, all or of these, that answer `test.ping` on a master, in order; or what the command said instead. */
export async function pinged(fleet: Fleet, ids?: readonly string[]): Promise<string> {
  const target = ids === undefined ? ['*'] : ['-L', ids.join(',')];
  const words = ['-t', '2', '--gather-job-timeout', '2', ...target, 'test.ping', '--out=json', '--static'];
  const { stdout, stderr } = await fleet.run('salt', words);
  try {
    const answers = JSON.parse(stdout) as Record<string, unknown>;
    return Object.keys(answers)
      .filter((id) => answers[id] === true)
      .sort()
      .join(' ');
  } catch {
    return stdout + stderr;
  }
}

/**
 * Asks with `test.ping` on a master, again and again, until all of these answer one question, whoever else does.
 * @param tellSlow is told of each answer that came later than five seconds after the first question @returns how long
 *   it took, ms
 */
export async function untilAllAnswer(
  fleet: Fleet,
  ids: readonly string[],
  atMostMs: number,
  tellSlow: (said: string) => void = () => undefined,
): Promise<number> {
  const fromMs = systemClock.monotonicMs();
  const tookMs = (): number => Math.round(systemClock.monotonicMs() - fromMs);
  const expected = [...ids].sort().join(' ');
  const questions = new Set<Promise<void>>();
  let answeredMs: number | undefined;
  let last = '';
  const ask = async (): Promise<void> => {
    const askedMs = tookMs();
    last = await pinged(fleet, ids);
    if (tookMs() > SLOW_MS) tellSlow(`asked after ${askedMs} ms, answered after ${tookMs()} ms: ${last}`);
    if (last === expected) answeredMs ??= tookMs();
  };
  while (answeredMs === undefined) {
    assert.ok(
      tookMs() < atMostMs,
      `after ${tookMs()} ms: ${last} instead of ${expected}\n${fleet.master?.log.slice(-LOG_SHOWN) ?? ''}`,
    );
    if (questions.size < QUESTIONS_AT_ONCE) {
      const question = ask().finally(() => questions.delete(question));
      questions.add(question);
    }
    await Promise.race([...questions, systemClock.sleep(ASK_AGAIN_MS)]);
  }
  await Promise.all(questions);
  return answeredMs;
}
