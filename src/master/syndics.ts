/**
 * What a master that orders masters knows of the syndics below it: which of the accepted ids they are, what they return on
 * behalf of their minions, and whom they expect for a job (salt/master.py `_syndic_return`, `_handle_minion_event`, 3006.16).
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../config/master-options.ts';
import { messageOf } from '../errors/errors.ts';
import { syndicName } from '../events/tags.ts';
import type { Clock } from '../host/clock.ts';
import { createFile, isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../host/files.ts';
import type { Logger } from '../host/log.ts';
import { isSafeJid, REQUEST_JID } from '../jobs/jid.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { expressionMatch } from '../text/expression-match.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { countedWarnings } from './counted-log.ts';

/** Marks in the file of a syndic. */
const REPORTS = 'reports';
const ALSO_MINION = 'minion';
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

/** What the desk needs. */
export interface SyndicDeskParts {
  readonly opts: MasterOptions;
  readonly jobs: JobStore;
  /** Takes one minion's return, once. */
  readonly takeReturn: (id: string, load: Dict) => Promise<void>;
  /** The state of a minion's key; undefined when there is none. */
  readonly keyState: (id: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** See the file's comment. */
export class SyndicDesk {
  readonly #parts: SyndicDeskParts;
  /** Ours: outlives the master, so that a syndic that is away is missed. */
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  #known = new Map<string, KnownSyndic>();
  #readMs = -1;

  constructor(parts: SyndicDeskParts) {
    this.#parts = parts;
    this.#folder = join(parts.opts.get('cachedir'), 'syndics.known');
    this.#warn = countedWarnings(parts.log);
    makeDirectory(this.#folder, 0o700);
  }

  /** The syndics with an accepted key. */
  known(): KnownSyndic[] {
    this.#read();
    const out: KnownSyndic[] = [];
    for (const syndic of this.#known.values()) {
      if (this.#parts.keyState(syndic.id) === 'accepted') out.push(syndic);
      else this.#forget(syndic.id);
    }
    return out;
  }

  /** Whether an accepted minion may speak for others, as `allowed_syndics` says. */
  isAllowed(id: string): boolean {
    const allowed = this.#parts.opts.get('allowed_syndics');
    return allowed.length === 0 || allowed.some((glob) => expressionMatch(id, String(glob)));
  }

  /**
   * Whether this sender of events is a syndic.
   * @param pretag under which name it sends them
   */
  isSyndic(id: string, pretag: Value | undefined): boolean {
    if (!this.isAllowed(id)) return false;
    if (pretag !== syndicName(id)) return this.#knows(id);
    if (!this.#knows(id)) this.note(id, {});
    return true;
  }

  /** A start event: what it says of the sender holds from now on. */
  started(id: string, kind: 'syndic' | 'minion', load: Dict): void {
    if (kind === 'minion') {
      if (this.#knows(id)) this.note(id, { isMinion: true });
    } else if (this.isAllowed(id)) this.note(id, { reports: load.get('reports') === true });
    else this.#refuse(id, 'started as a syndic');
  }

  /** Remembers a syndic, and marks it where Salt's programs look (CVE-2024-22231: the id is checked as a path). */
  note(id: string, news: Partial<KnownSyndic>): void {
    if (!isValidMinionId(id)) return;
    const before = this.#known.get(id);
    const now = { id, reports: false, isMinion: false, ...before, ...news };
    if (before === undefined && this.#known.size >= SYNDICS_MAX)
      return this.#warn(`There are ${SYNDICS_MAX} syndics already; ${id} is not remembered as one`);
    if (before?.reports === now.reports && before.isMinion === now.isMinion) return;
    this.#known.set(id, now);
    const marks = [...(now.reports ? [REPORTS] : []), ...(now.isMinion ? [ALSO_MINION] : [])];
    try {
      writeFileAtomic(safeJoin(this.#folder, id), marks.join(' '), { mode: 0o600 });
      this.#mark(id);
    } catch (error) {
      this.#parts.log.warning(`The syndic ${id} could not be remembered: ${messageOf(error)}`);
    }
    if (before === undefined) this.#parts.log.info(`${id} is a syndic.`);
  }

  /** Serves `_syndic_return`: each minion's return as if it had come by itself. Resolves when all are kept. */
  async takeReturns(id: string, load: Dict): Promise<void> {
    if (!this.isAllowed(id)) return this.#refuse(id, 'sent returns of other minions');
    this.isSyndic(id, syndicName(id));
    this.#mark(id);
    const list = load.get('load');
    const entries = Array.isArray(list) ? list.slice(0, ENTRIES_MAX) : [load]; // old syndics send one by one
    await Promise.all(entries.filter(isDict).map((entry) => this.#takeEntry(id, entry)));
  }

  /** Whom a syndic expects for a job, and who of them is away. */
  async takeReport(id: string, data: Dict): Promise<void> {
    const [jid, minions, lost] = [data.get('jid'), data.get('minions'), data.get('lost')];
    if (!isSafeJid(jid) || !Array.isArray(minions)) return;
    const ids = minions.filter(isValidMinionId);
    try {
      await this.#parts.jobs.addMinions(jid, ids, id);
      if (!isDict(lost) || lost.size === 0) return;
      const entries = [...lost].map(([name, since]) => ({ id: String(name), absentSince: String(since) }));
      await this.#parts.jobs.note(jid, entries);
    } catch (error) {
      this.#parts.log.error(
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
      // syndics before 3006 send the bare value
      const fields: Dict = isDict(item) && item.has('return') ? new Map(item) : new Map([['return', item]]);
      for (const name of NOT_FROM_BELOW) fields.delete(name);
      for (const [name, value] of common) fields.set(name, value);
      fields.set('jid', jid).set('id', minion);
      work.push(this.#parts.takeReturn(minion, fields));
    }
    await Promise.all(work);
  }

  /** The load of a job that a syndic sends along with its first returns; the first one that is kept stays. */
  async #keepJob(syndic: string, jid: string, load: Value | undefined): Promise<void> {
    const { jobs, opts } = this.#parts;
    if (load === undefined || !isDict(load) || load.size === 0 || !opts.get('job_cache')) return;
    const kept: Dict = new Map(load);
    const minions = kept.get('Minions');
    kept.delete('Minions');
    await jobs.saveJob(jid, kept, []);
    if (Array.isArray(minions)) await jobs.addMinions(jid, minions.filter(isValidMinionId), syndic);
  }

  #knows(id: string): boolean {
    this.#read();
    return this.#known.has(id);
  }

  #refuse(id: string, what: string): void {
    this.#warn(`The minion ${id} ${what}, but allowed_syndics does not name it; it was not served`);
  }

  #mark(id: string): void {
    const path = safeJoin(String(this.#parts.opts.raw('syndic_dir')), id);
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
  }

  /** Other workers write here, too. */
  #read(): void {
    const { mtimeMs } = statSync(this.#folder);
    // a second change within the same tick of the file system's clock would go unseen
    if (mtimeMs === this.#readMs && this.#parts.clock.nowMs() - mtimeMs > 1000) return;
    this.#readMs = mtimeMs;
    const known = new Map<string, KnownSyndic>();
    for (const id of readdirSync(this.#folder).slice(0, SYNDICS_MAX)) {
      if (!isValidMinionId(id) || id.startsWith('.')) continue; // files that are being written begin with a dot
      const marks = readMarks(safeJoin(this.#folder, id));
      known.set(id, { id, reports: marks.includes(REPORTS), isMinion: marks.includes(ALSO_MINION) });
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
