/**
 * `local`, `local_async`, `local_batch` and `local_subset`: jobs for minions (salt/client/__init__.py `LocalClient`,
 * 3006.16).
 */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { amountOf, parseAmount } from '../../runtime/client/amount.ts';
import { runBatch, whoIsThere } from '../../runtime/client/batch.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import type { LocalClient, PublishOptions } from '../../runtime/client/local-client.ts';
import { outcomeText } from '../../runtime/client/outcome.ts';
import { publishAndWatch, type WatchJobDeps, type WatchPatience } from '../../runtime/client/watch-job.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { BadCallError, functionsOf, jobArguments, jobKeywords, loginOf, secondsOf, targetOf } from './low.ts';
import type { MasterLink } from './master-link.ts';

const SUBSET = 3;
const BATCH = '10%';

/** What running jobs needs. */
export interface LocalCallsDeps {
  readonly link: MasterLink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Publishes jobs in the name of whoever asks. */
export class LocalCalls {
  readonly #deps: LocalCallsDeps;

  constructor(deps: LocalCallsDeps) {
    this.#deps = deps;
  }

  /** `local`. @returns the returns by minion; False for one that stays silent, nothing when nobody matches */
  async run(low: Dict, signal: AbortSignal): Promise<Value> {
    return this.#collect(low, this.#publishable(low), signal);
  }

  /** `local_async`. */
  async start(low: Dict): Promise<Value> {
    try {
      const client = await this.#deps.link.client();
      const { jid, minions } = await client.publish(this.#publishable(low), () => undefined);
      client.forget(jid);
      return new Map<Value, Value>([
        ['jid', jid],
        ['minions', [...minions]],
      ]);
    } catch (error) {
      return nothingWithoutMinions(error);
    }
  }

  /** `local_subset`: some of the minions that know the function. */
  async runOnSome(low: Dict, signal: AbortSignal): Promise<Value> {
    const size = secondsOf(low.get('sub') ?? low.get('subset'), SUBSET);
    const { fun } = this.#publishable(low);
    const question: Dict = new Map([...low, ['fun', 'sys.list_functions'], ['arg', []], ['ret', '']]);
    question.delete('kwarg');
    question.delete('full_return');
    const known = await this.#collect(question, this.#publishable(question), signal);
    const wanted = typeof fun === 'string' ? [fun] : fun;
    const able = [...(known as Dict)]
      .filter(([, names]) => Array.isArray(names) && wanted.every((name) => names.includes(name)))
      .map(([id]) => id);
    const chosen: Value[] = [];
    while (able.length > 0 && chosen.length < size)
      chosen.push(...able.splice(this.#deps.random.int(0, able.length - 1), 1));
    if (chosen.length === 0) return new Map();
    return this.#collect(low, { ...this.#publishable(low), tgt: chosen, tgtType: 'list' }, signal);
  }

  /** `local_batch`: one mapping for each minion, as they return. */
  async runInBatches(low: Dict, signal: AbortSignal): Promise<Value[]> {
    const amount = parseAmount(pyStr(low.get('batch') ?? BATCH));
    if (amount === undefined)
      throw new BadCallError(
        `batch is a number or a percentage, such as 10 or 25%, and not ${pyStr(low.get('batch') ?? null)}.`,
      );
    const publish = this.#publishable(low);
    const watch = await this.#watchDeps(publish, signal);
    const patience = this.#patience(low);
    const out: Value[] = [];
    const minions = await this.#present(watch, publish, patience);
    const failHard = truthy(low.get('failhard') ?? this.#deps.link.opts.get('failhard'));
    const isRaw = truthy(low.get('raw'));
    const news = runBatch(watch, patience, {
      publish,
      minions,
      size: amountOf(amount, minions.length),
      waitMs: secondsOf(low.get('batch_wait'), 0) * 1000,
      isLast: (item) => failHard && (item.kind === 'silent' || retcodeOf(item.load) > 0),
    });
    for await (const item of news)
      if (item.kind === 'news') out.push(...batchItem(item.news, item.jid, isRaw));
    return out;
  }

  async #present(
    watch: WatchJobDeps,
    publish: PublishOptions,
    patience: WatchPatience,
  ): Promise<readonly string[]> {
    try {
      return (await whoIsThere(watch, publish, patience)).minions;
    } catch (error) {
      if (error instanceof NoMinionsError) return [];
      throw error;
    }
  }

  async #collect(low: Dict, publish: PublishOptions, signal: AbortSignal): Promise<Value> {
    const isFull = truthy(low.get('full_return'));
    const tellsSilent =
      truthy(low.get('expect_minions')) || truthy(low.get('verbose')) || truthy(low.get('show_timeout'));
    const out: Dict = new Map();
    try {
      const { job, news } = await publishAndWatch(
        await this.#watchDeps(publish, signal),
        publish,
        this.#patience(low),
      );
      for await (const item of news)
        if (item.kind === 'return')
          out.set(item.id, isFull ? fullReturn(item.load, job.jid) : returnOf(item.load));
        else if (!job.minions.includes(item.id) || tellsSilent) {
          const text = outcomeText(item.id, job.jid, item.outcome);
          out.set(
            item.id,
            isFull
              ? new Map<Value, Value>([
                  ['out', 'no_return'],
                  ['ret', text],
                  ['retcode', 1],
                ])
              : text,
          );
        }
      for (const id of job.minions) if (!out.has(id)) out.set(id, false);
      return out;
    } catch (error) {
      return nothingWithoutMinions(error);
    }
  }

  async #watchDeps(publish: PublishOptions, signal: AbortSignal): Promise<WatchJobDeps> {
    const { link, clock } = this.#deps;
    const client = await link.client();
    return {
      client: inTheNameOf(client, publish),
      clock,
      signal,
      stored: async (jid) =>
        (await import('../../runtime/client/local-job-cache.ts')).storedReturns(link.opts, jid),
      keyOutcome: () => Promise.resolve({ kind: 'not known' }),
    };
  }

  #patience(low: Dict): WatchPatience {
    const { opts } = this.#deps.link;
    return {
      timeoutMs: secondsOf(low.get('timeout'), opts.get('timeout')) * 1000,
      gatherMs: secondsOf(low.get('gather_job_timeout'), opts.get('gather_job_timeout')) * 1000,
    };
  }

  #publishable(low: Dict): PublishOptions {
    const { opts } = this.#deps.link;
    const { tgt, tgtType } = expandTargetNodegroups(
      targetOf(low),
      pyStr(low.get('tgt_type') ?? 'glob'),
      nodegroupsOf(opts.raw('nodegroups')),
      pyStr(opts.raw('conf_file') ?? ''),
    );
    const jid = low.get('jid');
    return {
      tgt,
      tgtType,
      fun: functionsOf(low),
      arg: jobArguments(low),
      ret: [low.get('ret'), opts.raw('ext_job_cache')]
        .filter((name) => truthy(name))
        .map((name) => pyStr(name ?? ''))
        .join(','),
      ...(truthy(jid) ? { jid: pyStr(jid as Value) } : {}),
      timeoutMs: secondsOf(low.get('timeout'), opts.get('timeout')) * 1000,
      kwargs: jobKeywords(low),
      login: loginOf(low),
    };
  }
}

/** Whatever is published while a job is watched, such as the question who still runs it, is asked in the same name. */
export function inTheNameOf(client: LocalClient, { login }: PublishOptions): WatchJobDeps['client'] {
  return {
    publish: (options, listener) =>
      client.publish({ ...options, ...(login === undefined ? {} : { login }) }, listener),
    follow: (jid, listener) => client.follow(jid, listener),
    forget: (jid) => client.forget(jid),
    onGap: (listener) => client.onGap(listener),
    onLink: (listener) => client.onLink(listener),
  };
}

function nothingWithoutMinions(error: unknown): Value {
  if (error instanceof NoMinionsError) return new Map();
  throw error;
}

function returnOf(load: Dict): Value {
  return load.get('return') ?? null;
}

function fullReturn(load: Dict, jid: string): Dict {
  const out: Dict = new Map<Value, Value>([['ret', returnOf(load)]]);
  const outputter = load.get('out');
  if (outputter !== undefined && outputter !== null) out.set('out', outputter);
  out.set('retcode', load.get('retcode') ?? 0);
  out.set('jid', load.get('jid') ?? jid);
  return out;
}

function batchItem(news: JobNews, jid: string, isRaw: boolean): Value[] {
  if (news.kind === 'silent') return [new Map<Value, Value>([[news.id, new Map()]])];
  if (!isRaw) return [new Map<Value, Value>([[news.id, returnOf(news.load)]])];
  return [
    new Map<Value, Value>([
      ['tag', `salt/job/${jid}/ret/${news.id}`],
      ['data', news.load],
    ]),
  ];
}

/** The highest code of several functions. */
function retcodeOf(load: Dict): number {
  const code = load.get('retcode');
  const codes = isDict(code) ? [...code.values()] : [code];
  return Math.max(0, ...codes.map((each) => (typeof each === 'number' ? each : 0)));
}
