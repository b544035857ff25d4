/**
 * What a master that orders masters knows of the syndics below it: which of the accepted ids they are, what they return
 * on behalf of their minions, and whom they expect for a job (salt/master.py `_syndic_return`, `_handle_minion_event`,
 * 3006.16).
 *
 * A syndic authenticates as a minion does, and says only afterwards what it is. Salt believes it of every accepted key.
 * Here the option `allowed_syndics` decides, and without it who says so before it has acted as a minion under the same
 * key: a minion that is taken over later can no longer become a syndic. None speaks for a minion whose key is accepted
 * here.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { messageOf } from '../../errors/errors.ts';
import { syndicName } from '../../network/events/tags.ts';
import type { Clock } from '../../host/clock.ts';
import { createFile, isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { OWNER_FIELD } from '../../storage/jobs/job-owner.ts';
import { isSafeJid, REQUEST_JID } from '../../storage/jobs/jid.ts';
import { dayOf, type DayWindow } from '../../storage/jobs/job-days.ts';
import type { JobWriter } from '../../storage/jobs/job-store.ts';
import { expressionMatch } from '../../python/text/expression-match.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { countedWarnings } from './counted-log.ts';
import { minionMarksFolder, MinionMarks } from './minion-marks.ts';

/** Marks in the file of a syndic, and what the mark of its key begins with. */
const REPORTS = 'reports';
const ALSO_MINION = 'minion';
const KEY = 'key=';
/** More syndics than this below one master are a mistake, or an attack. */
const SYNDICS_MAX = 10_000;
/** Entries in one `_syndic_return`. */
const ENTRIES_MAX = 100_000;
/** Fields of a minion's return that only the master sets. */
const NOT_FROM_BELOW = ['cmd', 'jid', 'id', 'tok', 'nonce', 'ts', '_stamp', '__peer_id'];

/** A syndic as it is known. */
export interface KnownSyndic {
  readonly id: string;
  /** It tells for each job whom it expects, and when that is all: a syndic of ours. */
  readonly reports: boolean;
  /** A minion of the same id is connected to this master, too. */
  readonly isMinion: boolean;
}

/** As it is remembered. */
interface Remembered extends KnownSyndic {
  /** The key under which it became one; '' in files of before there were such marks. */
  readonly keyMark: string;
}

/** What the registry needs. */
export interface SyndicRegistryDeps {
  /** The days of which the job cache keeps jobs. */
  readonly days: Pick<DayWindow, 'holds'>;
  readonly opts: MasterOptions;
  readonly jobs: Pick<JobWriter, 'saveJob' | 'addMinions' | 'note'>;
  /** Takes one minion's return, once. */
  readonly takeReturn: (id: string, load: Dict) => Promise<void>;
  /** What tells an accepted key from others of the same id; undefined when none is accepted. */
  readonly keyMark: (id: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Knows the syndics below this master and takes what they bring. */
export class SyndicRegistry {
  readonly #deps: SyndicRegistryDeps;
  /** Ours: outlives the master, so that a syndic that is away is missed. */
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  readonly #minions: MinionMarks;
  #known = new Map<string, Remembered>();
  #readMs = -1;

  constructor(deps: SyndicRegistryDeps) {
    this.#deps = deps;
    this.#folder = join(deps.opts.get('cachedir'), 'syndics.known');
    this.#warn = countedWarnings(deps.log);
    makeDirectory(this.#folder, 0o700);
    this.#minions = new MinionMarks(minionMarksFolder(deps.opts), deps);
  }

  /** The syndics with an accepted key. */
  known(): KnownSyndic[] {
    this.#read();
    const out: KnownSyndic[] = [];
    for (const { id, reports, isMinion, keyMark } of this.#known.values()) {
      if (this.#isKeyOf(id, keyMark)) out.push({ id, reports, isMinion });
      else this.#forget(id);
    }
    return out;
  }

  /**
   * Whether this sender of events is a syndic.
   * @param pretag under which name it sends them
   */
  isSyndic(id: string, pretag: Value | undefined): boolean {
    if (pretag === syndicName(id)) return this.#claims(id, 'sent events as a syndic');
    return this.#knows(id) && this.#entriesOf(id) !== undefined;
  }

  /**
   * A start event: what it says of the sender holds from now on.
   * @returns false when the sender is not what it says
   */
  started(id: string, kind: 'syndic' | 'minion', load: Dict): boolean {
    if (kind === 'minion') {
      this.actedAsMinion(id);
      return true;
    }
    if (!this.#claims(id, 'started as a syndic')) return false;
    this.note(id, { reports: load.get('reports') === true });
    return true;
  }

  /** The sender did what only minions do: it can become a syndic no more, unless it is one already. */
  actedAsMinion(id: string): void {
    if (this.#minions.isRecent(id)) return;
    if (this.#knows(id)) this.note(id, { isMinion: true });
    else this.#minions.add(id);
  }

  /** True for minions whose keys are accepted here: they speak for themselves, and nobody else does. */
  isOurs(minion: string): boolean {
    return this.#deps.keyMark(minion) !== undefined;
  }

  /** Whether a syndic may speak for a minion: for its own id, and for those below it. */
  speaksFor(syndic: string, minion: string): boolean {
    if (minion === syndic) return true;
    const entries = this.#entriesOf(syndic);
    const isNamed = entries === 'all' || entries?.some((each) => expressionMatch(minion, each)) === true;
    return isNamed && !this.isOurs(minion);
  }

  /** The minions for which `allowed_syndics` lets this one speak; undefined when it is not named there. */
  #entriesOf(id: string): 'all' | readonly string[] | undefined {
    const allowed = this.#deps.opts.get('allowed_syndics');
    if (allowed.length === 0) return 'all';
    const minions: string[] = [];
    let isNamed = false;
    for (const entry of allowed) {
      const pairs: Iterable<readonly [Value, Value]> = isDict(entry) ? entry : [[entry, null]];
      for (const [glob, list] of pairs) {
        if (!expressionMatch(id, String(glob))) continue;
        if (!isDict(entry)) return 'all';
        isNamed = true;
        minions.push(...(Array.isArray(list) ? list : [list]).map(String));
      }
    }
    return isNamed ? minions : undefined;
  }

  /** Whether a sender is a syndic, when it says so. */
  #claims(id: string, what: string): boolean {
    if (this.#deps.opts.get('allowed_syndics').length > 0) {
      if (this.#entriesOf(id) === undefined) {
        this.#warn(`The minion ${id} ${what}, but allowed_syndics does not name it; it was not served`);
        return false;
      }
    } else if (!this.#knows(id) && this.#minions.has(id)) {
      this.#warn(
        `The minion ${id} ${what}, but it has acted as a minion before; it was not served. ` +
          `If it is to speak for the minions of a master below, add it to allowed_syndics`,
      );
      return false;
    }
    if (!this.#knows(id)) this.note(id, {});
    return true;
  }

  /** Files of before there were marks of keys have none; they hold for whichever key is accepted. */
  #isKeyOf(id: string, keyMark: string): boolean {
    const accepted = this.#deps.keyMark(id);
    return accepted !== undefined && (keyMark === '' || keyMark === accepted);
  }

  /** Remembers a syndic, and marks it where Salt's programs look (CVE-2024-22231: the id is checked as a path). */
  note(id: string, news: Partial<KnownSyndic>): void {
    if (!isValidMinionId(id)) return;
    const before = this.#known.get(id);
    const now = {
      id,
      reports: false,
      isMinion: false,
      ...before,
      ...news,
      keyMark: this.#deps.keyMark(id) ?? '',
    };
    if (before === undefined && this.#known.size >= SYNDICS_MAX)
      return this.#warn(`There are ${SYNDICS_MAX} syndics already; ${id} is not remembered as one`);
    if (before?.reports === now.reports && before.isMinion === now.isMinion && before.keyMark === now.keyMark)
      return;
    this.#known.set(id, now);
    const marks = [
      ...(now.reports ? [REPORTS] : []),
      ...(now.isMinion ? [ALSO_MINION] : []),
      ...(now.keyMark === '' ? [] : [KEY + now.keyMark]),
    ];
    try {
      writeFileAtomic(safeJoin(this.#folder, id), marks.join(' '), { mode: 0o600 });
      this.#mark(id);
    } catch (error) {
      this.#deps.log.warning(`The syndic ${id} could not be remembered: ${messageOf(error)}`);
    }
    if (before === undefined) this.#deps.log.info(`${id} is a syndic.`);
  }

  /** Serves `_syndic_return`: each minion's return as if it had come by itself. Resolves when all are kept. */
  async takeReturns(id: string, load: Dict): Promise<void> {
    if (!this.#claims(id, 'sent returns of other minions')) return;
    this.#mark(id);
    const list = load.get('load');
    const entries = Array.isArray(list) ? list.slice(0, ENTRIES_MAX) : [load]; // old syndics send one by one
    await Promise.all(entries.filter(isDict).map((entry) => this.#takeEntry(id, entry)));
  }

  /** Whom a syndic expects for a job, and who of them is away. */
  async takeReport(id: string, data: Dict): Promise<void> {
    const [jid, minions, lost] = [data.get('jid'), data.get('minions'), data.get('lost')];
    if (!isSafeJid(jid) || !Array.isArray(minions)) return;
    const ids = this.#ofSyndic(id, minions);
    try {
      await this.#deps.jobs.addMinions(jid, ids, id);
      if (!isDict(lost) || lost.size === 0) return;
      const entries = [...lost]
        .filter(([name]) => this.speaksFor(id, String(name)))
        .map(([name, since]) => ({ id: String(name), absentSince: String(since) }));
      await this.#deps.jobs.note(jid, entries);
    } catch (error) {
      this.#deps.log.error(
        `Could not add minion(s) ${ids.slice(0, 20).join(', ')} for job ${jid}: ${messageOf(error)}`,
      );
    }
  }

  async #takeEntry(syndic: string, entry: Dict): Promise<void> {
    const jid = entry.get('jid');
    const returns = entry.get('return');
    if (!isSafeJid(jid) || jid === REQUEST_JID || returns === undefined || !isDict(returns)) return;
    await this.#keepJob(syndic, jid, entry.get('load'));
    const common: [string, Value][] = [];
    for (const name of ['fun', 'fun_args', 'master_id', 'out']) {
      const value = entry.get(name);
      if (value !== undefined) common.push([name, value]);
    }
    const work: Promise<void>[] = [];
    for (const [minion, item] of returns) {
      if (!isValidMinionId(minion)) continue;
      if (!this.speaksFor(syndic, minion)) {
        this.#warn(this.#whyNot(syndic, minion));
        continue;
      }
      // syndics before 3006 send the bare value
      const fields: Dict = isDict(item) && item.has('return') ? new Map(item) : new Map([['return', item]]);
      for (const name of NOT_FROM_BELOW) fields.delete(name);
      for (const [name, value] of common) fields.set(name, value);
      fields.set('jid', jid).set('id', minion);
      work.push(this.#deps.takeReturn(minion, fields));
    }
    await Promise.all(work);
  }

  /** The load of a job that a syndic sends along with its first returns; the first one that is kept stays. */
  async #keepJob(syndic: string, jid: string, load: Value | undefined): Promise<void> {
    const { jobs, opts, days } = this.#deps;
    if (load === undefined || !isDict(load) || load.size === 0 || !opts.get('job_cache')) return;
    // one of a day of which nothing is kept is made up, or was forgotten here
    if (!days.holds(dayOf(jid))) return;
    const kept: Dict = new Map(load);
    const minions = kept.get('Minions');
    kept.delete('Minions');
    // who has logged in below is nobody here
    kept.delete(OWNER_FIELD);
    await jobs.saveJob(jid, kept, []);
    if (Array.isArray(minions)) await jobs.addMinions(jid, this.#ofSyndic(syndic, minions), syndic);
  }

  #ofSyndic(syndic: string, minions: readonly Value[]): string[] {
    return minions.filter(isValidMinionId).filter((minion) => this.speaksFor(syndic, minion));
  }

  #whyNot(syndic: string, minion: string): string {
    const why = this.isOurs(minion)
      ? 'its key is accepted here, so that it speaks for itself'
      : 'allowed_syndics names others for it';
    return `A return that the syndic ${syndic} sent for the minion ${minion} was dropped: ${why}`;
  }

  #knows(id: string): boolean {
    this.#read();
    const known = this.#known.get(id);
    if (known === undefined) return false;
    if (this.#isKeyOf(id, known.keyMark)) return true;
    this.#forget(id); // whoever has the new key must say anew what it is
    return false;
  }

  #markPath(id: string): string {
    return safeJoin(String(this.#deps.opts.raw('syndic_dir')), id);
  }

  #mark(id: string): void {
    const path = this.#markPath(id);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
    try {
      createFile(path, '', { mode: 0o644 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another worker was faster
    }
  }

  #forget(id: string): void {
    this.#known.delete(id);
    rmSync(safeJoin(this.#folder, id), { force: true });
    rmSync(this.#markPath(id), { force: true });
  }

  /** Other workers write here, too. */
  #read(): void {
    const { mtimeMs } = statSync(this.#folder);
    // a second change within the same tick of the file system's clock would go unseen
    if (mtimeMs === this.#readMs && this.#deps.clock.nowMs() - mtimeMs > 1000) return;
    this.#readMs = mtimeMs;
    const known = new Map<string, Remembered>();
    for (const id of readdirSync(this.#folder).slice(0, SYNDICS_MAX)) {
      if (!isValidMinionId(id) || id.startsWith('.')) continue; // files that are being written begin with a dot
      const marks = readMarks(safeJoin(this.#folder, id));
      const keyMark = marks.find((mark) => mark.startsWith(KEY))?.slice(KEY.length) ?? '';
      known.set(id, { id, reports: marks.includes(REPORTS), isMinion: marks.includes(ALSO_MINION), keyMark });
    }
    this.#known = known;
  }
}

function readMarks(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(' ');
  } catch {
    return [];
  }
}
