/**
 * What is wrong with a fleet, out of figures: which limit binds, which minion is ill, what to do. A table of rules,
 * each a pure function of what was measured, so that each can be tried alone.
 */
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ReadFigures } from '../../../../runtime/metrics/read-exposition.ts';

/** One thing that is wrong. */
export interface DoctorFinding {
  /** Stays the same whatever the sentences become. */
  readonly code: string;
  readonly severity: 'warning' | 'critical';
  readonly what: string;
  /** A minion, a process, a folder. */
  readonly who?: string;
  readonly why: string;
  readonly next: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** What was measured. */
export interface Measured {
  /** Undefined where the master shows none (`metrics_address`), or does not answer. */
  readonly figures: ReadFigures | undefined;
  /** Whether the master answers at all. */
  readonly isRunning: boolean;
  readonly accepted: readonly string[];
  readonly pending: readonly string[];
  /** Minions that are not connected, and since when where it is known (UTC). */
  readonly away: ReadonlyMap<string, string | undefined>;
  readonly disks: readonly {
    readonly path: string;
    readonly freeBytes: number;
    readonly sizeBytes: number;
  }[];
}

type Rule = (measured: Measured) => readonly DoctorFinding[];

const AWAY_SHOWN = 20;
/** Shares of a limit, and of a disk. */
const NEAR = 0.8;
const DISK_WARNING = 0.1;
const DISK_CRITICAL = 0.03;
const SLOW_COMMIT_SECONDS = 0.25;

/** How a fleet is, in one word. */
export function stateOf(found: readonly DoctorFinding[]): 'well' | 'warning' | 'ill' {
  if (found.length === 0) return 'well';
  return found.some(({ severity }) => severity === 'critical') ? 'ill' : 'warning';
}

/** Every rule is asked. */
export function findings(measured: Measured): DoctorFinding[] {
  return worstFirst(RULES.flatMap((rule) => rule(measured)));
}

/** What is critical comes first. */
export function worstFirst(found: readonly DoctorFinding[]): DoctorFinding[] {
  const order = { critical: 0, warning: 1 };
  return [...found].sort((a, b) => order[a.severity] - order[b.severity]);
}

/** Findings as a runner returns them: `state`, and `findings` as mappings. */
export function shownFindings(found: readonly DoctorFinding[]): Dict {
  const shown = found.map(({ figures, who, ...said }): Value =>
    dict({ ...said, who, figures: dict(figures) }),
  );
  return dict({ state: stateOf(found), findings: shown });
}

const RULES: readonly Rule[] = [
  ({ figures, isRunning }) =>
    figures !== undefined || !isRunning
      ? []
      : [
          {
            code: 'no-figures',
            severity: 'warning',
            what: 'The queues, limits and processes of the master could not be looked at.',
            why: 'It shows no figures: metrics_address is not set, or its address does not answer.',
            next: 'Set metrics_address: 127.0.0.1:9175 in its configuration, and start it again.',
            figures: {},
          },
        ],
  ({ isRunning }) =>
    isRunning
      ? []
      : [
          {
            code: 'master-down',
            severity: 'critical',
            what: 'The master does not run.',
            why: 'Its sockets do not answer.',
            next: 'Start it with systemctl start salt-master, and read its log when it does not stay.',
            figures: {},
          },
        ],
  ({ away, accepted, isRunning }) => {
    if (!isRunning || away.size === 0) return [];
    const shown = [...away].slice(0, AWAY_SHOWN).map(([id, since]): DoctorFinding => ({
      code: 'minion-away',
      severity: 'warning',
      what: `The minion ${id} is not connected.`,
      who: id,
      why:
        since === undefined
          ? 'It has not been seen since the master started.'
          : `Its connection was lost at ${since} UTC.`,
      next: `See whether the machine is up and salt-minion runs there; delete its key with salt-key -d ${id} when it is gone for good.`,
      figures: {},
    }));
    const rest = away.size - shown.length;
    if (rest <= 0) return shown;
    return [
      ...shown,
      {
        code: 'minions-away',
        severity: away.size > accepted.length / 2 ? 'critical' : 'warning',
        what: `${away.size} of ${accepted.length} minions are not connected; ${shown.length} of them are named here.`,
        why: 'So many at once usually have one cause: a network, a firewall, a certificate.',
        next: 'Name them all with salt-run manage.not_present.',
        figures: { away: away.size, accepted: accepted.length },
      },
    ];
  },
  ({ pending }) =>
    pending.length === 0
      ? []
      : [
          {
            code: 'keys-pending',
            severity: 'warning',
            what: `${pending.length} ${pending.length === 1 ? 'key waits' : 'keys wait'} for somebody to decide: ${pending.slice(0, 5).join(', ')}${pending.length > 5 ? ' …' : ''}.`,
            why: 'A minion whose key is not accepted gets no jobs.',
            next: 'Compare the fingerprints (salt-key -F) and accept or reject them: salt-key -a ID, salt-key -r ID.',
            figures: { pending: pending.length },
          },
        ],
  ({ disks }) =>
    disks
      .filter(({ freeBytes, sizeBytes }) => sizeBytes > 0 && freeBytes / sizeBytes < DISK_WARNING)
      .map(({ path, freeBytes, sizeBytes }): DoctorFinding => ({
        code: 'disk-nearly-full',
        severity: freeBytes / sizeBytes < DISK_CRITICAL ? 'critical' : 'warning',
        what: `The disk of ${path} is nearly full: ${Math.round((freeBytes / sizeBytes) * 100)} % of ${gibibytes(sizeBytes)} are free.`,
        who: path,
        why: 'Returns are acknowledged after they are written: without room they wait on the minions.',
        next: 'Make room, or keep jobs for a shorter time (keep_jobs_seconds).',
        figures: { free_bytes: freeBytes, size_bytes: sizeBytes },
      })),
  limitRule(
    ['brine_requests_under_way', 'brine_requests_under_way_limit'],
    'request-queue-full',
    'requests to the master',
    'The workers do not keep up: more minions return or authenticate than they can serve.',
    'Raise worker_threads, spread jobs over time with --batch, or give the machine more processors.',
  ),
  limitRule(
    ['brine_request_bytes_under_way', 'brine_request_bytes_under_way_limit'],
    'request-bytes-full',
    'bytes of requests',
    'Large returns or pushed files come faster than they are served.',
    'Look which job returns so much (salt-run jobs.list_jobs), and have it return less.',
  ),
  limitRule(
    ['brine_event_bus_waiting_bytes', 'brine_event_bus_waiting_bytes_limit'],
    'event-reader-stalled',
    'bytes waiting for a reader of the event bus',
    'A program that reads events has stopped reading; it is cut off at the limit.',
    'Find it among those who read events (an engine, salt-run state.event, a program of your own), and end it or make it faster.',
  ),
  counted('brine_event_bus_readers_cut_total', {
    code: 'event-readers-cut',
    what: (count) => `${count} readers of the event bus were cut off since the master started.`,
    why: 'They did not take events as fast as they came, and have missed some.',
    next: 'The log of the master says when; look which program had to connect again.',
  }),
  counted('brine_publish_connections_cut_total', {
    code: 'minions-cut',
    what: (count) => `${count} connections of minions were cut since the master started.`,
    why: 'They did not take publications as fast as they came.',
    next: 'The log names them; look at their network and at the load of their machines.',
  }),
  counted('brine_request_pauses_total', {
    code: 'request-pauses',
    what: (count) => `The request port was not read ${count} times, because too much was under way.`,
    why: 'For that time minions had to wait.',
    next: 'Raise worker_threads, or publish to fewer minions at a time.',
  }),
  counted('brine_process_restarts_total', {
    code: 'processes-died',
    what: (count) => `Processes of the master died ${count} times and were started again.`,
    why: 'A part that dies has a fault, or was killed for its memory.',
    next: 'Read the log of the master around those times, and dmesg for the out-of-memory killer.',
  }),
  counted('brine_reactor_feed_dropped_total', {
    code: 'reactions-lost',
    what: (count) => `${count} events never reached the reactor.`,
    why: 'More of them waited than it may keep.',
    next: 'Let fewer events match rules of reactor, or make the reactions shorter.',
  }),
  ({ figures }) => {
    const refused = figures?.by('brine_requests_refused_total', 'reason') ?? new Map<string, number>();
    const wrong = (refused.get('too old') ?? 0) + (refused.get('too new') ?? 0);
    if (wrong === 0) return [];
    return [
      {
        code: 'clock-off',
        severity: 'warning',
        what: `${wrong} requests were refused because their time is not that of the master.`,
        why: 'The clock of a minion, or of this machine, is off by more than request_server_ttl.',
        next: "The log of the master names the minions; compare salt '*' status.time with date, and run a time service.",
        figures: Object.fromEntries(refused),
      },
    ];
  },
  ({ figures }) => {
    const silent = figures?.sum('brine_workers_silent') ?? 0;
    if (silent === 0) return [];
    return [
      {
        code: 'workers-silent',
        severity: 'critical',
        what: `${silent} workers of the master give no sign of life.`,
        why: 'They hang: in an external pillar, an authentication system, or a disk.',
        next: 'They are killed and started again by themselves; the log says where they hung.',
        figures: { silent, workers: figures?.sum('brine_workers') ?? 0 },
      },
    ];
  },
  ({ figures }) => {
    const [sum, count] = ['sum', 'count'].map((end) => figures?.sum(`brine_job_cache_commit_seconds_${end}`));
    if (sum === undefined || count === undefined || count < 10 || sum / count < SLOW_COMMIT_SECONDS)
      return [];
    return [
      {
        code: 'job-cache-slow',
        severity: 'warning',
        what: `A commit of the job cache takes ${Math.round((sum / count) * 1000)} ms.`,
        why: 'The disk of cachedir is slow, and returns are acknowledged after the commit.',
        next: 'Put cachedir on a faster disk.',
        figures: { seconds: sum / count, commits: count },
      },
    ];
  },
  ({ figures }) =>
    [...(figures?.by('brine_returner_down', 'returner') ?? [])]
      .filter(([, isDown]) => isDown > 0)
      .map(([name]): DoctorFinding => ({
        code: 'returner-down',
        severity: 'critical',
        what: `The database of the returner ${name} cannot be reached.`,
        who: name,
        why: 'What is to be written there waits on this machine.',
        next: 'The log says why; what waits is written when the database is back.',
        figures: { waiting: figures?.sum('brine_returner_waiting', 'returner', name) ?? 0 },
      })),
];

function limitRule(
  [name, limitName]: readonly [string, string],
  code: string,
  of: string,
  why: string,
  next: string,
): Rule {
  return ({ figures }) => {
    const [now, limit] = [figures?.sum(name), figures?.sum(limitName)];
    if (now === undefined || limit === undefined || limit <= 0 || now / limit < NEAR) return [];
    return [
      {
        code,
        severity: now >= limit ? 'critical' : 'warning',
        what: `The limit of ${of} binds: ${now} of ${limit}.`,
        why,
        next,
        figures: { [name]: now, [limitName]: limit },
      },
    ];
  };
}

function counted(
  name: string,
  {
    code,
    what,
    why,
    next,
  }: { readonly code: string; what(count: number): string; readonly why: string; readonly next: string },
): Rule {
  return ({ figures }) => {
    const count = figures?.sum(name) ?? 0;
    return count === 0
      ? []
      : [{ code, severity: 'warning', what: what(count), why, next, figures: { [name]: count } }];
  };
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
