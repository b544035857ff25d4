/**
 * What a receiver of publications must not forget: the last serial of each shared key, and the ids of the jobs it took
 * last. Without them a recorded publication runs again after a restart. Lines are appended to one file, which the
 * kernel keeps when this process is killed; a job's line is on the disk itself before the job may begin. The file is
 * written anew when it has grown, and when somebody has removed it.
 *
 * A serial counts for one shared key. A master that starts makes a new one, Salt's as ours, and when its serials begin
 * anew (Salt's at 1 with every key, ours at the time) so do they here: a master that was reinstalled locks no minion
 * out.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { SharedFlush, systemDisk } from '../../host/disk-sync.ts';
import { writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';

/** The name of the file below a minion's `cachedir`. */
export const PUBLICATION_JOURNAL = 'publications';
/** A minion has as many shared keys as masters, and each master a new one every day. */
const KEYS_MAX = 512;
/** The file may be larger by this than what counts of it. */
const SLACK_BYTES = 128 * 1024;
/** More than this is not read of a file. */
const READ_BYTES_MAX = 4 * 1024 * 1024;

/** What a journal is made of. */
export interface PublicationJournalDeps {
  readonly path: string;
  /** Job ids kept: `minion_jid_queue_hwm`. */
  readonly jobsMax: number;
  readonly log: Logger;
}

/** Keeps serials and job ids in memory and in one file. */
export class PublicationJournal {
  /** `notWritten`: records that only memory holds, because the disk took none. */
  readonly counters = { notWritten: 0 };
  readonly #deps: PublicationJournalDeps;
  readonly #serials = new Map<string, number>();
  readonly #jobs = new Set<string>();
  #fd: number | undefined;
  #sizeBytes = 0;
  #limitBytes = 0;
  readonly #flush = new SharedFlush(() => this.#bring());

  /** Reads what is there; a file that cannot be read counts as empty. */
  constructor(deps: PublicationJournalDeps) {
    this.#deps = deps;
    for (const line of readLines(deps.path, deps.log)) this.#readRecord(line);
  }

  /** The last serial that was taken under a shared key, 0 when there is none. @param keyMark stands for the key */
  lastSerial(keyMark: string): number {
    return this.#serials.get(keyMark) ?? 0;
  }

  /** Outlives a crash of this process at once, and one of the machine with the next job. */
  noteSerial(keyMark: string, serial: number): void {
    this.#keepSerial(keyMark, serial);
    this.#append(serialLine(keyMark, serial));
  }

  /** True for one of the jobs that were taken last. */
  hasJob(jid: string): boolean {
    return this.#jobs.has(jid);
  }

  /**
   * Notes a job.
   * @returns resolves when the disk holds it; also, with a warning, when the disk takes nothing: a minion whose disk is
   *   full must take the jobs that are to repair it
   */
  noteJob(jid: string): Promise<void> {
    this.#keepJob(jid);
    return this.#append(jobLine(jid)) ? this.#flush.done() : Promise.resolve();
  }

  /** Waits for what is being written, and lets the file go. */
  async close(): Promise<void> {
    await this.#flush.idle();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #readRecord(line: string): void {
    const [kind, name = '', number] = line.split(' ');
    const serial = Number(number);
    if (kind === 'job' && name !== '' && number === undefined) this.#keepJob(name);
    else if (kind === 'serial' && Number.isSafeInteger(serial)) this.#keepSerial(name, serial);
  }

  /** The highest counts: one master may be connected to under two names. */
  #keepSerial(keyMark: string, serial: number): void {
    const last = Math.max(serial, this.lastSerial(keyMark));
    this.#serials.delete(keyMark);
    this.#serials.set(keyMark, last);
    if (this.#serials.size > KEYS_MAX) dropOldest(this.#serials);
  }

  #keepJob(jid: string): void {
    this.#jobs.delete(jid);
    this.#jobs.add(jid);
    if (this.#jobs.size > this.#deps.jobsMax) dropOldest(this.#jobs);
  }

  /** @returns whether the line needs to be brought to the disk itself; false when it is there, or cannot get there */
  #append(line: string): boolean {
    try {
      if (this.#fd === undefined || this.#sizeBytes > this.#limitBytes || isRemoved(this.#fd)) {
        this.#writeAnew();
        return false;
      }
      const bytes = Buffer.from(line);
      this.#sizeBytes += bytes.length;
      if (writeSync(this.#fd, bytes) < bytes.length) throw new Error('the disk is full');
      return true;
    } catch (error) {
      // half a line may stand there now
      this.#limitBytes = -1;
      this.#warn(error);
      return false;
    }
  }

  #writeAnew(): void {
    const { path } = this.#deps;
    const lines = [...this.#serials].map(([mark, serial]) => serialLine(mark, serial));
    const text = [...lines, ...[...this.#jobs].map(jobLine)].join('');
    writeFileAtomic(path, text, { mode: 0o600, durable: true });
    const old = this.#fd;
    this.#fd = openSync(path, 'a');
    this.#sizeBytes = Buffer.byteLength(text);
    this.#limitBytes = this.#sizeBytes + SLACK_BYTES;
    if (old !== undefined) void this.#flush.rest().then(() => closeSync(old));
  }

  async #bring(): Promise<void> {
    try {
      if (this.#fd !== undefined) await systemDisk.data(this.#fd);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    const count = ++this.counters.notWritten;
    if (count > 3 && count % 1000 !== 0) return;
    const { path, log } = this.#deps;
    log.warning(
      `What was published cannot be kept in ${path}: ${messageOf(error)} (${count} so far). After a restart, recorded jobs could run again.`,
    );
  }
}

function serialLine(keyMark: string, serial: number): string {
  return `serial ${keyMark} ${serial}\n`;
}

function jobLine(jid: string): string {
  return `job ${jid}\n`;
}

function dropOldest(entries: Map<string, number> | Set<string>): void {
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}

function isRemoved(fd: number): boolean {
  return fstatSync(fd).nlink === 0;
}

/** The whole lines at the end of a file. */
function readLines(path: string, log: Logger): string[] {
  try {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, READ_BYTES_MAX));
      const length = readSync(fd, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
      return bytes.toString('latin1', 0, length).split('\n').slice(0, -1);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warning(`What was published before cannot be read from ${path}: ${messageOf(error)}`);
    return [];
  }
}
