/**
 * What a master keeps of an orchestration below its `cachedir`: what was asked for, the jobs of its steps before they
 * are published, and the results of its steps as they end. Another run goes on from there, also after a `kill -9`. Not
 * in Salt.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { encode } from '../../formats/wire/msgpack.ts';
import { makeDirectory, safeJoin } from '../../host/files.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dropLock, takeLock } from '../../host/owner-lock.ts';
import { readRecords, RecordFile } from './record-file.ts';

/** The folder below the master's `cachedir`. */
const ORCHESTRATIONS = 'orchestrations';
/** Orchestrations that are kept; the oldest go first. */
const KEPT_MAX = 1000;
const ENDING = '.steps';

/** What becomes of a request to go on with an orchestration. */
export type Resumed =
  | { readonly journal: OrchestrationJournal; readonly asked: Dict }
  /** Nothing is kept of it. */
  | { readonly refusal: 'unknown' }
  /** Another process is at it. */
  | { readonly refusal: 'running'; readonly pid: number };

/** One orchestration's journal, held by one process. */
export class OrchestrationJournal {
  readonly #folder: string;
  readonly #name: string;
  readonly #file: RecordFile;
  /** What earlier runs have done, by step. */
  readonly #done: ReadonlyMap<string, Dict>;
  /** Jobs that were given to a step that has not ended, oldest first. */
  readonly #begun: Map<string, string[]>;
  /** The last runs of functions of the master, by step and call. */
  readonly #runs: ReadonlyMap<string, string>;

  #isWorthKeeping: boolean;
  #fault: unknown;

  private constructor(folder: string, name: string, file: RecordFile, records: readonly Dict[]) {
    this.#folder = folder;
    this.#name = name;
    this.#file = file;
    const read = readSteps(records);
    this.#done = read.done;
    this.#begun = read.begun;
    this.#runs = read.runs;
    this.#isWorthKeeping = records.length > 1;
  }

  /**
   * Begins one.
   * @param jid its job
   * @param asked what it was asked for
   * @returns undefined when there is one of this job that runs
   */
  static begin(cachedir: string, jid: string, asked: Dict): OrchestrationJournal | undefined {
    const folder = join(cachedir, ORCHESTRATIONS);
    makeDirectory(folder, 0o700);
    trim(folder);
    const path = pathOf(folder, jid);
    if (takeLock(`${path}.lock`) !== undefined) return undefined;
    rmSync(path, { force: true });
    const { file } = RecordFile.open(path);
    file.append(dict({ kind: 'asked', jid, asked }));
    return new OrchestrationJournal(folder, jid, file, []);
  }

  /**
   * Goes on with one.
   * @param jid the job of its first run, or of one that went on with it
   * @param by the job that goes on now
   */
  static resume(cachedir: string, jid: string, by: string): Resumed {
    const folder = join(cachedir, ORCHESTRATIONS);
    const name = firstOf(folder, jid);
    if (name === undefined) return { refusal: 'unknown' };
    const path = pathOf(folder, name);
    const pid = takeLock(`${path}.lock`);
    if (pid !== undefined) return { refusal: 'running', pid };
    const { file, records } = RecordFile.open(path);
    const asked = records[0]?.get('asked');
    if (by !== name) linkTo(folder, by, name);
    return {
      journal: new OrchestrationJournal(folder, name, file, records),
      asked: isDict(asked) ? asked : new Map(),
    };
  }

  /** Whether anything is kept of an orchestration. */
  static isKept(cachedir: string, jid: string): boolean {
    return firstOf(join(cachedir, ORCHESTRATIONS), jid) !== undefined;
  }

  /** The job of the first run. */
  get jid(): string {
    return this.#name;
  }

  /** The result of a step that was done by an earlier run, and succeeded; the same arguments are part of what it is. */
  result(step: string, low: Dict): Dict | undefined {
    const kept = this.#done.get(step);
    const result = kept?.get('result');
    if (!isDict(result) || result.get('result') !== true) return undefined;
    return kept?.get('sum') === sumOf(low) ? new Map(result) : undefined;
  }

  /** Takes the next job that an earlier run gave to a step that it did not end. */
  takeJob(step: string): string | undefined {
    return this.#begun.get(step)?.shift();
  }

  /** Keeps a job of a step, before it is published or run. */
  keepJob(step: string, jid: string): void {
    this.#keep(dict({ kind: 'job', step, jid }));
  }

  /** Whether an earlier run gave a job to a step that it did not end. */
  hasJob(step: string): boolean {
    return (this.#begun.get(step)?.length ?? 0) > 0;
  }

  /**
   * The job of a function of the master that an earlier run called.
   * @param call stands for the step and what it calls
   */
  runOf(call: string): string | undefined {
    return this.#runs.get(call);
  }

  /** Keeps the job of a function of the master, before it is run. */
  keepRun(call: string, jid: string): void {
    this.#keep(dict({ kind: 'run', step: call, jid }));
  }

  /** A step begins anew: its earlier jobs count no more. */
  forgetJobs(step: string): void {
    this.#keep(dict({ kind: 'again', step }));
  }

  /** Keeps the result of a step. */
  keepResult(step: string, low: Dict, result: Dict): void {
    this.#keep(new Map<Value, Value>([...dict({ kind: 'done', step, sum: sumOf(low) }), ['result', result]]));
  }

  /** Why not everything is kept; undefined while it is. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Whether there is anything that another run can go on after. */
  get isWorthKeeping(): boolean {
    return this.#isWorthKeeping;
  }

  /** Lets it go. @param isComplete all went well: nothing of it is kept */
  close(isComplete: boolean): void {
    this.#file.close();
    const path = pathOf(this.#folder, this.#name);
    if (isComplete || !this.#isWorthKeeping) rmSync(path, { force: true });
    dropLock(`${path}.lock`);
  }

  /** A full disk does not end a roll-out: it is told at the end, and nothing more is kept. */
  #keep(record: Dict): void {
    this.#isWorthKeeping = true;
    if (this.#fault !== undefined) return;
    try {
      this.#file.append(record);
    } catch (error) {
      this.#fault = error;
    }
  }
}

/** What was done, and what was begun and not done, out of the records. */
function readSteps(records: readonly Dict[]): {
  done: Map<string, Dict>;
  begun: Map<string, string[]>;
  runs: Map<string, string>;
} {
  const done = new Map<string, Dict>();
  const begun = new Map<string, string[]>();
  const runs = new Map<string, string>();
  for (const record of records) {
    const step = pyStr(record.get('step') ?? '');
    if (record.get('kind') === 'done') {
      done.set(step, record);
      begun.delete(step);
    } else if (record.get('kind') === 'again') begun.delete(step);
    else if (record.get('kind') === 'run') runs.set(step, pyStr(record.get('jid') ?? ''));
    else if (record.get('kind') === 'job') {
      const jobs = begun.get(step) ?? [];
      const jid = pyStr(record.get('jid') ?? '');
      if (!jobs.includes(jid)) jobs.push(jid);
      begun.set(step, jobs);
    }
  }
  return { done, begun, runs };
}

/** What a step is to do, without what differs from run to run. */
function sumOf(low: Dict): string {
  const lasting = [...low].filter(([key]) => {
    const name = pyStr(key);
    return !name.startsWith('__') && name !== 'order';
  });
  return createHash('sha256')
    .update(encode(new Map(lasting), 'local'))
    .digest('hex');
}

function pathOf(folder: string, jid: string): string {
  return safeJoin(folder, `${jid}${ENDING}`);
}

/** The job of the first run; undefined when nothing is kept. */
function firstOf(folder: string, jid: string): string | undefined {
  let name = jid;
  for (let hops = 0; hops < 2; hops++) {
    const path = pathOf(folder, name);
    if (!existsSync(path)) return undefined;
    const next = readRecords(path)[0]?.get('continues');
    if (typeof next !== 'string') return name;
    name = next;
  }
  return undefined;
}

/** Notes under the job of a run which orchestration it goes on with. */
function linkTo(folder: string, jid: string, first: string): void {
  const path = pathOf(folder, jid);
  rmSync(path, { force: true });
  const { file } = RecordFile.open(path);
  file.append(dict({ kind: 'continues', continues: first }));
  file.close();
}

/** Removes the oldest, so that no more are kept than may be. */
function trim(folder: string): void {
  const kept = readdirSync(folder).filter((name) => name.endsWith(ENDING));
  if (kept.length < KEPT_MAX) return;
  const dated = kept.map((name) => ({ name, ms: modifiedMs(join(folder, name)) }));
  dated.sort((a, b) => a.ms - b.ms);
  for (const { name } of dated.slice(0, kept.length - KEPT_MAX + 1))
    rmSync(join(folder, name), { force: true });
}

function modifiedMs(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0; // another process was quicker
  }
}
