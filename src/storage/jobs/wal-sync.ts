/**
 * Brings the log of a SQLite file (its write-ahead log, with `synchronous = NORMAL`) to the disk, beside the work of
 * the process that writes it. With `synchronous = FULL` SQLite does the same within each COMMIT, and nothing else
 * happens meanwhile.
 *
 * When the disk refuses, the kernel forgets that the pages were to be written, so that a second attempt would seem to
 * succeed. Then what the log has is moved into the file itself, which writes it anew, before anything else is said to
 * be kept.
 */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { SharedFlush, syncFolder, type DiskSync } from '../../host/disk-sync.ts';
import type { SqliteDatabase } from './sqlite.ts';

/** The log of one open file. */
export class WalSync {
  readonly #path: string;
  readonly #db: SqliteDatabase;
  readonly #disk: DiskSync;
  readonly #flush = new SharedFlush(() => this.#bring());
  #fd: number | undefined;
  #isDoubtful = false;

  /** @param path the database, open for writing in `db` */
  constructor(path: string, db: SqliteDatabase, disk: DiskSync) {
    this.#path = path;
    this.#db = db;
    this.#disk = disk;
  }

  /** @returns when the disk has what was committed before this call. @throws BrineError when it does not take it */
  done(): Promise<void> {
    return this.#flush.done();
  }

  /** Lets the log go, when nobody waits for it any more. */
  close(): void {
    void this.#flush.idle().then(() => {
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
    });
  }

  async #bring(): Promise<void> {
    try {
      if (this.#isDoubtful) this.#writeAnew();
      this.#fd ??= this.#open();
      await this.#disk.data(this.#fd);
    } catch (error) {
      this.#isDoubtful = true;
      throw new BrineError(
        `${this.#path} could not be brought to the disk: ${messageOf(error)}. Nothing written there is acknowledged until it can. ` +
          'See what the kernel says of that disk (dmesg), and whether it is full.',
        { code: 'disk-refuses', cause: error },
      );
    }
  }

  #open(): number {
    syncFolder(dirname(this.#path));
    return openSync(`${this.#path}-wal`, 'r');
  }

  #writeAnew(): void {
    const row = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as {
      readonly log: number | bigint;
      readonly checkpointed: number | bigint;
    };
    if (row.log !== row.checkpointed) throw new Error('its log could not be moved into it');
    this.#isDoubtful = false;
  }
}
