/**
 * What parts of the master work with that publish jobs: keys, sessions, the minions' data, the job cache, the event
 * bus, the publisher. The workers have it, and so has the reactor.
 */
import { join } from 'node:path';
import { keepJobsSeconds } from '../../config/job-caches.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { SessionKeys } from '../../network/channel/session-keys.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { clientOf } from '../../network/ipc/contract.ts';
import { publisher, type PublisherClient } from '../../network/ipc/contracts/publisher.ts';
import { RpcClient } from '../../network/ipc/rpc-client.ts';
import type { Tracer } from '../../runtime/tracing/tracer.ts';
import type { Dict } from '../../python/values/value.ts';
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import { MinionFacts } from '../../storage/cache/minion-facts.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import { DayWindow } from '../../storage/jobs/job-days.ts';
import { RemoteJobStore } from '../../storage/jobs/remote-store.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { takeReturn, type ReturnHandlerDeps } from './commands/returns.ts';
import { JobTargets } from './job-targets.ts';
import { UnaskedReturns } from './unasked-returns.ts';
import { keyMark } from './minion-marks.ts';
import type { RoleContext } from './roles/role.ts';
import { ReturnTraces } from './return-traces.ts';
import type { SyndicRegistry } from './syndics.ts';

const EVENT_QUEUE_BYTES_MAX = 64 * 1024 * 1024;
/** Time for the publisher to come back before a job is given up. */
const PUBLISH_GIVE_UP_MS = 10_000;
/** How often minions' data are looked at for changes by other programs than ours. */
const FACTS_MS = 60_000;

/** Made once for each process by {@link openMasterServices}. */
export interface MasterServices {
  readonly context: RoleContext;
  readonly keys: KeyStore;
  readonly sessions: SessionKeys;
  readonly cache: MinionDataCache;
  readonly facts: MinionFacts;
  readonly jobs: RemoteJobStore;
  readonly jids: JidSource;
  /** Who has a part in which job. */
  readonly targets: JobTargets;
  /** How much minions may leave that nobody asked for. */
  readonly unasked: UnaskedReturns;
  /** The days of which the job cache keeps jobs. */
  readonly days: DayWindow;
  readonly publisher: PublisherClient;
  readonly fireEvent: (tag: string, data: Dict) => void;
  /** With `order_masters`: what is known of syndics. Made when it is first needed. */
  readonly syndics?: () => Promise<SyndicRegistry>;
  /** Undefined where nobody wants to know of traces, as the next one. */
  readonly tracer: Tracer | undefined;
  readonly traces: ReturnTraces | undefined;
}

/** How they are opened. */
export interface ServicesOptions {
  /** Time for the publisher to come back before a job is given up. */
  readonly giveUpMs?: number;
  /** Told of the returns that syndics bring. */
  readonly counted?: ReturnHandlerDeps['counted'];
  readonly tracer?: Tracer | undefined;
}

/**
 * Opens all of it, connected before the first request.
 * @returns it, and what lets go of it
 */
export function openMasterServices(
  context: RoleContext,
  { giveUpMs = PUBLISH_GIVE_UP_MS, counted, tracer }: ServicesOptions = {},
): MasterServices & { close(): Promise<void> } {
  const { opts, clock, log } = context;
  const sockets = masterSockets(opts);
  const cachedir = opts.get('cachedir');
  const events = new EventBusWriter({
    path: sockets.eventPull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  const link = new RpcClient({
    path: sockets.publishPull,
    clock,
    purpose: 'publisher',
    giveUpMs,
  });
  const cache = new MinionDataCache(cachedir);
  const jobs = new RemoteJobStore(sockets.jobCache, clock);
  const services = {
    context,
    tracer,
    traces: tracer && new ReturnTraces({ tracer, jobs, clock }),
    keys: new KeyStore(opts.get('pki_dir'), { clock }),
    sessions: new SessionKeys(join(cachedir, 'sessions'), opts.get('publish_session') * 1000, clock),
    cache,
    facts: new MinionFacts(cache),
    jobs,
    jids: new JidSource(clock, opts.get('unique_jid') ? `_${process.pid}` : ''),
    targets: new JobTargets({ jobs, log }),
    unasked: new UnaskedReturns({ opts, clock, log }),
    days: new DayWindow(clock, keepJobsSeconds(opts)),
    publisher: clientOf(publisher, link),
    fireEvent: (tag: string, data: Dict): void => void events.fire(tag, data),
  };
  events.open();
  services.jobs.open();
  link.open();
  const stopped = new AbortController();
  const refresh = (): void =>
    void services.facts.refresh(services.keys.list('accepted'), clock, stopped.signal);
  const timer = clock.every(FACTS_MS, refresh, { background: true });
  refresh();
  const close = async (): Promise<void> => {
    stopped.abort();
    timer.cancel();
    events.close();
    await Promise.all([services.jobs.close(), link.close()]);
  };
  return {
    ...services,
    ...(opts.get('order_masters') ? { syndics: syndicsOf(services, counted) } : {}),
    close,
  };
}

function syndicsOf(
  services: MasterServices,
  counted: ServicesOptions['counted'],
): () => Promise<SyndicRegistry> {
  const { context, keys, jobs, jids, fireEvent, traces, targets, unasked, days } = services;
  const { opts, clock, log } = context;
  const make = async (): Promise<SyndicRegistry> => {
    const { SyndicRegistry: Registry } = await import('./syndics.ts');
    const returns = { opts, jobs, jids, fireEvent, targets, unasked, days, counted, traces, clock, log };
    return new Registry({
      opts,
      jobs,
      days,
      takeReturn: (id, load) => takeReturn(returns, id, load, { once: true }),
      keyMark: (id) => keyMark(keys, id),
      clock,
      log,
    });
  };
  let pending: Promise<SyndicRegistry> | undefined;
  return () =>
    (pending ??= make().catch((error: unknown) => {
      pending = undefined; // the next one tries again
      throw error;
    }));
}
