/**
 * Jobs from above, published on the master below (salt/minion.py `Syndic.syndic_cmd`, 3006.16;
 * docs/internals/wire-protocol.md#syndics).
 */
import { START_EVENT_FIELD } from '../../network/events/tags.ts';
import { TRACE_FIELD } from '../../runtime/tracing/context.ts';
import type { SyndicTraces } from './syndic-traces.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import type { PublicationJournal } from '../../storage/jobs/publication-journal.ts';
import { toNumber, type Dict, type Value } from '../../python/values/value.ts';
import type { MasterBelow } from './below.ts';
import type { JobReports } from './job-reports.ts';

/** A wait from above that is longer is a mistake. */
const TIMEOUT_SECONDS_MAX = 86_400;

/** What handing jobs down needs. */
export interface DownwardDeps {
  readonly lower: MasterOptions;
  readonly below: Pick<MasterBelow, 'publish'>;
  readonly reports: JobReports;
  /** The jobs that were handed down before, also by this syndic's earlier processes. */
  readonly journal: Pick<PublicationJournal, 'hasJob' | 'noteJob'>;
  /** Undefined when nobody wants to know. */
  readonly traces: SyndicTraces | undefined;
  readonly log: Logger;
}

/** Salt's syndics pass on these; */
const SALTS_FIELDS = ['auth_list', 'master_id', 'user'] as const;
/** and lose these, which masters of ours publish all the same. */
const FURTHER_FIELDS = [
  'delimiter',
  'metadata',
  'ret_config',
  'ret_kwargs',
  'module_executors',
  'executor_opts',
  START_EVENT_FIELD,
  TRACE_FIELD,
] as const;
/** The master above that asked, so that a return that is found later finds its way. Ours. */
export const ASKER_FIELD = 'syndic_asker';

/** Takes jobs from above and publishes them on the master below under the same job id. */
export class Downward {
  readonly counters = { taken: 0, repeated: 0, own: 0, unusable: 0, refused: 0 };
  readonly #deps: DownwardDeps;
  /** Masters above that were found not to order masters. */
  readonly #warned = new Set<string>();

  constructor(deps: DownwardDeps) {
    this.#deps = deps;
  }

  /** Publishes a job below. @param upper the name of the master above that sent it */
  async take(load: Dict, upper: string): Promise<void> {
    const { reports, journal, below, log } = this.#deps;
    const jid = load.get('jid');
    const fun = functionOf(load.get('fun'));
    const tgt = load.get('tgt');
    if (!isSafeJid(jid) || fun === undefined || tgt === undefined) {
      this.counters.unusable++;
      return log.warning('A job from above has no usable jid, function or target; it was dropped.');
    }
    if (this.#isOwn(load)) {
      this.counters.own++;
      return log.debug(`The job ${jid} comes from the master beside this syndic; it was dropped.`);
    }
    // a second master above has the same job, or masters are above each other in a ring
    if (reports.has(jid) || journal.hasJob(jid)) {
      this.counters.repeated++;
      return log.debug(`The job ${jid} was handed down before.`);
    }
    this.#checkOrders(load, upper);
    reports.begin(jid, upper);
    await journal.noteJob(jid);
    this.counters.taken++;
    log.info(`Passing on ${String(fun)} with jid ${jid} of ${upper}`);
    const span = this.#deps.traces?.handDown(jid, String(fun), load);
    try {
      const arg = load.get('arg');
      const tgtType = load.get('tgt_type');
      const ret = load.get('ret');
      const job = await below.publish({
        tgt,
        tgtType: typeof tgtType === 'string' ? tgtType : 'glob',
        fun,
        arg: Array.isArray(arg) ? arg : [],
        ret: typeof ret === 'string' ? ret : '',
        jid,
        timeoutMs: this.#timeoutMs(load),
        kwargs: keywords(load, upper, span?.traceparent),
      });
      span?.end();
      reports.published(jid, job);
    } catch (error) {
      const isNobody = error instanceof NoMinionsError;
      span?.end({ isError: !isNobody });
      if (isNobody) return reports.refused(jid, undefined);
      this.counters.refused++;
      log.warning(`The job ${jid} of ${upper} could not be published below: ${messageOf(error)}`);
      reports.refused(jid, messageOf(error));
    }
  }

  /** Only a master that orders masters sends this list. */
  #checkOrders(load: Dict, upper: string): void {
    if (load.has('auth_list') || this.#warned.has(upper)) return;
    this.#warned.add(upper);
    this.#deps.log.warning(
      `The master ${upper} above has not set order_masters: its commands do not wait for minions below.`,
    );
  }

  /** Salt compat: a job that this master has published itself came back over masters that are above each other. */
  #isOwn(load: Dict): boolean {
    const own = this.#deps.lower.raw('master_id');
    const given = load.get('master_id');
    return typeof own === 'string' && own !== '' && own === given;
  }

  #timeoutMs(load: Dict): number {
    const seconds = toNumber(load.get('to') ?? null) ?? this.#deps.lower.get('timeout');
    const isTime = Number.isFinite(seconds) && seconds > 0;
    return Math.min(Math.max(1, isTime ? Math.trunc(seconds) - 1 : 1), TIMEOUT_SECONDS_MAX) * 1000;
  }
}

function functionOf(fun: Value | undefined): string | string[] | undefined {
  if (typeof fun === 'string' && fun !== '') return fun;
  return Array.isArray(fun) && fun.length > 0 && fun.every((name) => typeof name === 'string')
    ? fun
    : undefined;
}

function keywords(load: Dict, upper: string, trace: string | undefined): Dict {
  const kwargs: Dict = new Map<Value, Value>([['auth_list', []]]);
  for (const name of [...SALTS_FIELDS, ...FURTHER_FIELDS]) {
    const value = load.get(name);
    if (value !== undefined) kwargs.set(name, value);
  }
  if (trace !== undefined) kwargs.set(TRACE_FIELD, trace);
  return kwargs.set(ASKER_FIELD, upper);
}
