/**
 * Reading a large job cache: a million returns over 5,000 jobs of two days. `node scripts/run-ts.mjs bench/job-lists.ts
 * [JOBS [MINIONS]]` fills one below the temporary folder, runs the built `salt-run` on it and prints how long each
 * question took in the store itself and as a command; `clean-up` forgets the first day.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobCacheDirectory } from '../src/config/job-caches.ts';
import { jidAt } from '../src/storage/jobs/jid.ts';
import { SqliteJobStore } from '../src/storage/jobs/sqlite-store.ts';
import { dict } from '../src/python/values/value.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const DAY_MS = 86_400_000;
const FUNCTIONS = ['test.ping', 'cmd.run', 'state.apply', 'grains.items', 'saltutil.find_job'];
const LIMIT_S = 1;

const [jobCount = 5000, minionCount = 200] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'brine-job-lists-'));
const directory = jobCacheDirectory(join(folder, 'cache'));
const startMs = Date.UTC(2026, 0, 1);
const jids = Array.from({ length: jobCount }, (_, n) =>
  jidAt(startMs + Math.floor((n * 2 * DAY_MS) / jobCount)),
);
const minions = Array.from(
  { length: minionCount },
  (_, n) => `minion-${String(n).padStart(4, '0')}.example.org`,
);

try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const places = ['cachedir: /cache', 'pki_dir: /pki', 'sock_dir: /s', 'log_file: /log'];
  writeFileSync(
    join(folder, 'master'),
    [`root_dir: ${folder}`, 'id: bench_master', ...places, ''].join('\n'),
  );
  const fillS = await seconds(fill);
  const files = readdirSync(directory);
  const sizeBytes = files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  const count = (jobCount * minionCount).toLocaleString('en');
  print(`${count} returns of ${jobCount} jobs in ${files.length} files, ${Math.round(sizeBytes / 1e6)} MB`);
  print(`stored in ${fillS.toFixed(1)} s, ${Math.round((jobCount * minionCount) / fillS)} a second`);
  print('');
  print('question'.padEnd(44) + 'store'.padStart(9) + 'command'.padStart(10));
  const slow = [...(await questions()), await cleanUp()].filter((isQuick) => !isQuick).length;
  print(
    slow === 0
      ? `\nEach took less than ${LIMIT_S} s in the store.`
      : `\n${slow} took longer than ${LIMIT_S} s.`,
  );
  return slow === 0 ? 0 : 1;
}

async function fill(): Promise<void> {
  const store = new SqliteJobStore({ directory });
  for (const [n, jid] of jids.entries()) {
    const fun = FUNCTIONS[n % FUNCTIONS.length] as string;
    const load = dict({
      cmd: 'publish',
      tgt: '*',
      fun,
      arg: [],
      tgt_type: 'glob',
      ret: '',
      jid,
      user: 'root',
      kwargs: {},
    });
    const writes = [store.saveJob(jid, load, minions)];
    for (const id of minions)
      writes.push(store.saveReturn({ jid, id, fun, return: `${id} says hello`, retcode: 0, success: true }));
    await Promise.all(writes);
  }
  store.checkpoint();
  await store.close();
}

/** @returns for each question whether it was quick enough */
async function questions(): Promise<boolean[]> {
  const middle = jids[Math.floor(jids.length / 2)] as string;
  const newest = jids.at(-1) as string;
  const asked: [string[], (store: SqliteJobStore) => Promise<unknown>][] = [
    [['jobs.list_jobs'], (store) => store.jobs({ withoutMinions: true })],
    [
      ['jobs.list_jobs', 'search_function=state.*'],
      (store) => store.jobs({ withoutMinions: true, wantsFun: (fun) => fun.startsWith('state.') }),
    ],
    [
      ['jobs.list_jobs', 'start_time=2026-01-02 12:00'],
      (store) => store.jobs({ withoutMinions: true, fromJid: jidAt(startMs + 1.5 * DAY_MS) }),
    ],
    [['jobs.list_jobs_filter', '50'], (store) => store.jobs({ withoutMinions: true, limit: 50 })],
    [['jobs.lookup_jid', middle], (store) => store.returns(middle)],
    [['jobs.list_job', newest], async (store) => [await store.job(newest), await store.returns(newest)]],
    [['jobs.last_run'], (store) => store.jobs({ limit: 1 })],
  ];
  const quick: boolean[] = [];
  for (const [words, ask] of asked) {
    const store = new SqliteJobStore({ directory, readOnly: true });
    const storeS = await seconds(() => ask(store));
    await store.close();
    const commandS = await seconds(() => saltRun(words));
    report(words.join(' '), storeS, commandS);
    quick.push(storeS < LIMIT_S);
  }
  return quick;
}

async function cleanUp(): Promise<boolean> {
  const store = new SqliteJobStore({ directory });
  const storeS = await seconds(() => store.removeOlderThan(startMs + DAY_MS));
  await store.close();
  report('clean-up of half of it', storeS);
  return storeS < LIMIT_S;
}

function saltRun(words: readonly string[]): void {
  const argv = [join(ROOT, 'bin', 'salt-run'), '-c', folder, ...words];
  const { status, stderr } = spawnSync(process.execPath, argv, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TZ: 'UTC' },
  });
  if (status !== 0) throw new Error(`salt-run ${words.join(' ')} ended with ${status}: ${String(stderr)}`);
}

async function seconds(work: () => unknown): Promise<number> {
  const fromMs = performance.now();
  await work();
  return (performance.now() - fromMs) / 1000;
}

function report(what: string, storeS: number, commandS?: number): void {
  const command = commandS === undefined ? '' : `${commandS.toFixed(2)} s`;
  print(what.padEnd(44) + `${storeS.toFixed(3)} s`.padStart(9) + command.padStart(10));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
