/**
 * The files of the job cache, one for each day of jids and one for what has no day: which there are, and which are
 * open.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beginDay, closeDay, openDay, type Day, type DayOptions } from './day-file.ts';
import { dayOf, UNDATED } from './job-days.ts';

/** Open day files kept at hand. */
const OPEN_DAYS_MAX = 4;

/** The files below a directory. */
export class DayFiles {
  readonly #directory: string;
  readonly #options: DayOptions;
  readonly #isBusy: (day: Day) => boolean;
  readonly #days = new Map<string, Day>();

  /** @param isBusy whether a day is to stay open for now */
  constructor(directory: string, options: DayOptions, isBusy: (day: Day) => boolean) {
    this.#directory = directory;
    this.#options = options;
    this.#isBusy = isBusy;
  }

  /** The names of the days, in no order. */
  names(): string[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory)
      .filter((file) => file.endsWith('.sqlite'))
      .map((file) => file.slice(0, -'.sqlite'.length));
  }

  /** The undated come last: nobody knows how old they are. */
  newestFirst(): string[] {
    const names = this.names().sort().reverse();
    return [...names.filter((name) => name !== UNDATED), ...names.filter((name) => name === UNDATED)];
  }

  /** Whether there is a file of this day. */
  isKept(name: string): boolean {
    return existsSync(this.#path(name));
  }

  /** Whether the day is at hand. */
  isOpen(name: string): boolean {
    return this.#days.has(name);
  }

  /** The day that a jid was kept with; where it has a file of its own, that one. */
  existing(jid: string): Day | undefined {
    const name = [dayOf(jid), UNDATED].find((each) => this.isKept(each));
    return name === undefined ? undefined : this.open(name);
  }

  /** Opens a day, and begins it where that is allowed. */
  open(name: string): Day {
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    this.#closeIdle();
    if (!this.#options.readOnly && !this.isKept(name)) beginDay(this.#path(name));
    const day = openDay(this.#path(name), this.#options);
    this.#days.set(name, day);
    return day;
  }

  /** What the day takes on the disk. */
  bytes(name: string): number {
    const sizes = ['', '-wal'].map(
      (suffix) => statSync(this.#path(name) + suffix, { throwIfNoEntry: false })?.size,
    );
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  /** Forgets a day. */
  remove(name: string): void {
    const day = this.#days.get(name);
    if (day !== undefined) closeDay(day);
    this.#days.delete(name);
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path(name) + suffix, { force: true });
  }

  /** Moves what was written from the log into the files. */
  checkpoint(): void {
    for (const { db } of this.#days.values()) db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** Closes the days at hand. */
  close(): void {
    for (const day of this.#days.values()) closeDay(day);
    this.#days.clear();
  }

  #closeIdle(): void {
    for (const [name, day] of this.#days) {
      if (this.#days.size < OPEN_DAYS_MAX) return;
      if (this.#isBusy(day)) continue;
      closeDay(day);
      this.#days.delete(name);
    }
  }

  #path(name: string): string {
    return join(this.#directory, `${name}.sqlite`);
  }
}
