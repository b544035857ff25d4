/**
 * Three masters, minions that know all of them, and jobs all the time, while masters, NATS servers and connections die
 * in an order that a seed gives (`BRINE_SEED`). Afterwards everything is looked at (`support/cluster/evidence.ts`).
 * With `BRINE_LONG=1` twenty minutes of it, with minions of real Salts where they are found.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import {
  violationsOf,
  type Evidence,
  type GivenJob,
  type JobCacheView,
} from '../support/cluster/evidence.ts';
import { Crowd } from '../support/cluster/crowd.ts';
import {
  killMaster,
  startMembers,
  startNats,
  untilAllAnswer,
  untilComplete,
  type MemberMaster,
} from '../support/cluster/stage.ts';
import { caughtUp, SmallDisk } from '../support/cluster/small-disk.ts';
import type { DatabaseServer } from '../support/database-servers.ts';
import type { Fleet } from '../support/fleet.ts';
import { namesIn, realSalt, until, type Daemon, type Programs } from '../support/fleet.ts';

const isLong = process.env['BRINE_LONG'] === '1';
const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;
const STORM_MS = Number(process.env['BRINE_STORM_MS'] ?? (isLong ? 20 * 60_000 : 60_000));
/** What a fault's end may cost on a machine that the whole fleet shares. */
const BACK_MS = 60_000;
/** How long a disk stays full where not all answer. */
const FULL_MS = 20_000;
/** How long a server may take to get what it has missed. */
const CAUGHT_UP_MS = 30_000;
const LOAD_PAUSE_MS = 300;
/** The same where nothing else runs. */
const QUIET_BACK_MS = 5_000;
const LOG_SHOWN = 6_000;
/** Simulated minions on each master. */
const CROWD = isLong ? 100 : 5;
/** They get one job of so many. */
const CROWD_EVERY = 10;
const SERVED_BY = ['a', 'b', 'c'];

interface Storm {
  readonly t: TestContext;
  readonly servers: readonly DatabaseServer[];
  readonly members: readonly MemberMaster[];
  readonly minions: Map<string, Daemon>;
  readonly folder: string;
  readonly disks: readonly (SmallDisk | undefined)[];
  readonly crowd: Crowd;
  readonly jobs: GivenJob[];
  readonly random: () => number;
  isOver: boolean;
}

/** What came of one fault. */
interface Outcome {
  /** Whom it hit, and how it was meanwhile. */
  readonly said: string;
  /**
   * How long after its end all answered all, ms; after the death of a master, its minions the others. Undefined where
   * it did not run.
   */
  readonly backMs?: number;
}

type Fault = (storm: Storm) => Promise<Outcome>;

const FAULTS: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  ['a master is killed', async (storm) => killed(storm, pick(storm, storm.members))],
  ['the master with the duty is killed', async (storm) => killed(storm, await holder(storm))],
  ['a NATS server is killed', serverKilled],
  ['a NATS server stands still', serverPaused],
  ['a master is cut from NATS', masterCut],
  ['a minion stands still', minionPaused],
  ['the clock of a master is wrong', clockWrong],
  ['the disk of a NATS server is full', diskFull],
]);

test('faults - a storm over a cluster of masters', { skip, timeout: STORM_MS + 600_000 }, async (t) => {
  const seed = Number(process.env['BRINE_SEED'] ?? Math.floor(Math.random() * 1e9));
  t.diagnostic(`BRINE_SEED=${seed}`);
  const storm = await prepare(t, seededRandom(seed));
  t.after(() => (storm.isOver = true));
  const load = Promise.all(storm.members.map((member) => giveJobs(storm, member)));
  const deleted = await deleteKey(storm, 'gone');
  const endMs = systemClock.monotonicMs() + STORM_MS;
  const names = [...FAULTS.keys()].filter((name) => new RegExp(process.env['BRINE_FAULTS'] ?? '').test(name));
  const times = new Map<string, number[]>();
  for (let round = 0; systemClock.monotonicMs() < endMs || round < names.length; round++) {
    // each once, then as it comes
    const name = names[round] ?? pick(storm, names);
    const { said, backMs } = await (FAULTS.get(name) as Fault)(storm);
    t.diagnostic(`${name}: ${said}${backMs === undefined ? '' : `; all answer all ${backMs} ms after it`}`);
    if (backMs !== undefined) times.set(name, [...(times.get(name) ?? []), backMs]);
  }
  storm.isOver = true;
  await load;
  const violations = await untilSound(storm, deleted);
  t.diagnostic(
    `${storm.jobs.length} jobs, ${storm.jobs.filter(({ isRefused }) => isRefused).length} refused`,
  );
  for (const [name, all] of times)
    t.diagnostic(`${name}: ${all.length} times, back after ${Math.max(...all)} ms at most`);
  // all of them: what assert shows of a long list ends within the first kind
  for (const violation of violations) t.diagnostic(violation);
  for (const line of await jobsNamedIn(storm, violations)) t.diagnostic(line);
  assert.deepEqual(violations.slice(0, 20), []);
  // for a machine that does nothing else
  if (isLong)
    assert.deepEqual(
      [...times].filter(([, all]) => Math.max(...all) > QUIET_BACK_MS),
      [],
    );
});

async function prepare(t: TestContext, random: () => number): Promise<Storm> {
  const own = mkdtempSync(join(tmpdir(), 'brine-storm-'));
  const disks = ['0', '1', '2'].map((name) => SmallDisk.mount(t, join(own, name)));
  // what is mounted in it goes first
  t.after(() => rmSync(own, { recursive: true, force: true }));
  const servers = await startNats(t, 3, (index) => {
    const folder = disks[index]?.folder;
    return folder === undefined ? [] : ['-sd', folder];
  });
  const autosign = join(own, 'autosign.conf');
  writeFileSync(autosign, `${Crowd.prefix}*\n`, { mode: 0o600 });
  const members = await startMembers(t, servers, SERVED_BY, [`autosign_file: ${autosign}`]);
  const [{ fleet }] = members as [MemberMaster];
  const folder = fleet.path('ran');
  mkdirSync(folder);
  const masters = `[${members.map((member) => `'127.0.0.1:${member.fleet.retPort}'`).join(', ')}]`;
  const failover = [`master: ${masters}`, 'master_type: failover', 'master_alive_interval: 1'];
  const all = [`master: ${masters}`];
  const kinds: [string, string[], Programs?][] = [
    ['hot1', all],
    ['hot2', all],
    ['over1', failover],
    ['over2', failover],
    ['gone', all],
  ];
  for (const version of isLong ? ['3006', '3007'] : []) {
    const real = realSalt(version);
    if (real !== undefined) kinds.push([`real${version}`, all, real]);
  }
  const minions = new Map<string, Daemon>();
  for (const [id, options, programs] of kinds) minions.set(id, fleet.startMinion(id, options, programs));
  await until('the keys wait', () =>
    kinds.every(([id]) => namesIn(fleet.path('m', 'pki', 'minions_pre')).includes(id)),
  );
  await fleet.run('salt-key', ['-y', '-A']);
  const ids = kinds.map(([id]) => id);
  for (const member of members) await untilAllAnswer(member.fleet, ids, BACK_MS);
  const crowd = await Crowd.join(t, members, CROWD);
  return { t, servers, members, minions, folder, disks, crowd, jobs: [], random, isOver: false };
}

/** One job after another on one master: each appends its token to the file of the minion that runs it. */
async function giveJobs(storm: Storm, { name, fleet }: MemberMaster): Promise<void> {
  for (let number = 0; !storm.isOver; number++) {
    const token = `${name}-${number}`;
    const place = storm.jobs.push({ token, master: name, isRefused: false, returned: [] }) - 1;
    const command = `echo ${token} >> ${storm.folder}/{{ grains.id }}`;
    const target = number % CROWD_EVERY === 0 ? ['*'] : ['-E', `(?!${Crowd.prefix})`];
    const words = [...target, 'cmd.run', command, 'template=jinja', '-t', '2', '--out=json', '--static'];
    const { stdout, stderr } = await fleet.run('salt', words);
    const returned = returnedIn(stdout);
    const isRefused = returned.length === 0 && /The job was not published/.test(stdout + stderr);
    storm.jobs[place] = { token, master: name, isRefused, returned };
    await systemClock.sleep(LOAD_PAUSE_MS);
  }
}

function returnedIn(stdout: string): string[] {
  try {
    const answers = JSON.parse(stdout) as Record<string, unknown>;
    // the command writes nothing; what is false did not return
    return Object.keys(answers).filter((id) => answers[id] === '');
  } catch {
    return [];
  }
}

async function deleteKey(storm: Storm, id: string): Promise<ReadonlyMap<string, string>> {
  const { fleet } = pick(storm, storm.members);
  const { code, stdout, stderr } = await fleet.run('salt-key', ['-y', '-d', id]);
  assert.equal(code, 0, stdout + stderr);
  // the master looks for what salt-key leaves there once a second; a master that dies before is another test
  await until('the master makes a new shared key', () => !existsSync(fleet.path('m', 'cache', '.dfn')));
  // it goes on asking; those jobs that are under way were published before
  return new Map([[id, `a-${storm.jobs.filter(({ master }) => master === 'a').length}`]]);
}

async function killed(storm: Storm, member: MemberMaster): Promise<Outcome> {
  await killMaster(member);
  const others = storm.members.filter((other) => other !== member);
  const aloneMs = await allAnswer(storm, others);
  await member.fleet.startMaster();
  const backMs = await allAnswer(storm, storm.members);
  const said = `${member.name}: all answer the others after ${aloneMs} ms`;
  return { said, backMs: Math.max(aloneMs, backMs) };
}

async function serverKilled(storm: Storm): Promise<Outcome> {
  const server = pick(storm, storm.servers);
  await server.kill();
  const aloneMs = await allAnswer(storm, storm.members);
  await server.start();
  await untilComplete(storm.servers);
  return { said: `all answer all after ${aloneMs} ms`, backMs: await allAnswer(storm, storm.members) };
}

async function serverPaused(storm: Storm): Promise<Outcome> {
  const server = pick(storm, storm.servers);
  server.pause();
  const aloneMs = await allAnswer(storm, storm.members);
  server.resume();
  await untilComplete(storm.servers);
  return { said: `all answer all after ${aloneMs} ms`, backMs: await allAnswer(storm, storm.members) };
}

async function masterCut(storm: Storm): Promise<Outcome> {
  const member = pick(storm, storm.members);
  for (const relay of member.relays) relay.cut();
  const others = storm.members.filter((other) => other !== member);
  // a minion that has only the master which is cut off stays with it, for it is there
  const reachable = present(storm).filter((id) => !id.startsWith('over'));
  const aloneMs = await allAnswer(storm, others, reachable);
  const { stdout, stderr } = await member.fleet.salt(['*', 'test.ping']);
  assert.match(stdout + stderr, /cluster cannot be reached/);
  for (const relay of member.relays) relay.mend();
  const said = `${member.name}: all answer the others after ${aloneMs} ms`;
  return { said, backMs: await allAnswer(storm, storm.members) };
}

async function minionPaused(storm: Storm): Promise<Outcome> {
  // of a real Salt's minion this is the process that only looks after the other
  const id = pick(
    storm,
    present(storm).filter((one) => !one.startsWith('real')),
  );
  process.kill(storm.minions.get(id)?.child.pid ?? 0, 'SIGSTOP');
  const { stdout, stderr } = await pick(storm, storm.members).fleet.salt(['-t', '2', id, 'test.ping']);
  assert.match(stdout + stderr, /did not return|cluster cannot be reached/);
  process.kill(storm.minions.get(id)?.child.pid ?? 0, 'SIGCONT');
  return { said: id, backMs: await allAnswer(storm, storm.members) };
}

async function clockWrong(storm: Storm): Promise<Outcome> {
  const member = pick(storm, storm.members);
  if (member.clock === undefined) return { said: 'did not run: faketime is not installed' };
  const seconds = pick(storm, [-5, 5]);
  member.clock.set(seconds);
  const wrongMs = await allAnswer(storm, storm.members);
  member.clock.set(0);
  const said = `${member.name}, by ${seconds} s: all answer all after ${wrongMs} ms`;
  return { said, backMs: await allAnswer(storm, storm.members) };
}

/**
 * A leader whose disk is full may lock itself up (nats-server 2.9.10 does, by chance): while it does, jobs are refused,
 * and none of the masters hangs or loses anything. After there is room again that server has to be started anew, as the
 * guide says.
 */
async function diskFull(storm: Storm): Promise<Outcome> {
  const index = Math.floor(storm.random() * storm.servers.length);
  const [server, disk] = [storm.servers[index], storm.disks[index]];
  if (server === undefined || disk === undefined) return { said: 'did not run: nothing can be mounted here' };
  disk.fill();
  const full = await Promise.any([
    allAnswer(storm, storm.members).then((fullMs) => `all answer all after ${fullMs} ms`),
    systemClock.sleep(FULL_MS).then(() => `not all answered all within ${FULL_MS} ms`),
  ]);
  disk.empty();
  await server.kill();
  await server.start();
  const said = (await caughtUp(storm.servers, server, disk, CAUGHT_UP_MS))
    ? full
    : `${full}, and it had to begin anew`;
  return { said, backMs: await allAnswer(storm, storm.members) };
}

async function holder(storm: Storm): Promise<MemberMaster> {
  const { stdout } = await pick(storm, storm.members).fleet.run('salt-run', ['cluster.status', '--out=json']);
  const { members } = JSON.parse(stdout) as { members: Record<string, { duty?: boolean }> };
  return storm.members.find(({ name }) => members[name]?.duty === true) ?? pick(storm, storm.members);
}

function present({ minions }: Storm): string[] {
  return [...minions.keys()].filter((id) => id !== 'gone');
}

/** @returns how long it took until each of these masters had an answer of these minions, ms */
async function allAnswer(
  storm: Storm,
  members: readonly MemberMaster[],
  ids: readonly string[] = present(storm),
): Promise<number> {
  const took = await Promise.all(
    members.map(({ name, fleet }) => {
      let isLogShown = false;
      return untilAllAnswer(fleet, ids, BACK_MS, (said) => {
        storm.t.diagnostic(`slow: ${name} ${said}`);
        if (isLogShown) return;
        isLogShown = true;
        storm.t.diagnostic(fleet.master?.log.slice(-LOG_SHOWN) ?? '');
      });
    }),
  );
  return Math.max(...took);
}

/** Looks at everything until nothing is wrong; a return that waited on a disk needs its time. */
async function untilSound(storm: Storm, deleted: ReadonlyMap<string, string>): Promise<string[]> {
  const untilMs = systemClock.monotonicMs() + BACK_MS;
  for (;;) {
    const violations = violationsOf(await evidenceOf(storm, deleted));
    if (violations.length === 0 || systemClock.monotonicMs() > untilMs) return violations;
  }
}

async function evidenceOf(storm: Storm, deleted: ReadonlyMap<string, string>): Promise<Evidence> {
  const { jobs, minions, folder, members, crowd } = storm;
  const ran = new Map([...minions.keys()].map((id) => [id, linesOf(join(folder, id))]));
  for (const [id, tokens] of crowd.ran) ran.set(id, [...tokens]);
  const caches = new Map<string, JobCacheView>();
  const accepted = new Map<string, string[]>();
  for (const { name, fleet } of members) {
    caches.set(name, await jobCacheOf(fleet));
    accepted.set(name, namesIn(fleet.path('m', 'pki', 'minions')));
  }
  return { jobs, ran, acknowledged: crowd.acknowledged, caches, deleted, accepted };
}

/** What each job cache has of the jobs that these sentences name: the same job may have been saved under two ids. */
async function jobsNamedIn({ members, jobs }: Storm, sentences: readonly string[]): Promise<string[]> {
  const tokens = new Set(sentences.flatMap((sentence) => sentence.match(/\b[a-z]+-\d+\b/g) ?? []));
  if (tokens.size === 0) return [];
  const given = jobs.filter(({ token }) => tokens.has(token)).map((job) => `given: ${JSON.stringify(job)}`);
  const cached = await Promise.all(
    members.map(async ({ name, fleet }) =>
      (await jobsOf(fleet))
        .filter(({ token }) => tokens.has(token))
        .map(({ jid, token, minions }) => `${name}: ${token} ${jid} ${minions.join(' ')}`),
    ),
  );
  return [...given, ...cached.flat()];
}

/** A master's job cache, by what stands in the jobs. */
async function jobCacheOf(fleet: Fleet): Promise<JobCacheView> {
  return new Map((await jobsOf(fleet)).map(({ token, minions }) => [token, minions]));
}

interface CachedJob {
  readonly jid: string;
  readonly token: string;
  /** Minions with a return. */
  readonly minions: readonly string[];
}

/** Reads a master's job cache beside the master. */
async function jobsOf(fleet: Fleet): Promise<CachedJob[]> {
  const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
  const out: CachedJob[] = [];
  try {
    for (const { jid, load } of await store.jobs({ fun: 'cmd.run' })) {
      const [command] = load.get('arg') as readonly unknown[];
      const token = /^echo (\S+)/.exec(String(command))?.[1];
      if (token !== undefined)
        out.push({ jid, token, minions: (await store.codes(jid)).map(({ id }) => id) });
    }
  } finally {
    await store.close();
  }
  return out;
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function pick<T>({ random }: Storm, of: readonly T[]): T {
  return of[Math.floor(random() * of.length)] as T;
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
