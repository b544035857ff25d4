/**
 * `databases`: returns that a master writes to a database (`master_job_cache`), from the first that a minion sends to
 * the last that is in the database, and how long `jobs.lookup_jid` takes to read them back. Each server is set up as
 * its package does it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import { STORE_KINDS } from '../../src/plugins/registry/returner/store-kinds.generated.ts';
import { preseedKeys, swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import type { Value } from '../../src/python/values/value.ts';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
  type DatabaseServerName,
} from '../../test/support/database-servers.ts';
import { single, type Figure } from '../figure.ts';
import { Fleet } from '../fleet.ts';
import { SHARED_KEYS } from '../load/process.ts';
import { cpuSeconds } from '../processes.ts';
import { returnNumber } from '../load/returns-storm.ts';
import { SWARM_PREFIX, SWARM_SIZE, type Scenario, type ScenarioContext } from './scenario.ts';

const NAME = 'databases';
const RETURNS_IN_FLIGHT = 256;
const STORM_MS = 6_000;
const WARM_UP_MS = 2_000;
const POLL_MS = 50;
const WRITTEN_MS = 60_000;
/** In how many returns the time is given. */
const COUNT = 10_000;

interface Subject {
  readonly kind: string;
  readonly server?: DatabaseServerName;
  readonly prefix: string;
  readonly options: (place: {
    readonly folder: string;
    readonly port: number;
  }) => Record<string, string | number>;
}

const login =
  (password: string): Subject['options'] =>
  ({ port }) => ({ host: '127.0.0.1', port, user: DATABASE_USER, [password]: DATABASE_PASSWORD, db: 'salt' });

const SUBJECTS: readonly Subject[] = [
  { kind: 'mysql', server: 'mariadb', prefix: 'mysql', options: login('pass') },
  { kind: 'pgjsonb', server: 'postgres', prefix: 'returner.pgjsonb', options: login('pass') },
  { kind: 'postgres', server: 'postgres', prefix: 'returner.postgres', options: login('passwd') },
  { kind: 'redis', server: 'redis', prefix: 'redis', options: ({ port }) => ({ host: '127.0.0.1', port }) },
  { kind: 'sqlite3', prefix: 'sqlite3', options: ({ folder }) => ({ database: join(folder, 'salt.db') }) },
];

/** Returns on their way into a database, and back out of it. */
export const databases: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const figures: Figure[] = [];
    if (context.fleet.kind.name !== 'brine') return figures;
    for (const subject of SUBJECTS) {
      const isMissing = subject.server !== undefined && missingServers([subject.server]).length > 0;
      if (isMissing) context.step(`${subject.kind} is left out: ${subject.server} is not installed`);
      else figures.push(...(await measure(context, subject)));
    }
    return figures;
  },
};

async function measure(context: ScenarioContext, subject: Subject): Promise<Figure[]> {
  const undo: (() => void | Promise<void>)[] = [];
  const scope = { after: (run: () => void | Promise<void>) => void undo.push(run) };
  try {
    context.step(`${subject.kind}: starts`);
    const folder = mkdtempSync(join(tmpdir(), 'brine-db-'));
    scope.after(() => rmSync(folder, { recursive: true, force: true }));
    const server: Pick<DatabaseServer, 'port'> =
      subject.server === undefined
        ? { port: 0 }
        : await startDatabase(scope, subject.server, [], { isDurable: true });
    const options = subject.options({ folder, port: server.port });
    const store = await openStore(subject, options);
    scope.after(() => store.close());
    await store.createSchema();
    const { fleet, groups } = { fleet: context.fleet, groups: context.fleet.groups };
    const master = await Fleet.start(fleet.kind, join(folder, 'm'), groups, [
      `master_job_cache: ${subject.kind}`,
      ...Object.entries(options).map(([name, value]) => `${subject.prefix}.${name}: ${value}`),
    ]);
    scope.after(() => master.stop());
    preseedKeys(master.pkiDir, SWARM_PREFIX, SWARM_SIZE, await swarmKeys(SHARED_KEYS, context.keysDir));
    return await writeAndRead({ ...context, fleet: master }, subject.kind, store);
  } finally {
    for (const run of undo.reverse()) await run();
  }
}

async function writeAndRead(
  { fleet, load, keysDir, step }: ScenarioContext,
  kind: string,
  store: ReturnStore,
): Promise<Figure[]> {
  step(`${kind}: ${SWARM_SIZE} simulated minions join`);
  const target = { ...fleet.address, keysDir, prefix: SWARM_PREFIX, count: SWARM_SIZE };
  await load.order({ type: 'join', ...target });
  try {
    step(`${kind}: warms up`);
    await load.order({
      type: 'returns',
      durationMs: WARM_UP_MS,
      inFlight: RETURNS_IN_FLIGHT,
      baseMs: Date.now(),
    });
    const baseMs = Date.now();
    const startedMs = performance.now();
    const cpuBefore = cpuSeconds(fleet.master);
    step(`${kind}: returns are sent`);
    const order = { type: 'returns', durationMs: STORM_MS, inFlight: RETURNS_IN_FLIGHT, baseMs } as const;
    const { returns: sent } = await load.order(order);
    if (sent === undefined) throw new Error('The load process gave no result.');
    const jids = Array.from(
      { length: Math.ceil(sent.sent / SWARM_SIZE) },
      (_, n) => returnNumber(n * SWARM_SIZE, SWARM_SIZE, baseMs).jid,
    );
    await written(store, jids.at(-1) ?? '', sent.done - (jids.length - 1) * SWARM_SIZE);
    const elapsedMs = performance.now() - startedMs;
    const cpuUsed = cpuSeconds(fleet.master) - cpuBefore;
    let found = 0;
    for (const jid of jids) found += (await store.returns(jid)).size;
    const lookUpMs = await lookUp(fleet, jids[0] ?? '');
    const scenario = NAME;
    const per = (ms: number): number => (ms / 1000 / sent.done) * COUNT;
    const timed = { scenario, unit: 's', better: 'lower' } as const;
    return [
      single({ ...timed, name: `${kind}: 10,000 acknowledged` }, per(sent.elapsedMs)),
      single({ ...timed, name: `${kind}: 10,000 written` }, per(elapsedMs)),
      single(
        { scenario, name: `${kind}: master CPU per 1,000`, unit: 'CPU s', better: 'lower' },
        (cpuUsed / sent.done) * 1000,
      ),
      single({ scenario, name: `${kind}: lost`, unit: 'count', better: 'lower' }, sent.done - found),
      single({ scenario, name: `${kind}: lookup_jid of 1,000`, unit: 'ms', better: 'lower' }, lookUpMs),
    ];
  } finally {
    await load.order({ type: 'leave' });
  }
}

/** Waits until the last job has its returns; the database gets them in order. */
async function written(store: ReturnStore, jid: string, count: number): Promise<void> {
  const endMs = performance.now() + WRITTEN_MS;
  while ((await store.returns(jid)).size < count) {
    if (performance.now() > endMs) throw new Error(`${jid} has fewer than ${count} returns in the database`);
    await systemClock.sleep(POLL_MS);
  }
}

async function lookUp(fleet: Fleet, jid: string): Promise<number> {
  const startedMs = performance.now();
  const program = join(dirname(fleet.kind.salt[0] ?? ''), 'salt-run');
  const argv = [program, '-c', fleet.folder, '--out', 'json', 'jobs.lookup_jid', jid];
  const { code, stdout, stderr } = await fleet.groups.run(argv, WRITTEN_MS);
  const elapsedMs = performance.now() - startedMs;
  const size = code === 0 ? Object.keys(JSON.parse(stdout) as object).length : 0;
  if (size !== SWARM_SIZE)
    throw new Error(`jobs.lookup_jid gave ${size} of ${SWARM_SIZE} returns: ${stderr}`);
  return elapsedMs;
}

async function openStore(
  { kind: name }: Subject,
  options: Readonly<Record<string, Value>>,
): Promise<ReturnStore> {
  const kind = await STORE_KINDS.find((entry) => entry.name === name)?.load();
  if (kind === undefined) throw new Error(`there is no returner ${name}`);
  const all = new Map<string, Value>();
  for (const [option, fallback] of kind.defaults) if (fallback !== undefined) all.set(option, fallback);
  for (const [option, value] of Object.entries(options)) all.set(option, value);
  return kind.open({ options: all, timeoutMs: 10_000, connectionsMax: 1, clock: systemClock });
}
