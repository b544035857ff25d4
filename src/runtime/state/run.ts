/**
 * A state run: low chunks one after the other, what they require before them (salt/state.py `call_chunks`,
 * `call_chunk`, 3006.16).
 */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict } from '../../python/values/value.ts';
import { ModuleHooks } from './aggregate.ts';
import { StateCaller } from './call-state.ts';
import { ChunkIndex } from './chunk-index.ts';
import { beaconChunk, CHANGES_APART, watchChunk } from './derived-chunks.ts';
import { takeDisabled } from './disabled-states.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { FilesAhead } from './files-ahead.ts';
import { joinWithOthers } from './join.ts';
import { listeners } from './listen.ts';
import { ParallelStates } from './parallel.ts';
import { PauseFiles } from './pause.ts';
import { RunEvents } from './progress.ts';
import {
  findRequisites,
  hasRequisites,
  judge,
  watchBecomesRequire,
  type Lookup,
  type Found,
  type Named,
  type Status,
} from './requisites.ts';
import { hasChanges, tagOf, textIn } from './result.ts';
import { ResultsWithoutRun } from './results-without-run.ts';
import { RunNumbers } from './run-numbers.ts';
import type { RunSteps } from '../loader/run-steps.ts';
import { SlsIncludes } from './sls-includes.ts';
import { takeParts } from './sub-states.ts';
import { wantedBy } from './wanted-chunks.ts';

/** How a run is made. */
export interface StateRunDeps {
  readonly environment: RunEnvironment;
  /** The job by which the run can be halted, and which its events name. */
  readonly jid?: string | undefined;
  /** States are not called, only said to be. */
  readonly isMocked?: boolean;
  /** Keeps what the run does, for another run that goes on after it. */
  readonly steps?: RunSteps | undefined;
  /** Asks the file server ahead for what states need. */
  readonly ahead?: FilesAhead;
  /** What the SLS of the run include. */
  readonly includes?: SlsIncludes;
}

/** How often a chunk is looked at again after its requisites ran; more is a circle. */
const DEPTH_MAX = 20;

/** Runs low chunks in their order, each after what it requires. */
export class StateRun {
  readonly #environment: RunEnvironment;
  readonly #jid: string | undefined;
  readonly #caller: StateCaller;
  readonly #hooks: ModuleHooks;
  readonly #events: RunEvents;
  readonly #numbers = new RunNumbers();
  readonly #index = new ChunkIndex();
  readonly #includes: SlsIncludes;
  readonly #unrun: ResultsWithoutRun;
  readonly #parallel = new ParallelStates();
  readonly #steps: RunSteps | undefined;
  readonly #ahead: FilesAhead | undefined;
  /** What is still to be kept of states that go on beside the run. */
  #keeping: Promise<void>[] = [];
  /** Results of test runs on behalf of prereq, by tag. */
  readonly #foreseen: Dict = new Map();
  /** The tags that are being looked at. */
  #active = new Set<string>();
  /** The parallel chunks that wait for others, and how many of those had ended when they were looked at. */
  readonly #pending = new Set<Dict>();
  #endedSeen = 0;
  #isStopped = false;
  #isEnded = false;

  constructor({ environment, jid, isMocked = false, steps, ahead, includes }: StateRunDeps) {
    this.#includes = includes ?? new SlsIncludes();
    this.#ahead = ahead;
    this.#steps = environment.isTest ? undefined : steps;
    this.#environment = environment;
    this.#jid = jid;
    this.#hooks = new ModuleHooks(environment);
    this.#events = new RunEvents(environment, jid);
    this.#unrun = new ResultsWithoutRun(environment, this.#numbers);
    this.#caller = new StateCaller({
      environment,
      parallel: this.#parallel,
      isMocked,
      nextNumber: () => this.#numbers.take(),
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
    const disabled = takeDisabled(chunks, this.#environment.context.grains, this.#numbers);
    const running: Dict = new Map();
    if (await this.#callInOrder(chunks, running)) await this.#endPending(running, chunks);
    this.#pending.clear();
    const isStopped = this.#isStopped;
    this.#isStopped = false;
    await this.#parallel.settle(running.values());
    await Promise.all(this.#keeping.splice(0));
    return isStopped ? running : merge(disabled, running);
  }

  /** @returns whether the run goes on */
  async #callInOrder(chunks: Dict[], running: Dict): Promise<boolean> {
    const { signal } = this.#environment.job;
    for (const low of chunks) {
      if (!(await this.#callPending(running, chunks))) return false;
      if (!running.has(tagOf(low))) {
        if (signal.aborted) return false;
        if (!(await this.#mayRun(low))) {
          if (!signal.aborted) this.#endHere(low, running, chunks);
          return false;
        }
        if (await this.#callChunk(low, running, chunks, { mayWait: true })) this.#pending.add(low);
        else if (this.#isStopped || this.#stopsAfter(low, running)) return false;
      }
      this.#active = new Set();
    }
    return true;
  }

  /**
   * Looks again at the parallel states that wait for others, once another of those has ended.
   * Salt compat: 3006.16 lets all of the run wait for what one parallel state requires (59959).
   * @returns whether the run goes on
   */
  async #callPending(running: Dict, chunks: Dict[]): Promise<boolean> {
    if (this.#pending.size === 0 || this.#parallel.ended === this.#endedSeen) return true;
    this.#endedSeen = this.#parallel.ended;
    for (const low of this.#pending) {
      this.#active = new Set();
      if (!running.has(tagOf(low)) && (await this.#callChunk(low, running, chunks, { mayWait: true })))
        continue;
      this.#pending.delete(low);
      if (this.#isStopped || this.#stopsAfter(low, running)) return false;
    }
    this.#active = new Set();
    return true;
  }

  /** Runs the parallel states that still wait for others. */
  async #endPending(running: Dict, chunks: Dict[]): Promise<void> {
    while (this.#pending.size > 0 && !this.#environment.job.signal.aborted) {
      await this.#parallel.nextEnd();
      if (!(await this.#callPending(running, chunks))) return;
    }
  }

  get #pauses(): PauseFiles {
    return new PauseFiles(pyStr(this.#environment.opts.get('cachedir') ?? ''));
  }

  async #mayRun(low: Dict): Promise<boolean> {
    if (this.#jid === undefined) return true;
    const { clock, signal } = this.#environment.job;
    return this.#pauses.mayRun(this.#jid, textIn(low, '__id__'), clock, signal);
  }

  /**
   * Says once at which state `state.soft_kill` has ended the run.
   * Salt compat: there the states that have not run are left out, and the run is a success.
   */
  #endHere(low: Dict, running: Dict, chunks: readonly Dict[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const left = chunks.filter((chunk) => !running.has(tagOf(chunk))).length;
    running.set(tagOf(low), this.#unrun.ended(low, left));
  }

  /** Whether a failure of this chunk ends the run. */
  #stopsAfter(low: Dict, running: Dict): boolean {
    if (this.#environment.isTest) return false;
    if (!truthy(low.has('failhard') ? low.get('failhard') : this.#environment.opts.get('failhard')))
      return false;
    const result = running.get(tagOf(low));
    return isDict(result) && result.get('result') === false;
  }

  /** @returns whether the chunk waits for others that go on beside the run, and has no result yet */
  async #callChunk(low: Dict, running: Dict, chunks: Dict[], how: HowCalled = {}): Promise<boolean> {
    await this.#hooks.init(low);
    const tag = tagOf(low);
    if (!truthy(low.get('prerequired'))) this.#active.add(tag);
    await this.#ahead?.forState(low, chunks);
    const isForeseen = truthy(low.get('__prereq__'));
    const isBeside = truthy(low.get('parallel')) && !isForeseen;
    const mayWait = how.mayWait === true && isBeside;
    const { status, named } = await this.#status(low, running, chunks, mayWait);
    if (status === 'pending') return this.#waits(tag);
    if (status === 'unmet') {
      const look = { low, tag, running, chunks, depth: how.depth ?? 0, mayWait };
      const outcome = await this.#runRequisites(look);
      if (outcome !== 'untold') return outcome === 'waiting' && this.#waits(tag);
    } else if (status === 'fail') {
      running.set(tag, this.#unrun.requisiteFailed(low, named, running, this.#foreseen));
    } else if (status === 'pre' || status === 'onfail' || status === 'onchanges') {
      const result = this.#unrun.leftOut(low, status);
      running.set(tag, result);
      if (status === 'pre') this.#foreseen.set(tag, result);
    } else {
      if (isBeside && mayWait && this.#isFull) return this.#waits(tag);
      while (isBeside && this.#isFull) await this.#parallel.nextEnd();
      const joined = await this.#joined(low, running, chunks);
      if (this.#isStopped) return false;
      const isWatching = status === 'change' && !isForeseen;
      const call = (): Promise<Dict> =>
        isWatching
          ? this.#callWatching(joined, named, running, chunks)
          : this.#caller.call(joined, chunks, running);
      (isForeseen ? this.#foreseen : running).set(tag, await this.#asStep(joined, chunks, running, call));
    }
    await this.#finish(low, tag, running, chunks);
    return false;
  }

  /** Whether `state_max_parallel` lets no other state begin beside the run (3008). */
  get #isFull(): boolean {
    return this.#parallel.isFull(toNumber(this.#environment.opts.get('state_max_parallel') ?? 0) ?? 0);
  }

  #waits(tag: string): true {
    this.#active.delete(tag);
    return true;
  }

  #joined(low: Dict, running: Dict, chunks: Dict[]): Promise<Dict> {
    return joinWithOthers(low, running, chunks, {
      hooks: this.#hooks,
      status: async (chunk) => (await this.#status(chunk, running, chunks, true)).status,
      required: (chunk) => this.#found(chunk, running, chunks)?.named,
      isActive: (chunk) => this.#active.has(tagOf(chunk)) && !running.has(tagOf(chunk)),
      run: async (chunk) => {
        await this.#callChunk(chunk, running, chunks);
        this.#isStopped ||= this.#stopsAfter(chunk, running);
        return !this.#isStopped;
      },
    });
  }

  /** Calls a chunk, unless it was done before, and keeps what comes of it. */
  async #asStep(low: Dict, chunks: Dict[], running: Dict, call: () => Promise<Dict>): Promise<Dict> {
    const steps = this.#steps;
    if (steps === undefined) return call();
    const isForeseen = truthy(low.get('__prereq__'));
    const known = steps.known(low);
    if (known !== undefined) {
      if (isForeseen) low.set('__prereq__', false);
      else known.set('__run_num__', this.#numbers.take());
      return known;
    }
    if (isForeseen) return call();
    await steps.begin(low, { number: running.size + 1, of: chunks.length });
    const result = await call();
    const later = this.#parallel.resultOf(result);
    if (later === undefined) await steps.end(low, result);
    else this.#keeping.push(later.then((ended) => steps.end(low, ended)));
    return result;
  }

  /** Tells of a result, and adds those that a state gives for parts of itself. */
  async #finish(low: Dict, tag: string, running: Dict, chunks: Dict[]): Promise<void> {
    const result = running.get(tag);
    if (!isDict(result)) return;
    this.#ahead?.changed(low, result);
    await this.#events.tell(result, chunks.length, low.get('fire_event') ?? null);
    merge(running, takeParts(low, result, this.#environment.job.clock, this.#numbers));
  }

  /** @param mayWait what goes on beside the run is not waited for, the chunk is `pending` instead */
  async #status(
    low: Dict,
    running: Dict,
    chunks: Dict[],
    mayWait = false,
  ): Promise<{ status: Status | 'pending'; named: Named }> {
    const states = await this.#environment.states();
    for (const watch of ['watch', 'watch_any'] as const) await watchBecomesRequire(low, states, watch);
    if (!hasRequisites(low)) return { status: 'met', named: new Map() };
    const found = this.#found(low, running, chunks);
    if (found === undefined) return { status: 'unmet', named: new Map() };
    const { named } = found;
    const results = [...named.values()].flat().map((chunk) => running.get(tagOf(chunk)) ?? null);
    const isPending = mayWait && results.some((result) => this.#parallel.isGoing(result));
    if (!isPending) await this.#parallel.settle(results);
    const status = judge(found, running, this.#foreseen);
    return { status: isPending && status !== 'unmet' ? 'pending' : status, named };
  }

  #found(low: Dict, running: Dict, chunks: Dict[]): Found | undefined {
    const disabled = this.#environment.opts.get('disabled_requisites') ?? [];
    return findRequisites(low, chunks, {
      disabled: Array.isArray(disabled) ? disabled : [disabled],
      lookup: this.#lookup(running),
      withPrerequired: !truthy(low.get('__prereq__')),
      warn: (text) => this.#environment.job.log.warning(text),
    });
  }

  #lookup(running: Dict): Lookup {
    const isWaiting = (chunk: Dict): boolean => {
      const tag = tagOf(chunk);
      return this.#active.has(tag) && !running.has(tag);
    };
    return { index: this.#index, includes: this.#includes, isWaiting };
  }

  /**
   * Runs what a chunk requires and has not run yet, then the chunk itself.
   * @returns whether its result is still to be told of, or the chunk waits for what goes on beside the run
   */
  async #runRequisites(look: Look): Promise<'told' | 'untold' | 'waiting'> {
    const { low, tag, running, chunks, depth, mayWait } = look;
    const { wanted, lost } = wantedBy(low, chunks, this.#lookup(running));
    if ([...lost.values()].some((entries) => entries.length > 0)) {
      const result = this.#unrun.requisitesLost(low, lost);
      (truthy(low.get('__prereq__')) ? this.#foreseen : running).set(tag, result);
      await this.#events.tell(result, chunks.length, low.get('fire_event') ?? null);
      return 'told';
    }
    for (const chunk of wanted) {
      const wantedTag = tagOf(chunk);
      if (running.has(wantedTag)) continue;
      if (this.#active.has(wantedTag)) {
        await this.#meetActive(look, chunk);
        return 'told';
      }
      if (await this.#callChunk(chunk, running, chunks, { mayWait })) return 'waiting';
      if (this.#isStopped || this.#stopsAfter(chunk, running)) {
        this.#isStopped = true;
        return 'told';
      }
    }
    const isCircle = depth + 1 >= DEPTH_MAX;
    if (truthy(low.get('__prereq__'))) await this.#foresee(look);
    else if (isCircle) running.set(tag, this.#unrun.circle(low));
    else if (await this.#callChunk(low, running, chunks, { depth: depth + 1, mayWait })) return 'waiting';
    const last = wanted.at(-1);
    if (last !== undefined && this.#stopsAfter(last, running)) {
      this.#isStopped = true;
      return 'told';
    }
    return isCircle ? 'untold' : 'told';
  }

  /** A required chunk that waits for this one: with prereq that is as it should be, else it is a circle. */
  async #meetActive({ low, tag, running, chunks }: Look, chunk: Dict): Promise<void> {
    if (truthy(chunk.get('__prerequired__'))) {
      if (this.#foreseen.has(tag)) return;
      low.set('__prereq__', true);
      this.#foreseen.set(tagOf(chunk), await this.#caller.call(low, chunks, running));
      return;
    }
    const circle = this.#unrun.circle(low);
    running.set(tag, circle);
    this.#numbers.take();
    await this.#events.tell(circle, chunks.length, low.get('fire_event') ?? null);
  }

  /** Runs a chunk in test mode, for the one that has it as prereq. */
  async #foresee({ low, tag, running, chunks }: Look): Promise<void> {
    const { status } = await this.#status(low, running, chunks);
    if (status === 'pre' || status === 'onfail' || status === 'onchanges') {
      // Salt compat: 3006.16 asks what it would change all the same, and so runs what waits for a state that is left
      // out (68438)
      low.set('__prereq__', false);
      this.#foreseen.set(tag, this.#unrun.leftOut(low, status));
      return;
    }
    const foreseen = await this.#caller.call(low, chunks, running);
    this.#foreseen.set(tag, foreseen);
    if (hasChanges(foreseen) || status !== 'change') return;
    foreseen.set('changes', dict({ watch: 'watch' }));
    foreseen.set('result', null);
  }

  /** Calls a state that watches something changed: when it changes nothing itself, its `mod_watch` is called. */
  async #callWatching(low: Dict, named: Named, running: Dict, chunks: Dict[]): Promise<Dict> {
    const result = await this.#caller.call(low, chunks, running);
    const isApart = low.delete(CHANGES_APART) && result.get('result') !== false;
    if ((hasChanges(result) && !isApart) || truthy(result.get('skip_watch'))) return result;
    const requisites: Dict = new Map([...named].map(([kind, required]) => [kind, [...required]]));
    const watched = await this.#caller.call(watchChunk(low).set('__reqs__', requisites), chunks, running);
    return isApart ? together(result, watched) : watched;
  }

  async #callListeners(chunks: Dict[], results: Dict): Promise<void> {
    const { calls, faults } = listeners(chunks, results, this.#includes);
    merge(results, await this.callChunks(calls));
    for (const [tag, fault] of faults) results.set(tag, fault.set('__run_num__', this.#numbers.take()));
  }
}

/** One look at a chunk. */
interface Look {
  readonly low: Dict;
  readonly tag: string;
  readonly running: Dict;
  readonly chunks: Dict[];
  readonly depth: number;
  readonly mayWait: boolean;
}

/** How a chunk is called. */
interface HowCalled {
  /** How often it was looked at before. */
  readonly depth?: number;
  /** A parallel chunk is left for later, while what it requires goes on beside the run. */
  readonly mayWait?: boolean;
}

/** The result of a watch, after that of the state itself, whose changes are of another kind. */
function together(own: Dict, watched: Dict): Dict {
  const [first, second] = [own.get('result') ?? null, watched.get('result') ?? null];
  const changes = [own, watched].flatMap((one) => {
    const value = one.get('changes');
    return isDict(value) ? [...value] : [];
  });
  watched.set('result', first === null && second === true ? null : second);
  watched.set('comment', `${pyStr(own.get('comment') ?? '')}\n${pyStr(watched.get('comment') ?? '')}`);
  return watched.set('changes', new Map(changes));
}

function merge(into: Dict, more: Dict): Dict {
  for (const [key, value] of more) into.set(key, value);
  return into;
}
