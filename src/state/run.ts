/**
 * A state run: low chunks one after the other, what they require before them (salt/state.py `call_chunks`, `call_chunk`,
 * 3006.16).
 */
import { fnmatch } from '../text/fnmatch.ts';
import { pyStr } from '../values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../values/value.ts';
import { ModuleHooks } from './aggregate.ts';
import { StateCaller } from './call-state.ts';
import type { RunEnvironment } from './environment.ts';
import { listeners } from './listen.ts';
import { ParallelStates } from './parallel.ts';
import { PauseFiles } from './pause.ts';
import { RunEvents } from './progress.ts';
import {
  entriesOf,
  findRequisites,
  hasRequisites,
  judge,
  namedBy,
  REQUISITE_KINDS,
  watchBecomesRequire,
  type Entry,
  type Named,
  type Status,
} from './requisites.ts';
import { hasChanges, identified, resultWithoutRun, tagOf, textIn } from './result.ts';

/** How a run is made. */
export interface RunParts {
  readonly environment: RunEnvironment;
  /** The job by which the run can be halted, and which its events name. */
  readonly jid?: string | undefined;
  /** States are not called, only said to be. */
  readonly isMocked?: boolean;
}

/** How often a chunk is looked at again after its requisites ran; more is a circle. */
const DEPTH_MAX = 20;
/** The requisites that can be named in vain. */
const LOSABLE = [...REQUISITE_KINDS.filter((kind) => kind !== 'onfail_all'), 'prerequired'];

/** See the file's comment. */
export class StateRun {
  readonly #environment: RunEnvironment;
  readonly #jid: string | undefined;
  readonly #caller: StateCaller;
  readonly #hooks: ModuleHooks;
  readonly #events: RunEvents;
  readonly #parallel = new ParallelStates();
  /** Results of test runs on behalf of prereq, by tag. */
  readonly #foreseen: Dict = new Map();
  /** The tags that are being looked at. */
  #active = new Set<string>();
  #number = 0;
  #isStopped = false;

  constructor({ environment, jid, isMocked = false }: RunParts) {
    this.#environment = environment;
    this.#jid = jid;
    this.#hooks = new ModuleHooks(environment);
    this.#events = new RunEvents(environment, jid);
    this.#caller = new StateCaller({
      environment,
      parallel: this.#parallel,
      isMocked,
      nextNumber: () => this.#number++,
    });
  }

  /**
   * Runs all chunks, then those that listen, then those with beacons.
   * @param chunks sorted; changed on the way
   * @returns the results by tag
   */
  async callAll(chunks: Dict[]): Promise<Dict> {
    try {
      const results = await this.callChunks(chunks);
      await this.#callListeners(chunks, results);
      const beacons = chunks.filter((chunk) => chunk.has('beacon')).map(beaconChunk);
      return merge(results, await this.callChunks(beacons));
    } finally {
      await this.#events.flush();
      if (this.#jid !== undefined) this.#pauses.remove(this.#jid);
    }
  }

  /** Calls one state without regard to requisites. */
  async callOne(low: Dict): Promise<Dict> {
    await this.#hooks.init(low);
    const result = await this.#caller.call(low, [], new Map());
    await this.#parallel.settle([result]);
    return result;
  }

  /** Runs one chunk, and what it requires. */
  async callChunkAlone(low: Dict, chunks: Dict[]): Promise<Dict> {
    const running: Dict = new Map();
    await this.#callChunk(low, running, chunks);
    await this.#parallel.settle(running.values());
    await this.#events.flush();
    return running;
  }

  /** Runs chunks in their order. */
  async callChunks(chunks: Dict[]): Promise<Dict> {
    const disabled = this.#takeDisabled(chunks);
    const running: Dict = new Map();
    const { signal } = this.#environment.job;
    for (const low of chunks) {
      if (!running.has(tagOf(low))) {
        if (signal.aborted || !(await this.#mayRun(low))) break;
        await this.#callChunk(low, running, chunks);
        if (this.#isStopped || this.#stopsAfter(low, running)) break;
      }
      this.#active = new Set();
    }
    const isStopped = this.#isStopped;
    this.#isStopped = false;
    await this.#parallel.settle(running.values());
    return isStopped ? running : merge(disabled, running);
  }

  get #pauses(): PauseFiles {
    return new PauseFiles(pyStr(this.#environment.opts.get('cachedir') ?? ''));
  }

  async #mayRun(low: Dict): Promise<boolean> {
    if (this.#jid === undefined) return true;
    const { clock, signal } = this.#environment.job;
    return this.#pauses.mayRun(this.#jid, textIn(low, '__id__'), clock, signal);
  }

  /** Takes the chunks out that the grain `state_runs_disabled` names. @returns their results */
  #takeDisabled(chunks: Dict[]): Dict {
    const patterns = this.#environment.context.grains.get('state_runs_disabled');
    const results: Dict = new Map();
    if (!Array.isArray(patterns)) return results;
    for (const low of [...chunks]) {
      const full = `${textIn(low, 'state')}.${textIn(low, 'fun')}`;
      const pattern = patterns.map(pyStr).find((one) => fnmatch(full, one));
      if (pattern === undefined) continue;
      const comment = `The state function "${full}" is currently disabled by "${pattern}", to re-enable, run state.enable ${pattern}.`;
      const sls = low.get('__sls__') ?? null;
      results.set(
        tagOf(low),
        dict({ changes: {}, result: false, comment, __run_num__: this.#number++, __sls__: sls }),
      );
      chunks.splice(chunks.indexOf(low), 1);
    }
    return results;
  }

  /** Whether a failure of this chunk ends the run. */
  #stopsAfter(low: Dict, running: Dict): boolean {
    if (this.#environment.isTest) return false;
    if (!truthy(low.has('failhard') ? low.get('failhard') : this.#environment.opts.get('failhard')))
      return false;
    const result = running.get(tagOf(low));
    return isDict(result) && result.get('result') === false;
  }

  async #callChunk(given: Dict, running: Dict, chunks: Dict[], depth = 0): Promise<void> {
    const low = await this.#hooks.aggregate(given, running, chunks);
    await this.#hooks.init(low);
    const tag = tagOf(low);
    if (!truthy(low.get('prerequired'))) this.#active.add(tag);
    const { status, named } = await this.#status(low, running, chunks);
    if (status === 'unmet') {
      if (!(await this.#runRequisites({ low, tag, running, chunks, depth }))) return;
    } else if (status === 'fail') {
      running.set(tag, this.#requisiteFailed(low, tag, running, named));
    } else if (status === 'pre' || status === 'onfail' || status === 'onchanges') {
      const result = this.#leftOut(low, status);
      running.set(tag, result);
      if (status === 'pre') this.#foreseen.set(tag, result);
    } else if (status === 'change' && !truthy(low.get('__prereq__'))) {
      running.set(tag, await this.#callWatching(low, named, running, chunks));
    } else {
      const results = truthy(low.get('__prereq__')) ? this.#foreseen : running;
      results.set(tag, await this.#caller.call(low, chunks, running));
    }
    await this.#finish(low, tag, running, chunks);
  }

  /** Tells of a result, and adds those that a state gives for parts of itself. */
  async #finish(low: Dict, tag: string, running: Dict, chunks: Dict[]): Promise<void> {
    const result = running.get(tag);
    if (!isDict(result)) return;
    await this.#events.tell(result, chunks.length, low.get('fire_event') ?? null);
    const parts = result.get('sub_state_run');
    result.delete('sub_state_run');
    for (const part of Array.isArray(parts) ? parts : []) {
      const partLow = isDict(part) ? part.get('low') : undefined;
      if (!isDict(part) || !isDict(partLow)) continue;
      this.#number++;
      running.set(tagOf(partLow), this.#partResult(low, part));
    }
  }

  #partResult(low: Dict, part: Dict): Dict {
    const comment = pyStr(part.get('comment') ?? '');
    const result = resultWithoutRun(low, this.#environment.job.clock, {
      ...{ result: truthy(part.get('result')), comment, __state_ran__: true, __run_num__: this.#number },
    });
    for (const key of ['changes', 'result', 'duration', 'start_time']) {
      const value = part.get(key);
      if (value !== undefined) result.set(key, value);
    }
    return result;
  }

  async #status(low: Dict, running: Dict, chunks: Dict[]): Promise<{ status: Status; named: Named }> {
    const states = await this.#environment.states();
    for (const watch of ['watch', 'watch_any'] as const) await watchBecomesRequire(low, states, watch);
    if (!hasRequisites(low)) return { status: 'met', named: new Map() };
    const disabled = this.#environment.opts.get('disabled_requisites') ?? [];
    const named = findRequisites(low, chunks, {
      disabled: Array.isArray(disabled) ? disabled : [disabled],
      withPrerequired: !truthy(low.get('__prereq__')),
      warn: (text) => this.#environment.job.log.warning(text),
    });
    if (named === undefined) return { status: 'unmet', named: new Map() };
    for (const required of named.values())
      await this.#parallel.settle(required.map((chunk) => running.get(tagOf(chunk)) ?? null));
    return { status: judge(named, running, this.#foreseen), named };
  }

  /**
   * Runs what a chunk requires and has not run yet, then the chunk itself.
   * @returns whether its result is still to be told of
   */
  async #runRequisites(look: Look): Promise<boolean> {
    const { low, tag, running, chunks, depth } = look;
    const { wanted, lost } = wantedBy(low, chunks);
    if ([...lost.values()].some((entries) => entries.length > 0)) {
      const result = this.#withoutRun(low, { result: false, comment: lostSentence(lost) });
      (truthy(low.get('__prereq__')) ? this.#foreseen : running).set(tag, result);
      await this.#events.tell(result, chunks.length, low.get('fire_event') ?? null);
      return false;
    }
    for (const chunk of wanted) {
      const wantedTag = tagOf(chunk);
      if (running.has(wantedTag)) continue;
      if (this.#active.has(wantedTag)) {
        await this.#meetActive(look, chunk);
        return false;
      }
      await this.#callChunk(chunk, running, chunks);
      if (this.#isStopped || this.#stopsAfter(chunk, running)) {
        this.#isStopped = true;
        return false;
      }
    }
    const isCircle = depth + 1 >= DEPTH_MAX;
    if (truthy(low.get('__prereq__'))) await this.#foresee(look);
    else if (isCircle) running.set(tag, this.#circle(low));
    else await this.#callChunk(low, running, chunks, depth + 1);
    const last = wanted.at(-1);
    if (last !== undefined && this.#stopsAfter(last, running)) {
      this.#isStopped = true;
      return false;
    }
    return isCircle;
  }

  /** A required chunk that waits for this one: with prereq that is as it should be, else it is a circle. */
  async #meetActive({ low, tag, running, chunks }: Look, chunk: Dict): Promise<void> {
    if (truthy(chunk.get('__prerequired__'))) {
      if (this.#foreseen.has(tag)) return;
      low.set('__prereq__', true);
      this.#foreseen.set(tagOf(chunk), await this.#caller.call(low, chunks, running));
      return;
    }
    const circle = this.#circle(low);
    running.set(tag, circle);
    this.#number++;
    await this.#events.tell(circle, chunks.length, low.get('fire_event') ?? null);
  }

  /** Runs a chunk in test mode, for the one that has it as prereq. */
  async #foresee({ low, tag, running, chunks }: Look): Promise<void> {
    const { status } = await this.#status(low, running, chunks);
    const foreseen = await this.#caller.call(low, chunks, running);
    this.#foreseen.set(tag, foreseen);
    if (hasChanges(foreseen) || status !== 'change') return;
    foreseen.set('changes', dict({ watch: 'watch' }));
    foreseen.set('result', null);
  }

  #circle(low: Dict): Dict {
    this.#environment.job.log.error('Recursive requisite found');
    const comment = 'Recursive requisite found';
    return identified(dict({ changes: {}, result: false, comment, __run_num__: this.#number }), low);
  }

  #withoutRun(
    low: Dict,
    fields: { readonly result: boolean; readonly comment: string; readonly [key: string]: Value },
  ): Dict {
    return resultWithoutRun(low, this.#environment.job.clock, { ...fields, __run_num__: this.#number++ });
  }

  #leftOut(low: Dict, status: 'pre' | 'onfail' | 'onchanges'): Dict {
    if (status === 'pre') return this.#withoutRun(low, { result: true, comment: 'No changes detected' });
    const comment =
      status === 'onfail'
        ? 'State was not run because onfail req did not change'
        : 'State was not run because none of the onchanges reqs changed';
    return this.#withoutRun(low, { result: true, comment, __state_ran__: false });
  }

  #requisiteFailed(low: Dict, tag: string, running: Dict, named: Named): Dict {
    const foreseen = this.#foreseen.get(tag);
    if (isDict(foreseen)) {
      // what it would have changed was not changed
      foreseen.set('changes', new Map());
      foreseen.set('__run_num__', this.#number++);
      return identified(foreseen, low);
    }
    const failed = new Set<string>();
    for (const required of [...named.values()].flat()) {
      const requiredTag = tagOf(required);
      const result = this.#foreseen.get(requiredTag) ?? running.get(requiredTag);
      if (isDict(result) && result.get('result') === false)
        failed.add(`${textIn(required, '__sls__')}.${textIn(required, '__id__')}`);
    }
    const comment = `One or more requisite failed: ${[...failed].join(', ')}`;
    const result = this.#withoutRun(low, { result: false, comment });
    this.#foreseen.set(tag, result);
    return result;
  }

  /** Calls a state that watches something changed: when it changes nothing itself, its `mod_watch` is called. */
  async #callWatching(low: Dict, named: Named, running: Dict, chunks: Dict[]): Promise<Dict> {
    const result = await this.#caller.call(low, chunks, running);
    if (hasChanges(result) || truthy(result.get('skip_watch'))) return result;
    const requisites: Dict = new Map([...named].map(([kind, required]) => [kind, [...required]]));
    return this.#caller.call(watchChunk(low).set('__reqs__', requisites), chunks, running);
  }

  async #callListeners(chunks: Dict[], results: Dict): Promise<void> {
    const { calls, faults } = listeners(chunks, results);
    merge(results, await this.callChunks(calls));
    for (const [tag, fault] of faults) results.set(tag, fault.set('__run_num__', this.#number++));
  }
}

/** One look at a chunk. */
interface Look {
  readonly low: Dict;
  readonly tag: string;
  readonly running: Dict;
  readonly chunks: Dict[];
  readonly depth: number;
}

/** The chunks that a chunk requires, in the order of its requisites, and the entries that name none. */
function wantedBy(low: Dict, chunks: Dict[]): { wanted: Dict[]; lost: Map<string, Entry[]> } {
  const wanted: Dict[] = [];
  const lost = new Map<string, Entry[]>();
  const kinds = truthy(low.get('__prereq__')) ? LOSABLE.filter((kind) => kind !== 'prerequired') : LOSABLE;
  for (const kind of kinds) {
    const missing: Entry[] = [];
    lost.set(kind, missing);
    for (const entry of entriesOf(low, kind)) {
      const matches = namedBy(entry, chunks);
      if (matches.length === 0) missing.push(entry);
      for (const chunk of matches) {
        if (kind === 'prereq') chunk.set('__prereq__', true);
        if (kind === 'prerequired' && entry.key !== 'sls') chunk.set('__prerequired__', true);
        wanted.push(chunk);
      }
    }
  }
  return { wanted, lost };
}

function lostSentence(lost: ReadonlyMap<string, readonly Entry[]>): string {
  let sentence = 'The following requisites were not found:\n';
  for (const [kind, entries] of lost) {
    if (entries.length === 0) continue;
    sentence += `${' '.repeat(19)}${kind}:\n`;
    for (const { key, value } of entries) sentence += `${' '.repeat(23)}${key}: ${pyStr(value)}\n`;
  }
  return sentence;
}

/** The chunk that calls `mod_watch` of a state. */
export function watchChunk(low: Dict): Dict {
  const watch: Dict = new Map(low);
  watch.set('sfun', low.get('fun') ?? null);
  return watch.set('fun', 'mod_watch');
}

function beaconChunk(low: Dict): Dict {
  const beacon: Dict = new Map(low);
  beacon.set('sfun', low.get('fun') ?? null);
  beacon.set('fun', 'mod_beacon');
  return beacon.set('__id__', `beacon_${textIn(low, '__id__')}`);
}

function merge(into: Dict, more: Dict): Dict {
  for (const [key, value] of more) into.set(key, value);
  return into;
}
