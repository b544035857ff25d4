/**
 * Every figure that the programs offer for Prometheus, in one table: a figure that is not in it does not compile, and
 * the reference is written from it. Names follow Prometheus' rules: base units, `_total` at the end of what only grows.
 */

/** How a figure behaves: it only grows, it goes up and down, or it is a distribution. */
export type FamilyKind = 'counter' | 'gauge' | 'histogram';

/** One figure. */
export interface Family {
  readonly kind: FamilyKind;
  readonly help: string;
  /** Names of its labels. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

/** From half a millisecond to a minute, for what happens within one process. */
const SHORT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From ten milliseconds to an hour, for what functions and jobs take. */
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

const counter = (help: string, ...labels: string[]): Family => ({ kind: 'counter', help, labels });
const gauge = (help: string, ...labels: string[]): Family => ({ kind: 'gauge', help, labels });
const histogram = (help: string, buckets: readonly number[], ...labels: string[]): Family => ({
  kind: 'histogram',
  help,
  labels,
  buckets,
});

/** The figures, by name. */
export const FAMILIES = {
  // every program
  brine_build_info: gauge('Always 1; its labels say what runs.', 'program', 'version'),
  brine_process_up: gauge('Whether a process has answered the last question for its figures.', 'process'),
  brine_process_resident_memory_bytes: gauge('Resident memory.', 'process'),
  brine_process_cpu_seconds_total: counter('Processor time, user and system.', 'process'),
  brine_process_start_time_seconds: gauge('When the process began, seconds since 1970.', 'process'),
  brine_process_restarts_total: counter('Processes that died and were started again.'),
  brine_process_hung_total: counter('Processes that gave no sign of life and were killed.'),
  brine_metrics_label_overflow_total: counter(
    'Names that were counted under "other", because there were too many.',
  ),
  brine_trace_spans_sent_total: counter('Spans of traces that the collector has taken.'),
  brine_trace_spans_dropped_total: counter('Spans that no collector has, by what was in the way.', 'reason'),
  brine_trace_spans_waiting: gauge('Spans that wait for the collector.'),
  brine_trace_spans_waiting_limit: gauge('How many may wait before further ones are dropped.'),
  // the master's doors
  brine_authentications_total: counter('Authentications of minions.', 'outcome'),
  brine_requests_total: counter('Requests that were served, by command.', 'command'),
  brine_pillar_requests_total: counter(
    'Requests for pillar, by whether they waited for others to be served.',
    'waited',
  ),
  brine_requests_refused_total: counter('Requests that were turned away.', 'reason'),
  brine_request_handlers_failed_total: counter('Requests whose handling failed.'),
  brine_requests_under_way: gauge('Requests handed to workers or waiting for one.'),
  brine_requests_under_way_limit: gauge('How many there may be before the port is not read.'),
  brine_request_bytes_under_way: gauge('Bytes of those requests.'),
  brine_request_bytes_under_way_limit: gauge('How many bytes there may be before the port is not read.'),
  brine_request_peers_held_total: counter(
    'How often a connection at the request port was not read because it had its share of requests under way.',
  ),
  brine_request_peers_waited_total: counter(
    'How often a connection at the request port that had proved nothing was not read because the half messages of all such took what they may.',
  ),
  brine_request_peers_standing_total: counter(
    'Such connections that were ended because they did not come on with their message meanwhile.',
  ),
  brine_request_pauses_total: counter(
    'How often the request port was not read because too much was under way.',
  ),
  brine_workers: gauge('Workers that are attached.'),
  brine_workers_silent: gauge('Workers that give no sign of life at present.'),
  brine_sessions: gauge('Minions with a session key.'),
  brine_keys: gauge('Keys of minions by state.', 'state'),
  // clusters of masters
  brine_cluster_connected: gauge('1 while the NATS servers of the cluster take messages, else 0.'),
  brine_cluster_cuts_total: counter('Times that the NATS servers of the cluster were away.'),
  brine_cluster_leaders_gave_way_total: counter(
    'Times that a NATS server which led a stream and wrote nothing let another one lead.',
  ),
  brine_cluster_members: gauge('Masters of the cluster that are there, with this one.'),
  brine_cluster_calls_total: counter('Writes of all masters that were made on the job cache of this one.'),
  brine_cluster_calls_spooled_total: counter('Writes that waited on the disk, because NATS was away.'),
  brine_cluster_calls_refused_total: counter(
    'Writes that were refused, because NATS was away or too many waited.',
  ),
  brine_cluster_calls_not_heard_back_total: counter(
    'Writes that the cluster has and that did not come back from it in time.',
  ),
  brine_cluster_calls_lost_total: counter(
    'Writes that the cluster has and that the job cache of this master never took.',
  ),
  brine_minion_cache_connected: gauge('Whether the server of the minion data cache answers.'),
  brine_minion_cache_waiting: gauge('Minions whose changed data the server does not have yet.'),
  brine_minion_cache_stored_total: counter('Entries of minions brought to the server.'),
  brine_minion_cache_loaded_total: counter('Entries of minions taken from the server.'),
  brine_minion_cache_removed_total: counter(
    'Entries of minions removed here, because they were removed there.',
  ),
  brine_minion_cache_conflicts_total: counter(
    'Entries that were changed here and there; the later change counts.',
  ),
  brine_minion_cache_refused_total: counter('Entries that the server did not take.'),
  brine_minion_cache_failures_total: counter('Times that the server could not be reached.'),
  brine_cluster_files_written_total: counter(
    'Keys, sessions and data of minions taken over from other masters.',
  ),
  brine_cluster_files_conflicts_total: counter('Those of them that had been changed here at the same time.'),
  brine_cluster_files_left_out_total: counter(
    'Times that data of a minion were larger than NATS takes at once.',
  ),
  brine_cluster_events_dropped_total: counter('Events that the other masters were not told of.'),
  brine_cluster_tokens_left_out_total: counter(
    'Tokens of log-ins that other masters were not told of, or did not take: too many, or alive for too long.',
  ),
  brine_cluster_messages_refused_total: counter('Messages from NATS that no member has sealed.'),
  // publications and minions
  brine_publications_total: counter('Jobs that were published.'),
  brine_connected_minions: gauge(
    'Minions that are connected to the publish port and have proved who they are.',
  ),
  brine_publish_connections: gauge('Connections to the publish port.'),
  brine_publications_delivered_total: counter('Publications, counted for each connection they went to.'),
  brine_publications_resent_total: counter('Publications sent once more to minions that had missed them.'),
  brine_publish_connections_cut_total: counter(
    'Connections that were cut because their minion did not keep up.',
  ),
  brine_publish_connections_refused_total: counter('Connections to the publish port that were refused.'),
  // returns and the job cache
  brine_returns_total: counter('Returns of minions.', 'outcome'),
  brine_returns_failed_total: counter('Returns whose return code is not 0, by function.', 'fun'),
  brine_job_return_seconds: histogram(
    'From the publication of a job to a return, by function.',
    LONG_SECONDS,
    'fun',
  ),
  brine_state_seconds: histogram('What states took on minions, by function.', LONG_SECONDS, 'state'),
  brine_states_total: counter('States that were applied, by function and result.', 'state', 'result'),
  brine_job_cache_bytes: gauge('Size of the job cache.'),
  brine_job_cache_commit_seconds: histogram('What commits of the job cache took.', SHORT_SECONDS),
  brine_job_cache_writes_total: counter('Jobs, returns and notes that were written.'),
  brine_job_cache_late_returns_total: counter('Returns of minions that had been given up.'),
  brine_job_cache_stray_total: counter('Jobs and returns of a day that the job cache does not keep.'),
  // the event bus
  brine_events_total: counter('Events on the bus.'),
  brine_event_bus_readers: gauge('Readers of the event bus.'),
  brine_event_bus_readers_cut_total: counter('Readers that were cut off because they did not keep up.'),
  brine_event_bus_waiting_bytes: gauge('Bytes that wait for the slowest reader.'),
  brine_event_bus_waiting_bytes_limit: gauge('How many bytes may wait for a reader before it is cut off.'),
  brine_event_bus_malformed_total: counter('Writers that wrote something else than events.'),
  // reactor, engines, databases
  brine_reactor_events_total: counter('Events that a rule of the reactor is for.'),
  brine_reactions_total: counter('Reactions, by what became of them.', 'outcome'),
  brine_reactor_waiting: gauge('Events that wait for the reactor.'),
  brine_reactor_feed_dropped_total: counter(
    'Events that were dropped before the reactor took them, because too many waited.',
  ),
  brine_returner_down: gauge(
    '1 while a database that a returner writes to cannot be reached.',
    'returner',
    'what',
  ),
  brine_returner_waiting: gauge('What waits to be written to a database.', 'returner', 'what'),
  // salt-api
  brine_api_requests_total: counter('Requests over HTTP that were answered.', 'status'),
  brine_api_requests_under_way: gauge('Requests over HTTP that are not answered yet.'),
  brine_api_sessions: gauge('Sessions of users who have logged in.'),
  brine_api_calls_under_way: gauge('Calls of the master that are under way.'),
  brine_api_calls_under_way_limit: gauge('How many there may be at a time (thread_pool); others wait.'),
  brine_api_calls_waiting: gauge('Calls that wait for their turn.'),
  brine_api_calls_refused_total: counter('Calls that were refused because too many waited.'),
  brine_api_logins_refused_total: counter('Log-ins that were refused because too many had failed.'),
  brine_api_event_readers: gauge('Readers of events and other streams.'),
  brine_api_event_readers_cut_total: counter('Such readers that were cut off because they did not keep up.'),
  // a minion
  brine_jobs_total: counter('Publications that reached the minion, by what became of them.', 'outcome'),
  brine_jobs_running: gauge('Jobs that run.'),
  brine_function_seconds: histogram('What functions took, by name.', LONG_SECONDS, 'fun'),
  brine_returns_sent_total: counter('Returns that a master has acknowledged.'),
  brine_returns_send_failed_total: counter('Attempts to hand in a return that failed.'),
  brine_returns_waiting: gauge('Returns that wait for a master.'),
  brine_returns_given_up_total: counter('Returns that no master took in time.'),
  brine_publications_refused_total: counter('Publications that were refused, by reason.', 'reason'),
  // a syndic
  brine_syndic_upper_connected: gauge('1 while a master above is connected, else 0.', 'master'),
  brine_syndic_lower_connected: gauge('1 while the master beside the syndic answers, else 0.'),
  brine_syndic_jobs_total: counter('Jobs from above, by what became of them.', 'outcome'),
  brine_syndic_forwarded_total: counter('Returns and events that were brought up.', 'what'),
  brine_syndic_gathered: gauge('Returns and events that are gathered for the next batch.', 'what'),
  brine_syndic_batches_sent_total: counter('Batches that a master above has acknowledged.', 'what'),
  brine_syndic_batches_waiting: gauge('Batches that wait on the disk for a master above.', 'what'),
  brine_syndic_batches_waiting_bytes: gauge('Bytes of those batches.', 'what'),
  brine_syndic_batches_waiting_bytes_limit: gauge(
    'How many there may be before the oldest are given up.',
    'what',
  ),
  brine_syndic_batches_given_up_total: counter('Batches that no master above took in time.', 'what'),
  brine_syndic_returns_found_total: counter('Returns that were missed and found in the job cache.'),
} as const satisfies Readonly<Record<string, Family>>;

/** The name of a figure. */
export type FamilyName = keyof typeof FAMILIES;

/** The table, for who has a name from elsewhere. */
export const FAMILY_TABLE: ReadonlyMap<string, Family> = new Map(Object.entries(FAMILIES));
