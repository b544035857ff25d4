/** Trees of masters: a syndic beside a lower master, and the master above it. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { userInfo } from 'node:os';
import { JobPublisher } from '../../src/runtime/client/job-publisher.ts';
import { loadClientConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import type { StoredReturn } from '../../src/storage/jobs/stored-return.ts';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import type { Value } from '../../src/python/values/value.ts';
import { Daemon, Fleet, ours, type Programs } from './fleet.ts';

/** What a master above needs; `worker_threads` and the like come beside. */
export const ORDERS = ['order_masters: True', 'auto_accept: True'];

/**
 * Makes the folder of a master that a syndic will stand beside.
 * @param above `host:port` of the master above, or several
 */
export function createBelow(
  t: TestContext,
  above: readonly string[],
  options: readonly string[] = ['auto_accept: True'],
): Promise<Fleet> {
  return Fleet.create(t, [
    `syndic_master: ${above.length === 1 ? String(above[0]) : `[${above.map((one) => `'${one}'`).join(', ')}]`}`,
    ...options,
  ]);
}

/** `127.0.0.1:<request port>` */
export function addressOf(fleet: Fleet): string {
  return `127.0.0.1:${fleet.retPort}`;
}

/**
 * Writes what a syndic beside this master reads besides the master's file.
 * @param options further lines of the minion's file
 */
export function configureSyndic(below: Fleet, id: string, options: readonly string[] = []): void {
  below.write(below.masterDir, 'minion', [
    `id: ${id}`,
    `user: ${userInfo().username}`,
    `pki_dir: ${below.path('m', 'syndic-pki')}`,
    `cachedir: ${below.path('m', 'syndic-cache')}`,
    `sock_dir: ${below.path('m', 'syndic-run')}`,
    `extension_modules: ${below.path('m', 'syndic-cache', 'extmods')}`,
    "default_include: ''",
    'acceptance_wait_time: 1',
    'random_reauth_delay: 1',
    'recon_default: 100',
    'recon_max: 500',
    'enable_fqdns_grains: False',
    'enable_gpu_grains: False',
    ...options,
  ]);
}

/** Starts a syndic; it does not wait for anything. */
export function startSyndic(
  below: Fleet,
  id: string,
  options: readonly string[] = [],
  programs: Programs = ours,
): Daemon {
  configureSyndic(below, id, options);
  const files = [
    `--pid-file=${below.path('m', 'syndic-pid')}`,
    `--log-file=${below.path('m', 'log', 'syndic')}`,
  ];
  const daemon = new Daemon(`syndic ${id}`, join(programs.folder, 'salt-syndic'), [
    '-c',
    below.masterDir,
    '-l',
    'info',
    ...files,
  ]);
  below.daemons.push(daemon);
  return daemon;
}

/** Starts a syndic and waits until it is connected. */
export async function joinSyndic(
  below: Fleet,
  id: string,
  options: readonly string[] = [],
  programs: Programs = ours,
): Promise<Daemon> {
  const daemon = startSyndic(below, id, options, programs);
  await daemon.logged('Syndic successfully connected to');
  return daemon;
}

/** How many returns of a job are in the job cache of this master, by minion. */
export async function keptReturns(
  fleet: Fleet,
  jid: string,
  programs: Programs = ours,
): Promise<Record<string, unknown>> {
  const { stdout } = await fleet.run('salt-run', ['--out=json', 'jobs.lookup_jid', jid], programs);
  return JSON.parse(stdout || '{}') as Record<string, unknown>;
}

/** Waits until a job has these many returns. */
export async function untilKept(
  fleet: Fleet,
  jid: string,
  count: number,
  programs: Programs = ours,
): Promise<Record<string, unknown>> {
  let returns: Record<string, unknown> = {};
  for (let tries = 0; tries < 60; tries++) {
    returns = await keptReturns(fleet, jid, programs);
    if (Object.keys(returns).length >= count) return returns;
    await systemClock.sleep(100);
  }
  throw new Error(`job ${jid} never had ${count} returns: ${JSON.stringify(returns)}`);
}

/**
 * Publishes jobs for every minion, as fast as the master takes them.
 * @param jobs each a function and its arguments
 * @returns their ids
 */
export async function publishAll(
  fleet: Fleet,
  jobs: readonly (readonly [fun: string, ...arg: Value[]])[],
): Promise<string[]> {
  const requests = new JobPublisher({
    opts: loadClientConfig({ configDir: fleet.masterDir, env: process.env }),
    env: process.env,
    clock: systemClock,
    random: systemRandom,
  });
  try {
    const jids: string[] = [];
    for (const [fun, ...arg] of jobs)
      jids.push((await requests.publish({ tgt: '*', tgtType: 'glob', fun, arg, timeoutMs: 60_000 })).jid);
    return jids;
  } finally {
    requests.close();
  }
}

/** The returns of jobs in the job cache of this master. */
export async function cachedReturns(fleet: Fleet, jids: readonly string[]): Promise<StoredReturn[]> {
  const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
  try {
    return (await Promise.all(jids.map((jid) => store.returns(jid)))).flat();
  } finally {
    await store.close();
  }
}
