/**
 * Returns that no master has yet, on disk: one file each in `<cachedir>/returns`, written before the first attempt and
 * removed when the master has acknowledged, so that a minion that is killed loses none. Salt 3006.16 keeps them in
 * memory and gives up after `return_retry_tries`.
 *
 * A return that is not acknowledged at once is also brought to the disk itself (`fsync` of its file and of the folder),
 * many at a time, so that a power failure loses none that waits.
 *
 * Policy when full (`return_spool_count`, `return_spool_size`) or too old (`return_spool_days`): the oldest is given
 * up, counted, with a line in the log. When the disk takes no file the return waits in memory, within the same limits.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { MinionOptions } from '../../config/minion-options.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

const DAY_MS = 86_400_000;
const MASTER_TEXT_MAX = 120;
const SYNCS_AT_ONCE = 3;
/** `<time in ms>-<number>-<master>-<jid>.p` */
const FILE_NAME = /^(\d{15})-(\d{9})-([^-/]+)-([^/]+)\.p$/;

/** One waiting return. */
export interface SpooledReturn {
  readonly jid: string;
  /** The master that asked, as {@link masterMark} writes it. */
  readonly master: string;
  readonly atMs: number;
  readonly sizeBytes: number;
}

/** How much may wait. */
export interface SpoolLimits {
  readonly count: number;
  readonly sizeBytes: number;
  readonly days: number;
}

interface Kept extends SpooledReturn {
  /** Undefined when the disk did not take it: then `load` is here. */
  readonly file: string | undefined;
  readonly load: Dict | undefined;
}

/** What a spool needs. */
export interface ReturnSpoolDeps {
  /** `<cachedir>/returns` */
  readonly directory: string;
  readonly limits: SpoolLimits;
  /** What one entry is called in log lines, within a sentence. */
  readonly what?: (entry: SpooledReturn) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The spool of a minion, with the limits of its options. @throws the system's error when its folder cannot be used */
export function openReturnSpool(parts: {
  readonly opts: MinionOptions;
  readonly clock: Clock;
  readonly log: Logger;
}): ReturnSpool {
  const { opts, clock, log } = parts;
  const limits = {
    count: opts.get('return_spool_count'),
    sizeBytes: opts.get('return_spool_size'),
    days: opts.get('return_spool_days'),
  };
  return new ReturnSpool({ directory: join(opts.get('cachedir'), 'returns'), limits, clock, log });
}

/** A master's name (`host:port`) as part of a file name. */
export function masterMark(name: string): string {
  const text = encodeURIComponent(name).replaceAll('-', '%2D');
  return text.length <= MASTER_TEXT_MAX ? text : createHash('sha256').update(name).digest('hex');
}

/** The folder of waiting returns, bounded by number, size and age. */
export class ReturnSpool {
  /**
   * `givenUp` because of the limits, `unreadable` files that were removed, `notWritten` returns that only memory holds,
   * `secured` those that were brought to the disk itself.
   */
  readonly counters = { givenUp: 0, unreadable: 0, notWritten: 0, secured: 0 };
  readonly #deps: ReturnSpoolDeps;
  /** Oldest first. */
  readonly #waiting = new Set<Kept>();
  /** Those of them whose file the disk itself may not have yet. */
  readonly #unsecured = new Set<Kept>();
  #sizeBytes = 0;
  #next = 0;
  #securing: Promise<void> | undefined;
  readonly #tell: RareLines;

  /**
   * Takes over what an earlier run of the minion has left.
   * @throws the system's error when the folder cannot be used
   */
  constructor(deps: ReturnSpoolDeps) {
    this.#deps = deps;
    this.#tell = rareLines(deps.clock, (text) => deps.log.error(text));
    makeDirectory(deps.directory, 0o700);
    for (const name of readdirSync(deps.directory).sort()) this.#takeOver(name);
    this.#enforce();
  }

  /** Takes over what another process of this minion has left since this one began. */
  takeOverLater(): void {
    const known = new Set([...this.#waiting].map(({ file }) => file));
    for (const name of readdirSync(this.#deps.directory).sort())
      if (!known.has(name) && FILE_NAME.test(name)) this.#takeOver(name);
    this.#enforce();
  }

  /** Number of returns that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Every waiting return, oldest first. */
  entries(): Iterable<SpooledReturn> {
    return this.#waiting;
  }

  /** What a return is called in log lines, within a sentence. */
  nameOf(entry: SpooledReturn): string {
    return this.#deps.what?.(entry) ?? `the return of job ${entry.jid}`;
  }

  /** Whether a return still waits: it may have been given up meanwhile. */
  has(entry: SpooledReturn): boolean {
    return this.#waiting.has(entry as Kept);
  }

  /** Keeps a return. @param master the name of the master that asked */
  add(load: Dict, master: string): SpooledReturn {
    const jid = load.get('jid');
    const content = encode(load, 'local');
    const entry = this.#write(isSafeJid(jid) ? jid : 'none', masterMark(master), content, load);
    this.#note(entry);
    this.#enforce();
    return entry;
  }

  /** @returns the return's load; undefined when it is gone, or cannot be read, which removes it */
  read(entry: SpooledReturn): Dict | undefined {
    const { file, load } = entry as Kept;
    if (load !== undefined || file === undefined) return load;
    try {
      const value = decode(readFileSync(safeJoin(this.#deps.directory, file)), 'local');
      if (isDict(value)) return value;
    } catch (error) {
      this.#deps.log.error(
        `The waiting return in ${join(this.#deps.directory, file)} cannot be read and is removed: ${messageOf(error)}`,
      );
    }
    this.counters.unreadable++;
    this.remove(entry);
    return undefined;
  }

  /** Forgets a return: a master has it. */
  remove(entry: SpooledReturn): void {
    const kept = entry as Kept;
    if (!this.#waiting.delete(kept)) return;
    this.#unsecured.delete(kept);
    this.#sizeBytes -= kept.sizeBytes;
    if (kept.file === undefined) return;
    try {
      rmSync(safeJoin(this.#deps.directory, kept.file), { force: true });
    } catch (error) {
      this.#deps.log.error(`The file ${kept.file} could not be removed: ${messageOf(error)}`);
    }
  }

  /**
   * Resolves when every return that waits now is on the disk itself. Never rejects: a disk that refuses is a line in
   * the log.
   */
  async secure(): Promise<void> {
    await this.#securing; // a return that came after it had begun needs another one
    await (this.#securing ??= this.#secureAll().finally(() => (this.#securing = undefined)));
  }

  async #secureAll(): Promise<void> {
    const { directory, log } = this.#deps;
    const entries = [...this.#unsecured];
    if (entries.length === 0) return;
    try {
      const next = entries[Symbol.iterator]();
      const sync = async (): Promise<void> => {
        for (const entry of next)
          if (this.#unsecured.has(entry)) await syncFile(join(directory, entry.file ?? ''));
      };
      await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, sync));
      await syncFile(directory);
      for (const entry of entries) this.#unsecured.delete(entry);
      this.counters.secured += entries.length;
    } catch (error) {
      log.warning(`Waiting returns in ${directory} could not be brought to the disk: ${messageOf(error)}`);
    }
  }

  #takeOver(name: string): void {
    const { directory } = this.#deps;
    const match = FILE_NAME.exec(name);
    try {
      const path = safeJoin(directory, name);
      if (match === null) return rmSync(path, { force: true }); // half written when the minion was killed
      const [, at, number, master, jid] = match as unknown as [string, string, string, string, string];
      this.#next = Math.max(this.#next, Number(number));
      const sizeBytes = statSync(path).size;
      this.#note({ jid, master, atMs: Number(at), sizeBytes, file: name, load: undefined });
    } catch (error) {
      this.#deps.log.warning(`The file ${name} in ${directory} was left alone: ${messageOf(error)}`);
    }
  }

  #write(jid: string, master: string, content: Uint8Array, load: Dict): Kept {
    const { directory, clock, log } = this.#deps;
    const atMs = Math.floor(clock.nowMs());
    const common = { jid, master, atMs, sizeBytes: content.length };
    this.#next = (this.#next + 1) % 1_000_000_000;
    const file = `${String(atMs).padStart(15, '0')}-${String(this.#next).padStart(9, '0')}-${master}-${jid}.p`;
    try {
      writeFileAtomic(safeJoin(directory, file), content, { mode: 0o600 });
      if (this.#tell.over('') > 0) log.warning(`Returns are kept in ${directory} again.`);
      return { ...common, file, load: undefined };
    } catch (error) {
      this.counters.notWritten++;
      this.#tell(
        '',
        `${capital(this.nameOf({ ...common, jid }))} cannot be kept in ${directory}, it waits in memory only: ${messageOf(error)}`,
      );
      return { ...common, file: undefined, load };
    }
  }

  #note(entry: Kept): void {
    this.#waiting.add(entry);
    if (entry.file !== undefined) this.#unsecured.add(entry);
    this.#sizeBytes += entry.sizeBytes;
  }

  #enforce(): void {
    const { limits, clock, log } = this.#deps;
    const oldestMs = clock.nowMs() - limits.days * DAY_MS;
    for (const entry of this.#waiting) {
      const isOver =
        this.#waiting.size > limits.count || (this.#sizeBytes > limits.sizeBytes && this.#waiting.size > 1);
      if (!isOver && entry.atMs >= oldestMs) return;
      this.remove(entry);
      this.counters.givenUp++;
      log.error(
        `${capital(this.nameOf(entry))} was given up: ${isOver ? 'too much waits for a master' : `no master took it for ${limits.days} days`} (${this.counters.givenUp} so far).`,
      );
    }
  }
}

/** Brings a file or a folder to the disk; one that is gone needs it no more. */
async function syncFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
