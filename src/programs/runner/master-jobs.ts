/**
 * Jobs that functions of the master publish and wait for, whole, in batches or on a random part of the target
 * (salt/modules/saltutil.py `_exec`, salt/client/__init__.py `cmd_iter`, `cmd_batch`, `cmd_subset`, 3006.16). A job of
 * an orchestration's step is kept in its journal before it is published; one that an interrupted run has published is
 * taken up, and not published again.
 */
import { patienceOf, sentTarget, watchingDeps } from '../../plugins/shared/runner/minion-calls.ts';
import type { RunnerContext } from '../../plugins/shared/runner/runner.ts';
import { SaltInvocationError } from '../../errors/errors.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { amountOf, parseAmount } from '../../runtime/client/amount.ts';
import { runBatch, whoIsThere } from '../../runtime/client/batch.ts';
import { CLIENT_TEXTS, NoMinionsError } from '../../runtime/client/errors.ts';
import { outcomeReason, outcomeText } from '../../runtime/client/outcome.ts';
import type { PublishedJob, PublishOptions } from '../../runtime/client/job-publisher.ts';
import {
  publishAndWatch,
  watchPublished,
  type JobClient,
  type WatchJobDeps,
  type WatchPatience,
} from '../../runtime/client/watch-job.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import type { MasterJob } from '../../runtime/loader/master-services.ts';
import type { JidSource } from '../../storage/jobs/jid.ts';
import type { StepJobs } from './orchestration-steps.ts';

/** What publishing needs. */
export interface MasterJobsDeps {
  readonly context: RunnerContext;
  readonly jids: JidSource;
  /** Where the jobs of an orchestration's steps are kept. */
  readonly steps?: StepJobs | undefined;
  /** Told how many minions of a step's job have come to an end. */
  readonly returned?: (step: string, done: number, of: number) => void;
}

/** How one job is watched. */
interface Watching {
  readonly parts: WatchJobDeps;
  readonly patience: WatchPatience;
  readonly publish: PublishOptions;
}

/** Hears how many minions of a job have come to an end. */
type Told = (done: number, of: number) => void;

/** What has come of a job. */
interface Gathered {
  readonly jid: string;
  readonly returns: Dict;
  /** Minions that did not return, and those that are named and have no key. */
  readonly silent: Extract<JobNews, { kind: 'silent' }>[];
}

/** Publishes jobs and gathers their returns. */
export class MasterJobs {
  readonly #deps: MasterJobsDeps;

  constructor(deps: MasterJobsDeps) {
    this.#deps = deps;
  }

  /** See {@link MasterServices.publish}. */
  async publish(job: MasterJob): Promise<Dict> {
    const { context } = this.#deps;
    const patience = patienceOf(context.settings);
    const timeoutMs = job.timeoutMs ?? patience.timeoutMs;
    const watching: Watching = {
      parts: await watchingDeps(context),
      patience: { ...patience, timeoutMs },
      publish: { ...publishOptions(job, timeoutMs), ...sentTarget(context, job.tgt, job.tgtType) },
    };
    try {
      // Salt compat: a target of None, or that is a number, means nobody
      if (typeof job.tgt !== 'string' && !Array.isArray(job.tgt)) throw new NoMinionsError('');
      if (job.batch !== undefined) return await this.#inBatches(job, job.batch, watching);
      if (job.subset !== undefined) return await this.#onSome(job, job.subset, watching);
      return this.#entries(job, await this.#whole(job, watching));
    } catch (error) {
      if (!(error instanceof NoMinionsError)) throw error;
      this.#sayNobody(error);
      return new Map();
    }
  }

  #sayNobody({ message }: NoMinionsError): void {
    this.#deps.context.print(message === '' ? CLIENT_TEXTS.noMinions : message);
  }

  /**
   * What is told of each minion. Those that did not return and are not expected are in no entry, and so are told of in
   * the log.
   */
  #entries(job: MasterJob, gathered: Gathered): Dict {
    const entries = entriesOf(job, gathered);
    for (const { id, outcome } of gathered.silent)
      if (!entries.has(id)) this.#sayWhy(job, id, outcomeText(id, gathered.jid, outcome));
    return entries;
  }

  #sayWhy({ fun }: MasterJob, id: string, why: string): void {
    this.#deps.context.log.warning(`${fun} on ${id}: ${why}`);
  }

  /** Takes up the job of an interrupted run, or publishes a new one. */
  async #whole({ step }: MasterJob, watching: Watching): Promise<Gathered> {
    const { steps, jids } = this.#deps;
    if (steps === undefined || step === undefined) return gather(watching, watching.publish);
    const told: Told = (done, of) => this.#deps.returned?.(step, done, of);
    const before = steps.takeJob(step);
    if (before !== undefined) {
      const taken = await this.#takeUp(before, watching, told);
      if (taken !== undefined && taken.silent.length === 0) return taken;
      steps.forgetJobs(step);
    }
    const jid = jids.next();
    steps.keepJob(step, jid);
    return gather(watching, { ...watching.publish, jid }, told);
  }

  /** Waits for what is left of a job. @returns undefined for one that was never published */
  async #takeUp(jid: string, { parts, patience }: Watching, told?: Told): Promise<Gathered | undefined> {
    const { jobs, log } = this.#deps.context;
    const load = await jobs.job(jid);
    if (load === undefined) return undefined;
    log.info(`The job ${jid} of the interrupted run is taken up.`);
    const minions = load.get('Minions') ?? load.get('minions');
    const job: PublishedJob = {
      jid,
      minions: Array.isArray(minions) ? minions.map(String) : [],
      missing: [],
      lost: new Map(),
    };
    return collect(job, watchPublished(parts, job, patience), told);
  }

  async #onSome(job: MasterJob, subset: number, watching: Watching): Promise<Dict> {
    const { steps, context } = this.#deps;
    const isTakenUp = job.step !== undefined && steps?.hasJob(job.step) === true;
    const chosen = isTakenUp
      ? []
      : await choose(context, job, subset, watching).catch((error: unknown) => {
          if (!(error instanceof NoMinionsError)) throw error;
          // Salt compat: it is said here, and once more of the empty list
          this.#sayNobody(error);
          return [];
        });
    const publish = { ...watching.publish, tgt: chosen, tgtType: 'list' };
    const { jid, returns, silent } = await this.#whole(job, { ...watching, publish });
    const entries = entriesOf({ ...job, expectMinions: false }, { jid, returns, silent: [] });
    for (const { id, outcome } of silent)
      entries.set(id, dict({ out: 'no_return', ret: outcomeText(id, jid, outcome), retcode: 1 }));
    return entries;
  }

  /** Salt compat: a batch tells neither return codes nor job ids, and everything as if states had been run. */
  async #inBatches(job: MasterJob, batch: string, watching: Watching): Promise<Dict> {
    const amount = parseAmount(batch);
    if (amount === undefined)
      throw new SaltInvocationError(`Invalid batch: ${batch}. Data must be in the form of %10, 10% or 3`);
    const found = await this.#returnsOfBatches(job, watching);
    const present = await whoIsThere(watching.parts, watching.publish, watching.patience);
    for (const [id, outcome] of present.outcomes)
      this.#sayWhy(
        job,
        id,
        `It did not answer the ping before the batch. ${outcomeReason(id, outcome)}`.trimEnd(),
      );
    const news = runBatch({ ...watching.parts, client: this.#keeping(job, watching) }, watching.patience, {
      publish: watching.publish,
      minions: present.minions.filter((id) => !found.has(id)),
      size: amountOf(amount, present.minions.length),
      waitMs: 0,
      isLast: (item) => job.failHard && item.kind === 'return' && codeOf(item.load) > 0,
    });
    const told = (): void => {
      if (job.step !== undefined) this.#deps.returned?.(job.step, found.size, present.minions.length);
    };
    told();
    for await (const item of news) {
      if (item.kind !== 'news') continue;
      const { news } = item;
      // Salt compat: an empty mapping stands for who did not return
      found.set(news.id, news.kind === 'return' ? (news.load.get('return') ?? null) : new Map());
      if (news.kind === 'silent') this.#sayWhy(job, news.id, outcomeText(news.id, item.jid, news.outcome));
      told();
    }
    return new Map(
      [...found].map(([id, ret]) => {
        const out = isDict(ret) ? ret.get('out') : undefined;
        return [id, new Map<Value, Value>(Object.entries({ out: out ?? 'highstate', ret }))];
      }),
    );
  }

  /** What the batches of an interrupted run have returned. */
  async #returnsOfBatches({ step }: MasterJob, watching: Watching): Promise<Dict> {
    const found: Dict = new Map();
    if (step === undefined) return found;
    for (let jid = this.#deps.steps?.takeJob(step); jid !== undefined; jid = this.#deps.steps?.takeJob(step))
      for (const [id, load] of (await this.#takeUp(jid, watching))?.returns ?? [])
        if (isDict(load)) found.set(id, load.get('return') ?? null);
    return found;
  }

  /** A client that keeps each part of a batch before it is published. */
  #keeping({ step, fun }: MasterJob, { parts: { client } }: Watching): JobClient {
    const { steps, jids } = this.#deps;
    if (steps === undefined || step === undefined) return client;
    return {
      follow: (jid, listener) => client.follow(jid, listener),
      forget: (jid) => client.forget(jid),
      onGap: (listener) => client.onGap(listener),
      onLink: (listener) => client.onLink(listener),
      publish: (options, listener) => {
        if (options.fun !== fun) return client.publish(options, listener);
        const jid = jids.next();
        steps.keepJob(step, jid);
        return client.publish({ ...options, jid }, listener);
      },
    };
  }
}

function publishOptions(job: MasterJob, timeoutMs: number): PublishOptions {
  const { tgt, tgtType, fun, ret, kwarg, publishKwargs } = job;
  const arg = [...job.arg];
  if (kwarg.size > 0) arg.push(new Map<Value, Value>([['__kwarg__', true], ...kwarg]));
  const kwargs = publishKwargs === undefined || publishKwargs.size === 0 ? {} : { kwargs: publishKwargs };
  return { tgt, tgtType, fun, arg, ret, timeoutMs, ...kwargs };
}

/** Minions of the target that have the function, chosen at random. */
async function choose(
  { random }: RunnerContext,
  { fun }: MasterJob,
  subset: number,
  { parts, patience, publish }: Watching,
): Promise<string[]> {
  const question = { ...publish, fun: 'sys.list_functions', arg: [fun] };
  const { returns } = await gather({ parts, patience, publish: question }, question);
  const able = [...returns].flatMap(([id, load]) => {
    const functions = isDict(load) ? load.get('return') : undefined;
    return Array.isArray(functions) && functions.includes(fun) ? [String(id)] : [];
  });
  for (let left = able.length; left > 1; left--) {
    const at = random.int(0, left - 1);
    [able[left - 1], able[at]] = [able[at] as string, able[left - 1] as string];
  }
  return able.slice(0, Math.max(0, subset));
}

async function gather(
  { parts, patience }: Watching,
  publish: PublishOptions,
  told?: Told,
): Promise<Gathered> {
  const { job, news } = await publishAndWatch(parts, publish, patience);
  return collect(job, news, told);
}

async function collect(
  { jid, minions }: PublishedJob,
  news: AsyncIterable<JobNews>,
  told?: Told,
): Promise<Gathered> {
  const returns: Dict = new Map();
  const silent: Gathered['silent'] = [];
  told?.(0, minions.length);
  for await (const item of news) {
    if (item.kind === 'return') returns.set(item.id, item.load);
    else silent.push(item);
    told?.(returns.size + silent.length, minions.length);
  }
  return { jid, returns, silent };
}

/** What is told of each minion. Names without a key have failed in any case, silent minions where they are expected. */
function entriesOf({ expectMinions, withMeta }: MasterJob, { jid, returns, silent }: Gathered): Dict {
  const entries: Dict = new Map();
  for (const [id, load] of returns) {
    if (!isDict(load)) continue;
    const entry: Dict = new Map<Value, Value>([['ret', load.get('return') ?? null]]);
    for (const key of ['out', 'retcode', 'jid']) {
      const value = load.get(key);
      if (value !== undefined) entry.set(key, value);
    }
    if (withMeta) for (const [key, value] of load) entry.set(key, value);
    entries.set(id, entry);
  }
  for (const { id, outcome } of silent)
    if (expectMinions || outcome.kind === 'key not accepted' || outcome.kind === 'not known')
      entries.set(id, dict({ failed: true, why: outcomeText(id, jid, outcome) }));
  return entries;
}

function codeOf(load: Dict): number {
  const code = load.get('retcode');
  if (isDict(code)) return Math.max(0, ...[...code.values()].map((one) => toNumber(one) ?? 0));
  return toNumber(code) ?? 0;
}
