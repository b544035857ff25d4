/**
 * The jobs that a master of Salt has kept in this `cachedir`, for reading: after a move to Brine they are listed and
 * looked up beside ours until `keep_jobs_seconds` have passed. Nothing is written; loads are read one after the other,
 * and only those that may be wanted (salt/returners/local_cache.py, 3006.16).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { safeJoin } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import { newestFirst, passesFilter } from './job-filter.ts';
import { funText } from './job-rows.ts';
import type { JobFilter, JobSummary } from './job-store.ts';
import type { StoredReturn } from './stored-return.ts';
import { isSafeJid, jidTimeMs } from './jid.ts';
import {
  GROUP_NAME,
  JID_FILE,
  JOB_NAME,
  LOAD_FILE,
  MINIONS_FILE,
  NO_CACHE_FILE,
  OUT_FILE,
  RETURN_FILE,
  saltsJobFolder,
  saltsJobsRoot,
  SYNDIC_MINIONS,
} from './salts-layout.ts';

/**
 * Jobs that are looked through for a list: the newest. Lists stay bounded; a job by its id is found however many there
 * are.
 */
const LISTED_MAX = 200_000;
/** Loads read between two pauses, in which signals are seen. */
const SLICE = 500;
/** Job ids of Salt are local times unless `utc_jid` is set, so they may be ahead of the file's time by a time zone. */
const ZONE_MS = 15 * 3_600_000;

/** Where they are. */
export interface SaltsJobsOptions {
  /** The master's. */
  readonly cachedir: string;
  readonly hashType: string;
  readonly log: Logger;
}

/** A job's folder, and when something last happened in it. */
interface Place {
  readonly folder: string;
  readonly changedMs: number;
}

/** Reads Salt's job folders and writes nothing. */
export class SaltsJobs {
  readonly #options: SaltsJobsOptions;
  readonly #listedMax: number;

  /** @param listedMax other than the usual bound, for tests */
  constructor(options: SaltsJobsOptions, listedMax = LISTED_MAX) {
    this.#options = options;
    this.#listedMax = listedMax;
  }

  /** What was published, with `Minions`; undefined for a job that is not here. */
  job(jid: string): Dict | undefined {
    const folder = this.#folder(jid);
    if (folder === undefined) return undefined;
    const load = readDict(join(folder, LOAD_FILE));
    if (load === undefined) return undefined;
    const minions = minionsIn(folder);
    return minions.length > 0 ? load.set('Minions', minions) : load;
  }

  /** What came back; empty for a job that is not here. */
  async returns(jid: string): Promise<StoredReturn[]> {
    const folder = this.#folder(jid);
    if (folder === undefined) return [];
    const fun = funText(readDict(join(folder, LOAD_FILE))?.get('fun'));
    const out: StoredReturn[] = [];
    const ids = (await namesIn(folder)).filter((name) => !name.startsWith('.') && name !== JID_FILE);
    for (const [index, id] of ids.entries()) {
      if (index % SLICE === SLICE - 1) await pause();
      const ret = this.#return(jid, fun, safeJoin(folder, id), id);
      if (ret !== undefined) out.push(ret);
    }
    return out;
  }

  /** The jobs that a filter wants, newest first. */
  async jobs(filter: JobFilter): Promise<JobSummary[]> {
    const { limit = Infinity, fromJid } = filter;
    const places = await this.#newestPlaces();
    const faults: string[] = [];
    let found: JobSummary[] = [];
    let wantedFromMs = timeOf(fromJid);
    for (const [index, { folder, changedMs }] of places.entries()) {
      // nothing from here on can be newer than what is there
      if (changedMs < wantedFromMs - ZONE_MS) break;
      if (index % SLICE === SLICE - 1) await pause();
      const job = this.#summary(folder, filter, faults);
      if (job === undefined) continue;
      found.push(job);
      if (found.length < 2 * limit) continue;
      found = newestFirst(found).slice(0, limit);
      wantedFromMs = Math.max(wantedFromMs, timeOf(found.at(-1)?.jid));
    }
    if (faults.length > 0)
      this.#options.log.warning(
        `${faults.length} jobs that Salt has kept cannot be read and are left out, the first of them: ${faults[0] ?? ''}`,
      );
    return newestFirst(found).slice(0, limit);
  }

  #summary(folder: string, filter: JobFilter, faults: string[]): JobSummary | undefined {
    try {
      const load = decode(readFileSync(join(folder, LOAD_FILE)), 'local');
      const jid = isDict(load) ? load.get('jid') : undefined;
      if (!isDict(load) || !isSafeJid(jid)) return undefined;
      const job = { jid, load };
      if (!passesFilter(filter, job)) return undefined;
      const minions = filter.withoutMinions ? [] : minionsIn(folder);
      if (minions.length > 0) load.set('Minions', minions);
      return job;
    } catch (error) {
      // Salt compat: a folder without a load is no job in lists
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        faults.push(`${join(folder, LOAD_FILE)}: ${String(error)}`);
      return undefined;
    }
  }

  #return(jid: string, fun: string, folder: string, id: string): StoredReturn | undefined {
    const path = join(folder, RETURN_FILE);
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() !== true) return undefined;
      const data = decode(readFileSync(path), 'local');
      const out = readValue(join(folder, OUT_FILE));
      // Salt compat: an old form has nothing but the return
      const fields: Dict =
        isDict(data) && data.has('return') ? data : new Map<Value, Value>([['return', data]]);
      const success = fields.get('success') !== false;
      return {
        jid,
        id,
        fun,
        return: fields.get('return') ?? null,
        retcode: toNumber(fields.get('retcode')) ?? (success ? 0 : 1),
        success,
        atMs: stat.mtimeMs,
        ...(typeof out === 'string' ? { out } : {}),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR')
        this.#options.log.warning(
          `A return that Salt has kept cannot be read and is left out: ${path}`,
          error,
        );
      return undefined;
    }
  }

  /** The folder of a job that Salt has kept; what our master lends to Salt's commands (`load-mirror.ts`) is none. */
  #folder(jid: string): string | undefined {
    if (!isSafeJid(jid)) return undefined;
    const folder = saltsJobFolder(this.#options.cachedir, this.#options.hashType, jid);
    return isThere(join(folder, JID_FILE)) && !isThere(join(folder, NO_CACHE_FILE)) ? folder : undefined;
  }

  /** Those that were changed last, first. */
  async #newestPlaces(): Promise<Place[]> {
    const root = saltsJobsRoot(this.#options.cachedir);
    let places: Place[] = [];
    let leftOut = 0;
    const cut = (): void => {
      places.sort((a, b) => b.changedMs - a.changedMs);
      leftOut += Math.max(0, places.length - this.#listedMax);
      places = places.slice(0, this.#listedMax);
    };
    for (const group of (await namesIn(root)).filter((name) => GROUP_NAME.test(name))) {
      for (const name of (await namesIn(join(root, group))).filter((each) => JOB_NAME.test(each))) {
        const folder = join(root, group, name);
        // Salt writes this file anew with each return
        const stat = statSync(join(folder, JID_FILE), { throwIfNoEntry: false });
        if (stat !== undefined) places.push({ folder, changedMs: stat.mtimeMs });
      }
      if (places.length > 2 * this.#listedMax) cut();
    }
    cut();
    if (leftOut > 0)
      this.#options.log.warning(
        `${root} holds more than ${this.#listedMax} jobs of Salt: the ${leftOut} oldest are not looked through. ` +
          'jobs.lookup_jid finds every job; keep_jobs_seconds says for how long they are kept.',
      );
    return places;
  }
}

/** When a job began; 0 for none. */
function timeOf(jid: string | undefined): number {
  return jid === undefined ? 0 : (jidTimeMs(jid) ?? 0);
}

/** The ids that Salt and its syndics have named, sorted. */
function minionsIn(folder: string): string[] {
  const ids = new Set<string>();
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => SYNDIC_MINIONS.test(name));
  } catch {
    return [];
  }
  for (const name of [MINIONS_FILE, ...names]) {
    const list = readValue(join(folder, name));
    if (Array.isArray(list)) for (const id of list) ids.add(String(id));
  }
  return [...ids].sort();
}

/** Undefined when there is no such file, or it cannot be understood: Salt may be in the middle of writing it. */
function readValue(path: string): Value | undefined {
  try {
    return decode(readFileSync(path), 'local');
  } catch {
    return undefined;
  }
}

function readDict(path: string): Dict | undefined {
  const value = readValue(path);
  return value !== undefined && isDict(value) ? value : undefined;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // Salt may just be removing it, or it is not ours to read
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

/** Lets signals and connections have their turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
