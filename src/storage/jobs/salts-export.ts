/**
 * Writes the jobs of the embedded job cache where a master of Salt keeps its own, in its layout, for the way back to
 * Salt (salt/returners/local_cache.py `prep_jid`, `save_load`, `save_minions`, `returner`, 3006.16). Nothing is taken
 * out of our files, and what is there already stays, so that an export that was broken off goes on where it was.
 */
import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { dict, isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { DayFiles } from './day-files.ts';
import { returnOf, type ReturnRow } from './job-rows.ts';
import { isSafeJid, jidTimeMs } from './jid.ts';
import {
  JID_FILE,
  LOAD_FILE,
  MINIONS_FILE,
  NO_CACHE_FILE,
  OUT_FILE,
  RETURN_FILE,
  saltsJobFolder,
  syndicMinionsFile,
} from './salts-layout.ts';
import { blobBytes, type Blob, type SqliteDatabase } from './sqlite.ts';
import type { StoredReturn } from './stored-return.ts';

/** Jobs read at once. */
const PAGE = 500;
/** Returns written between two looks at the signal. */
const SLICE = 500;
/** Names in a job's folder that Salt gives another meaning: no minion's returns can be there. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([JID_FILE, NO_CACHE_FILE, 'endtime']);
const PAGE_OF_JIDS = `SELECT jid FROM jobs WHERE jid > ?1 UNION SELECT jid FROM returns WHERE jid > ?1 ORDER BY jid LIMIT ${PAGE}`;

/** From where, to where, and what of it. */
export interface SaltsExportOptions {
  /** The master's `cachedir`, below which Salt looks for its jobs. */
  readonly cachedir: string;
  readonly hashType: string;
  /** The folder of the embedded job cache. */
  readonly directory: string;
  /** The first job id that is wanted; all, without it. */
  readonly fromJid?: string;
  /** Ends the export between two jobs. */
  readonly signal?: AbortSignal;
}

/** What an export has come to. */
export interface SaltsExport {
  /** Jobs that are in Salt's folders now. */
  readonly jobs: number;
  /** Returns that were written. */
  readonly returns: number;
  /** Returns that were there already, from an earlier export or from Salt itself. */
  readonly returnsThere: number;
  /** Jobs and returns whose names cannot be files of Salt's. */
  readonly leftOut: number;
}

type Counts = { -readonly [K in keyof SaltsExport]: SaltsExport[K] };

interface JobRow {
  readonly load: Blob;
  readonly minions: Blob;
}

/**
 * Writes every job from `fromJid` on, the oldest first. A running master does not matter, nor is it held up.
 * @throws the operating system's error when a file cannot be written; what was written stays
 */
export async function exportToSalt(options: SaltsExportOptions): Promise<SaltsExport> {
  const { directory, fromJid = '', signal } = options;
  const counts: Counts = { jobs: 0, returns: 0, returnsThere: 0, leftOut: 0 };
  const files = new DayFiles(directory, { readOnly: true }, () => false);
  try {
    for (const name of files.names().sort()) {
      const { db } = files.open(name);
      const page = db.prepare(PAGE_OF_JIDS);
      for (let after = ''; ;) {
        const jids = (page.all(after) as { jid: string }[]).map(({ jid }) => jid);
        for (const jid of jids) {
          if (signal?.aborted === true) return counts;
          if (jid >= fromJid) await exportJob(options, db, jid, counts);
        }
        const last = jids.at(-1);
        if (last === undefined) break;
        after = last;
        await pause();
      }
    }
  } finally {
    files.close();
  }
  return counts;
}

async function exportJob(
  { cachedir, hashType }: SaltsExportOptions,
  db: SqliteDatabase,
  jid: string,
  counts: Counts,
): Promise<void> {
  const folder = isSafeJid(jid) ? saltsJobFolder(cachedir, hashType, jid) : undefined;
  // Salt was told not to keep this one
  if (folder === undefined || existsSync(join(folder, NO_CACHE_FILE))) {
    counts.leftOut++;
    return;
  }
  makeDirectory(folder, 0o700);
  const row = db.prepare('SELECT load, minions FROM jobs WHERE jid = ?').get(jid) as JobRow | undefined;
  if (row !== undefined) writeLoad(folder, jid, row);
  const ids = db.prepare('SELECT id FROM returns WHERE jid = ? ORDER BY rowid').all(jid) as { id: string }[];
  const one = db.prepare('SELECT * FROM returns WHERE jid = ? AND id = ?');
  let changedMs = jidTimeMs(jid) ?? 0;
  for (const [index, { id }] of ids.entries()) {
    if (index % SLICE === SLICE - 1) await pause();
    const ret = returnOf(one.get(jid, id) as ReturnRow);
    changedMs = Math.max(changedMs, ret.atMs ?? 0);
    writeReturn(folder, ret, counts);
  }
  // the last: a folder without it is none of Salt's jobs yet, and is cleaned away
  const path = join(folder, JID_FILE);
  if (!existsSync(path)) writeFileAtomic(path, jid, { mode: 0o600 });
  if (changedMs > 0) utimesSync(path, changedMs / 1000, changedMs / 1000);
  counts.jobs++;
}

/** What was published, and whom it was meant for: our own minions, and those that each syndic has named. */
function writeLoad(folder: string, jid: string, row: JobRow): void {
  const load = decode(blobBytes(row.load), 'local');
  // Salt takes the id of a listed job from here
  const whole: Dict = isDict(load) ? load : new Map();
  if (!whole.has('jid')) whole.set('jid', jid);
  const lists = decode(blobBytes(row.minions), 'local');
  const named: Dict = isDict(lists) ? lists : new Map();
  const write = (name: string, value: Parameters<typeof encode>[0]): void =>
    writeFileAtomic(safeJoin(folder, name), encode(value, 'local'), { mode: 0o600 });
  // Salt reads this file whenever there is a load, and fails when it is missing
  write(MINIONS_FILE, named.get('') ?? []);
  for (const [syndic, minions] of named)
    if (syndic !== '' && isValidMinionId(syndic)) write(syndicMinionsFile(syndic), minions);
  write(LOAD_FILE, whole);
}

function writeReturn(folder: string, ret: StoredReturn, counts: Counts): void {
  const { id, return: value, retcode, success, out, atMs } = ret;
  // Salt takes no name that begins with a dot for a minion's
  if (!isValidMinionId(id) || id.startsWith('.') || TAKEN_NAMES.has(id)) {
    counts.leftOut++;
    return;
  }
  const place = safeJoin(folder, id);
  const path = join(place, RETURN_FILE);
  if (existsSync(path)) {
    counts.returnsThere++;
    return;
  }
  makeDirectory(place, 0o700);
  if (out !== undefined) writeFileAtomic(join(place, OUT_FILE), encode(out, 'local'), { mode: 0o600 });
  const data = dict({ return: value, retcode, success });
  writeFileAtomic(path, encode(data, 'local'), { mode: 0o600 });
  if (atMs !== undefined) utimesSync(path, atMs / 1000, atMs / 1000);
  counts.returns++;
}

/** Lets signals have their turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
