/** Puts an application together out of its configuration. */
import type { ApiSettings } from '../../config/api-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { EventBusWriter } from '../../network/events/bus-client.ts';
import { brineVersion } from '../../version.ts';
import { exposition, EXPOSITION_TYPE } from '../../runtime/metrics/exposition.ts';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import type { Tracing } from '../../runtime/tracing/open.ts';
import { sample, samplesOf, type Sample } from '../../runtime/metrics/sample.ts';
import { AccessLog } from './access-log.ts';
import { Application } from './application.ts';
import { BodyBudget } from './body-budget.ts';
import type { BusFeed } from './bus-feed.ts';
import { Clients } from './clients.ts';
import { ConsoleFiles } from './console-files.ts';
import { EventReaders } from './event-readers.ts';
import { EventStreams } from './event-streams.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './http-fault.ts';
import { KeptFiles } from './kept-files.ts';
import { LocalCalls } from './local-calls.ts';
import { LoginLimits } from './login-limits.ts';
import { MasterCalls, type MasterCallsDeps } from './master-calls.ts';
import type { MasterLink } from './master-link.ts';
import { Origins } from './origin.ts';
import type { Resource } from './resource.ts';
import { eventsResource } from './resources/events.ts';
import { hookResource } from './resources/hook.ts';
import { loginResource, logoutResource, tokenResource } from './resources/logins.ts';
import {
  indexResource,
  jobsResource,
  keysResource,
  minionsResource,
  runResource,
} from './resources/low-data.ts';
import { Sessions } from './sessions.ts';
import { Proxies } from './proxies.ts';
import { Statistics } from './statistics.ts';
import { TokenChecks } from './token-checks.ts';
import { TurnPool } from './turns.ts';
import type { OpenedService } from './v2/open-service.ts';
import type { StreamCounters } from './v2/event-stream.ts';
import type { ServiceDeps } from './v2/service.ts';
import { WebSockets } from './web-sockets.ts';

/** Of the calls that may be under way, those with a name and a password instead of a token. */
const GUESTS_SHARE = 0.5;

/** What all servers of a program share. */
export interface SharedDeps {
  readonly link: MasterLink;
  readonly feed: BusFeed;
  readonly bus: EventBusWriter;
  readonly tracing: Pick<Tracing, 'samples'>;
  readonly runnerParameters: MasterCallsDeps['runnerParameters'];
  /** Where the files of the console are. */
  readonly consoleFolder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** An application, and what is known of its state. */
export interface BuiltApplication {
  readonly application: Application;
  /** One line a thing. */
  readonly describe: () => string[];
  /** Ends what would stay open. */
  readonly close: () => void;
}

/** Builds the application of one server. */
export function buildApplication(settings: ApiSettings, shared: SharedDeps): BuiltApplication {
  const { values } = settings;
  const { clock, random, log, link, feed } = shared;
  const limits = new LoginLimits(clock, new Proxies(values.trusted_proxies));
  const turns = new TurnPool(values.thread_pool);
  const budget = new BodyBudget();
  const kept = new KeptFiles();
  const sessions = new Sessions(clock, random);
  const readers = new EventReaders(clock, log);
  const streams = new EventStreams(feed, readers, clock, log);
  const checks = new TokenChecks(link, clock);
  const statistics = new Statistics(clock);
  const clients = new Clients({
    ...shared,
    local: new LocalCalls(shared),
    master: new MasterCalls(shared),
    limits,
    turns,
    guests: new TurnPool(values.thread_pool * GUESTS_SHARE),
  });
  const webSockets = new WebSockets({ sessions, checks, streams, clients, clock, log });
  const logins = { link, sessions, limits, clients, acl: values.api_acl, log };
  const figures = (): Record<string, number> => ({
    Sessions: sessions.size,
    'Event Readers': readers.size,
    'Event Readers Cut Off': streams.counters.cutOff + readers.counters.cutOff,
    'Event Readers Refused': readers.counters.refused,
    'Events Sent': streams.counters.events,
    'Calls Under Way': turns.busy,
    'Calls Waiting': turns.waiting,
    'Calls Refused': turns.refused,
    'Log-ins Refused': limits.refused,
    'Bodies Refused': budget.refused,
    'Bytes Of Bodies Held': budget.sizeBytes,
    'Bytes Of Files Held': kept.sizeBytes,
  });
  const origins = new Origins(values.cors_origin);
  const second = secondVersion({
    settings,
    shared,
    sessions,
    origins,
    limits,
    clients,
    turns,
    budget,
    readers,
  });
  const samples = (): Sample[] => [
    sample('brine_build_info', 1, 'salt-api', brineVersion),
    ...processFigures('salt-api', clock.nowMs()),
    ...samplesOf('brine_api_requests_total', statistics.statuses),
    sample('brine_api_requests_under_way', statistics.current),
    sample('brine_api_sessions', sessions.size),
    sample('brine_api_calls_under_way', turns.busy),
    sample('brine_api_calls_under_way_limit', Math.max(1, values.thread_pool)),
    sample('brine_api_calls_waiting', turns.waiting),
    sample('brine_api_calls_refused_total', turns.refused),
    sample('brine_api_logins_refused_total', limits.refused),
    sample('brine_api_event_readers', readers.size),
    sample(
      'brine_api_event_readers_cut_total',
      streams.counters.cutOff + second.streams().cutOff + readers.counters.cutOff,
    ),
    ...shared.tracing.samples(),
  ];
  const all: [string, Resource][] = [
    ['login', loginResource(logins)],
    ['logout', logoutResource(logins)],
    ['token', tokenResource(logins)],
    ['minions', minionsResource(clients)],
    ['run', runResource(clients)],
    ['jobs', jobsResource(clients)],
    ['keys', keysResource(clients)],
    ['events', eventsResource({ sessions, checks, streams, clock })],
    ['stats', statsResource(() => statistics.describe(figures()), !values.stats_disable_auth)],
    ['ws', WITHOUT_UPGRADE],
    ...(values.metrics ? [['metrics', metricsResource(samples)] as [string, Resource]] : []),
    [values.webhook_url.replace(/^\/+/, ''), hookResource(shared.bus, !values.webhook_disable_auth)],
  ];
  const resources = new Map(values.enable_sessions ? all : all.filter(([name]) => !NEED_SESSIONS.has(name)));
  for (const name of ['', 'index']) resources.set(name, indexResource(clients));
  const accessLog = new AccessLog(
    { access: values.log_access_file, error: values.log_error_file },
    clock,
    log,
  );
  const parts = {
    ...{ settings, resources, kept, budget, checks, sessions, origins },
    ...{ webSockets, statistics, accessLog, clock, log },
  };
  return {
    application: new Application({
      ...parts,
      appPage,
      secondVersion: second.serve,
      console:
        values.app === null && values.enable_sessions
          ? new ConsoleFiles(shared.consoleFolder, kept)
          : undefined,
    }),
    describe: () => [
      `${settings.section}: requests ${statistics.requests}, under way ${statistics.current}`,
      ...Object.entries(figures()).map(
        ([name, value]) => `${settings.section}: ${name.toLowerCase()} ${value}`,
      ),
    ],
    close: () => {
      streams.close();
      webSockets.close();
      second.close();
    },
  };
}

/** What the second version shares with the first. */
interface SecondVersionDeps extends Pick<
  ServiceDeps,
  'settings' | 'sessions' | 'origins' | 'limits' | 'clients' | 'turns' | 'budget' | 'readers'
> {
  readonly shared: SharedDeps;
}

/** The second version of the interface, which is read when it is first asked for anything. */
function secondVersion({ shared, ...rest }: SecondVersionDeps): {
  readonly serve: (exchange: Exchange) => Promise<void>;
  readonly streams: () => Pick<StreamCounters, 'open' | 'cutOff'>;
  readonly close: () => void;
} {
  let streams: StreamCounters | undefined;
  let opened: Promise<OpenedService> | undefined;
  const open = async (): Promise<OpenedService> => {
    const { openService } = await import('./v2/open-service.ts');
    const service = openService({ ...rest, ...shared, master: new MasterCalls(shared) });
    streams = service.service.streams;
    return service;
  };
  return {
    serve: async (exchange) => (await (opened ??= open())).service.serve(exchange),
    streams: () => streams ?? { open: 0, cutOff: 0 },
    close: () => void opened?.then(({ close }) => close()),
  };
}

/** Addresses that are not there without sessions. */
const NEED_SESSIONS: ReadonlySet<string> = new Set(['login', 'logout', 'minions', 'jobs']);

const WITHOUT_UPGRADE: Resource = {
  sessions: true,
  auth: false,
  readsBody: false,
  checksAddress: true,
  get: {
    params: ['token'],
    takesAny: 'query',
    run: () =>
      Promise.reject(new HttpFault(400, 'This address takes web sockets: ask for Upgrade: websocket.')),
  },
};

function statsResource(figures: () => ReturnType<Statistics['describe']>, auth: boolean): Resource {
  return {
    sessions: true,
    auth,
    readsBody: true,
    checksAddress: true,
    get: { run: () => Promise.resolve({ value: figures() }) },
  };
}

/** `/metrics`: the figures of this program, for Prometheus, which has no session. */
function metricsResource(samples: () => Sample[]): Resource {
  return {
    sessions: false,
    auth: false,
    readsBody: false,
    checksAddress: true,
    get: {
      run: () => Promise.resolve({ bytes: Buffer.from(exposition(samples())), type: EXPOSITION_TYPE }),
    },
  };
}

/** The page at `/app` where `app` names none. */
function appPage(): Promise<Buffer> {
  const text = [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><title>salt-api</title></head>',
    '<body><h1>salt-api</h1><p>No application is configured: set app below rest_cherrypy to the HTML file of one.</p></body>',
    '</html>',
    '',
  ].join('\n');
  return Promise.resolve(Buffer.from(text));
}
