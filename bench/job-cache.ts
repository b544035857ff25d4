/** Looks into a master's job cache afterwards: is every acknowledged return there, with its content, and once? */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteJobStore } from '../src/storage/jobs/sqlite-store.ts';
import { jobCacheDirectory } from '../src/config/job-caches.ts';
import { swarmId } from '../src/programs/swarm/key-pairs.ts';
import { isDict, type Value } from '../src/python/values/value.ts';
import { decode, encode } from '../src/formats/wire/msgpack.ts';
import type { Fleet } from './fleet.ts';
import type { ReturnsResult } from './load/messages.ts';
import { returnNumber, returnText } from './load/returns-storm.ts';

/** What one minion is recorded to have returned for one job. */
interface Kept {
  readonly id: string;
  readonly value: Value | undefined;
}

/** Reads all returns of a job. */
type ReadJob = (jid: string) => Promise<Kept[]>;

/** What was found. */
export interface CacheCheck {
  /** Acknowledged returns that are not there, or not with their content. */
  readonly lost: number;
  /** Returns that are there more than once. */
  readonly duplicates: number;
}

/** Checks the returns of one storm. */
export async function checkReturns(
  fleet: Fleet,
  storm: ReturnsResult,
  swarm: { readonly prefix: string; readonly count: number; readonly baseMs: number },
): Promise<CacheCheck> {
  const { read, close } = fleet.kind.name === 'brine' ? brineReader(fleet) : saltReader(fleet);
  const excused = new Set(storm.unacknowledged);
  let lost = 0;
  let duplicates = 0;
  try {
    for (let first = 0; first < storm.sent; first += swarm.count) {
      const byId = new Map<string, Kept[]>();
      const { jid } = returnNumber(first, swarm.count, swarm.baseMs);
      for (const kept of await read(jid)) byId.set(kept.id, [...(byId.get(kept.id) ?? []), kept]);
      for (let n = first; n < Math.min(first + swarm.count, storm.sent); n++) {
        const { minion } = returnNumber(n, swarm.count, swarm.baseMs);
        const kept = byId.get(swarmId(swarm.prefix, minion)) ?? [];
        if (kept[0]?.value !== returnText(n) && !excused.has(n)) lost++;
        duplicates += Math.max(0, kept.length - 1);
      }
    }
  } finally {
    await close();
  }
  return { lost, duplicates };
}

function brineReader(fleet: Fleet): { read: ReadJob; close: () => Promise<void> } {
  const store = new SqliteJobStore({ directory: jobCacheDirectory(fleet.cacheDir), readOnly: true });
  const read: ReadJob = async (jid) =>
    (await store.returns(jid)).map((row) => ({ id: row.id, value: row.return }));
  return { read, close: () => store.close() };
}

/**
 * Registers the jobs of a storm as publishing them would have done, so that Salt's `local_cache` takes returns for
 * them: without a load and its list of minions it fails at each. Our job cache needs nothing.
 */
export function registerJobs(fleet: Fleet, baseMs: number, jobs: number): void {
  if (fleet.kind.name === 'brine') return;
  for (let number = 0; number < jobs; number++) {
    const { jid } = returnNumber(number, 1, baseMs);
    const folder = jobFolder(fleet, jid);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'jid'), jid);
    const load = {
      cmd: 'publish',
      tgt: '*',
      tgt_type: 'glob',
      fun: 'cmd.run',
      arg: ['echo'],
      jid,
      ret: '',
      user: 'root',
    };
    writeFileSync(join(folder, '.load.p'), encode(load, 'local'));
    writeFileSync(join(folder, '.minions.p'), encode([], 'local'));
  }
}

function jobFolder(fleet: Fleet, jid: string): string {
  const hash = createHash('sha256').update(jid).digest('hex');
  return join(fleet.cacheDir, 'jobs', hash.slice(0, 2), hash.slice(2));
}

/** Salt's `local_cache`: `jobs/<hash[:2]>/<hash[2:]>/<id>/return.p`. */
function saltReader(fleet: Fleet): { read: ReadJob; close: () => Promise<void> } {
  const read: ReadJob = async (jid) => {
    const folder = jobFolder(fleet, jid);
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => ({ id: entry.name, value: readReturnFile(join(folder, entry.name, 'return.p')) }));
  };
  return { read, close: async () => undefined };
}

function readReturnFile(path: string): Value | undefined {
  if (!existsSync(path)) return undefined;
  const value = decode(readFileSync(path), 'local');
  return isDict(value) ? value.get('return') : undefined;
}
