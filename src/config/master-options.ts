/** Every option a master knows, with the defaults of 3006.16 (salt/config/__init__.py). */
import { dict } from '../python/values/value.ts';
import { SETTINGS_OF_TEMPLATES } from './names-in-values.ts';
import { option, type OptionTable, type Options } from './option.ts';
import { placesOf, sharedOptions } from './shared-options.ts';
import { gitMasterOptions } from './git-options.ts';
import { hgfsOptions, svnfsOptions } from './git-options.ts';
import { masterUnserved } from './unserved-options.ts';
import { noEffect, notYet } from './unserved.ts';

/** The options of a master; what a file says beyond them is kept untouched. */
export const masterOptions = {
  ...sharedOptions,
  ...masterUnserved,
  ...gitMasterOptions,
  // files and folders of the program
  ...placesOf('master'),
  runner_dirs: option('list', [], 'further folders of runners'),
  // network
  publish_port: option('int', 4505, 'TCP port of publications'),
  ret_port: option('int', 4506, 'TCP port of requests and returns'),
  transport_opts: option(
    'dict',
    dict(),
    'further transports, each with the options that differ, such as ports of its own',
  ),
  tcp_master_pub_port: option('int', 4512, 'local event port with ipc_mode tcp'),
  tcp_master_pull_port: option('int', 4513, 'local port that takes events with ipc_mode tcp'),
  tcp_master_publish_pull: option(
    'int',
    4514,
    'local port that takes publications with ipc_mode tcp',
    noEffect('only the processes of the master itself would use the port'),
  ),
  tcp_master_workers: option(
    'int',
    4515,
    'local port of the workers with ipc_mode tcp',
    noEffect('only the processes of the master itself would use the port'),
  ),
  zmq_backlog: option('int', 1000, 'connections that may wait to be accepted'),
  pub_hwm: option(
    'int',
    1000,
    'messages queued for a slow subscriber before it loses some',
    noEffect('what waits for a slow minion is limited in bytes; beyond that its connection is cut'),
  ),
  salt_cp_chunk_size: option('int', 98304, 'bytes per message of salt-cp', { least: 1 }),
  // processes of the master
  worker_threads: option(
    'int',
    5,
    'workers that handle requests; one at first, one for each core when there is more to do, the others when one of them does not answer',
    { least: 1 },
  ),
  worker_pools_enabled: option('bool', true, 'whether worker_pools counts'),
  worker_pools: option(
    'dict',
    dict(),
    'pools of workers by name, each with `worker_count` and `commands`; their sum stands for worker_threads. Each worker takes every command: logins and keys wait behind no returns, which have bounded lanes of their own',
  ),
  worker_pool_default: option('str?', null, 'the pool of commands that no pool names'),
  timeout: option('num', 5, 'seconds the command line waits for returns'),
  gather_job_timeout: option('int', 10, 'seconds to wait for an answer to "is this job still running"'),
  loop_interval: option('num', 60, 'seconds between two rounds of housekeeping', { least: 1 }),
  maintenance_interval: option(
    'int',
    3600,
    'seconds after which the housekeeping process is replaced',
    noEffect('no process is replaced after a time'),
  ),
  fileserver_interval: option(
    'int',
    3600,
    'seconds after which the process that updates the file server is replaced',
    noEffect('no process is replaced after a time'),
  ),
  max_open_files: option('int', 100000, 'limit of open files to ask the system for'),
  max_connections_by_address: option(
    'int',
    0,
    'connections that one address may have at each port, 0 for three quarters of the files that the process may open; many minions behind one router share an address',
  ),
  file_recv_max_files: option(
    'int',
    10_000,
    'files and folders that one minion may have pushed (cp.push), 0 for no limit; what would exceed them is refused',
  ),
  grains_max_size: option(
    'int',
    16,
    'megabytes of the grains of one minion that the master keeps; of a minion with more, grains and pillar are not kept, and targets go by older ones',
  ),
  mine_max_size: option(
    'int',
    32,
    'megabytes that the mine of one minion may have on the master; what would exceed them is refused, and the mine stays as it was',
  ),
  con_cache: option(
    'bool',
    false,
    'manage.present and its like, minions.connected, presence events and max_minions go by the connections of minions, not by the addresses in their cached grains',
  ),
  max_minions: option('int', 0, 'refuse further minions above this number, 0 for no limit'),
  order_masters: option('bool', false, 'this master has syndics below it'),
  master_stats: option(
    'bool',
    false,
    'send events about what the workers did',
    notYet('workers send no statistics; SIGUSR1 writes counters to a file below /tmp'),
  ),
  master_stats_event_iter: option(
    'int',
    60,
    'seconds between those events',
    notYet('workers send no statistics; SIGUSR1 writes counters to a file below /tmp'),
  ),
  req_server_niceness: option(
    'int?',
    null,
    "scheduling priority of the request server, not set to keep the parent's",
  ),
  pub_server_niceness: option('int?', null, 'scheduling priority of the publisher'),
  fileserver_update_niceness: option(
    'int?',
    null,
    "scheduling priority of the file server's updates",
    noEffect('files are looked after in the process that maintenance_niceness is for'),
  ),
  maintenance_niceness: option('int?', null, 'scheduling priority of housekeeping'),
  mworker_niceness: option('int?', null, 'scheduling priority of the workers'),
  mworker_queue_niceness: option(
    'int?',
    null,
    'scheduling priority of the queue before the workers',
    noEffect('the queue is in the process that req_server_niceness is for'),
  ),
  event_return_niceness: option('int?', null, 'scheduling priority of the process that stores events'),
  event_publisher_niceness: option('int?', null, 'scheduling priority of the event publisher'),
  // keys and access
  auto_accept: option('bool', false, 'accept every new key without asking'),
  autosign_file: option('str?', null, 'file of minion ids and patterns whose keys are accepted at once', {
    pathOf: 'every program',
  }),
  autoreject_file: option('str?', null, 'file of minion ids and patterns whose keys are rejected at once', {
    pathOf: 'every program',
  }),
  autosign_grains_dir: option(
    'str?',
    null,
    'folder of files named after grains, listing values whose minions are accepted',
    { pathOf: 'every program' },
  ),
  key_cache: option(
    'str',
    '',
    'sched to keep a list of accepted keys for the publisher',
    noEffect('the folder of accepted keys is watched'),
  ),
  key_pass: option('str?', null, 'pass phrase of the private key'),
  // the password store of the renderer pass
  pass_variable_prefix: option('str', '', 'texts with this prefix name entries; without it each text may'),
  pass_strict_fetch: option(
    'bool',
    false,
    'an entry that cannot be read fails the file; needs pass_variable_prefix',
  ),
  pass_dir: option('str', '', "folder of the entries; without it pass's own, ~/.password-store"),
  pass_gnupghome: option('str', '', "folder of the gpg keys; without it gpg's own"),
  signing_key_pass: option('str?', null, 'pass phrase of the key that signs the public key'),
  master_sign_pubkey: option('bool', false, 'sign the public key in authentication replies'),
  master_pubkey_signature: option(
    'str',
    'master_pubkey_signature',
    'file name of a signature made in advance',
  ),
  master_use_pubkey_signature: option('bool', false, 'send that signature instead of making one each time'),
  sign_pub_messages: option('bool', true, 'sign publications; minions of ours refuse unsigned ones'),
  require_minion_sign_messages: option('bool', false, 'drop returns that minions did not sign'),
  drop_messages_signature_fail: option('bool', false, 'drop returns whose signature is wrong'),
  rotate_aes_key: option('bool', true, "make a new session key when a minion's key is deleted or rejected"),
  publish_session: option('int', 86400, 'seconds until a new session key is made'),
  ping_on_rotate: option('bool', false, 'ping all minions after a new session key'),
  request_server_ttl: option('int', 0, 'seconds a request may be old, 0 for no limit'),
  request_server_aes_session: option(
    'int',
    0,
    'seconds a session key of a single minion lives, 0 to use the common key',
    noEffect('it has none in Salt either; publish_session says how long a session key lives'),
  ),
  publish_signing_algorithm: option(
    'str',
    'PKCS1v15-SHA1',
    'how publications are signed: PKCS1v15-SHA1 or PKCS1v15-SHA224',
  ),
  minimum_auth_version: option('int', 3, 'lowest version of the wire protocol a minion may speak'),
  auth_mode: option('int', 1, 'how requests are authenticated', noEffect('there is only one mode')),
  auth_events_autosign_grains: option(
    'list',
    [],
    'which of those events also have the grains that the minion sent for autosign_grains_dir: acts such as pend, accept, reject, denied, full',
  ),
  auth_events: option('bool', true, 'send events about authentication requests'),
  preserve_minion_cache: option('bool', false, 'keep cached data when a key is deleted'),
  allow_minion_key_revoke: option('bool', true, 'a minion may delete its own key'),
  client_acl_verify: option('bool', true, 'make key files only for users the system knows'),
  sudo_acl: option('bool', false, 'apply publisher_acl to users that come by sudo'),
  cluster: option(
    'dict',
    dict(),
    'cluster of masters that this one belongs to: its id, the addresses of its NATS servers (nats, nats_monitoring), replicas, credentials, and own_keys',
  ),
  cluster_id: option(
    'str?',
    null,
    'the id of the option cluster, where that names none (3007); without the option cluster the master does not start',
  ),
  external_auth: option('dict', dict(), 'authentication systems, users and what they may do'),
  roles: option(
    'dict',
    dict(),
    'ours: bundles of rules by name, each with the users and groups that have it',
  ),
  eauth_acl_module: option('str', '', 'module that produces access rules'),
  eauth_tokens: option('str', 'localfs', 'where tokens are stored'),
  keep_acl_in_token: option('bool', false, 'store the rules of a user in the token'),
  permissive_acl: option(
    'bool',
    false,
    'the rules of the user `*` are also for those whom another entry names',
  ),
  token_expire: option('int', 43200, 'seconds a token lives'),
  token_expire_user_override: option('any', false, 'who may ask for another lifetime', {
    types: ['bool', 'dict'],
  }),
  token_dir: option('str', '/var/cache/salt/master/tokens', 'folder of tokens, always below cachedir', {
    pathOf: 'every program',
  }),
  token_file: option('str?', null, 'file that holds the token of the command line'),
  unknown_returns_max: option(
    'int',
    10_000,
    'returns of jobs which the job cache does not know that are kept of one minion within a day, 0 for no limit; what comes beyond is an event and a warning',
  ),
  own_jobs_max: option(
    'int',
    100_000,
    'jobs which one minion has begun itself (salt-call, its schedule) that are kept within a day, 0 for no limit; what comes beyond is an event and a warning',
  ),
  unasked_returns_max_size: option(
    'int',
    1024,
    'megabytes of both that are kept of one minion within a day, 0 for no limit',
  ),
  peer: option('dict', dict(), 'which minions may publish which functions'),
  peer_run: option('dict', dict(), 'which minions may call which runners'),
  mine_get: option('dict', dict(), 'which minions may read which functions of the mine'),
  // jobs, cache and events
  job_cache: option('bool', true, 'keep returns of jobs'),
  master_job_cache: option('str', 'local_cache', 'returner that keeps jobs'),
  keep_jobs: option('int', 24, 'hours jobs are kept; keep_jobs_seconds takes precedence'),
  keep_jobs_seconds: option('int', 86400, 'seconds jobs are kept, 0 for ever'),
  job_cache_max_jobs: option(
    'int',
    0,
    'the oldest days of jobs are forgotten above this number, 0 for no limit',
  ),
  job_cache_max_bytes: option(
    'int',
    0,
    'the oldest days of jobs are forgotten above this size, 0 for no limit',
  ),
  archive_jobs: option('bool', false, 'SQL databases keep old jobs in tables beside theirs, not forget them'),
  job_cache_store_endtime: option(
    'bool',
    false,
    'note when a job ended',
    notYet('the job cache keeps when each minion returned, not when a job ended'),
  ),
  show_jid: option('bool', false, 'print the job id'),
  show_timeout: option('bool', true, 'print minions that did not answer'),
  cli_summary: option('bool', false, 'print a summary of the answers'),
  batch_safe_limit: option('int', 0, 'run in batches when more minions than this are targeted, 0 for never'),
  batch_safe_size: option('any', 8, 'size of those batches, a number or a percentage'),
  minion_data_cache: option('bool', true, 'keep grains, pillar and mine of minions'),
  minion_data_cache_events: option('bool', true, 'send an event when that data changes'),
  enforce_mine_cache: option('bool', false, 'keep the mine even without minion_data_cache'),
  memcache_expire_seconds: option(
    'int',
    0,
    'seconds cached data is also kept in memory, 0 for not at all',
    noEffect('what is read often is in memory anyway'),
  ),
  memcache_max_items: option(
    'int',
    1024,
    'entries kept in memory',
    noEffect('what is read often is in memory anyway'),
  ),
  memcache_full_cleanup: option(
    'bool',
    false,
    'drop every expired entry when memory is full',
    noEffect('what is read often is in memory anyway'),
  ),
  memcache_debug: option(
    'bool',
    false,
    'log how well the memory cache works',
    noEffect('what is read often is in memory anyway'),
  ),
  event_return: option('any', '', 'returners that store all events', { types: ['list', 'str'] }),
  event_return_queue: option('int', 0, 'events stored at a time'),
  event_return_queue_max_seconds: option('int', 0, 'seconds events may wait to be stored'),
  event_return_whitelist: option('list', [], 'globs of tags to store'),
  returner_spool_max_bytes: option(
    'int',
    256 * 1024 * 1024,
    'bytes of events that may wait for a database; those that come beyond are dropped and counted; not in Salt',
  ),
  event_return_blacklist: option('list', [], 'globs of tags not to store'),
  presence_events: option('bool', false, 'send events about which minions are connected'),
  runner_returns: option('bool', true, 'keep the results of runners'),
  fileserver_events: option('bool', false, 'send events about updates of the file server'),
  ext_processes: option(
    'list',
    [],
    "processes of one's own to run beside the daemon: paths of TypeScript or JavaScript files, or commands",
  ),
  rest_timeout: option('int', 300, 'seconds the HTTP interface waits for an answer', { least: 1 }),
  queue_dirs: option(
    'list',
    [],
    'further folders of queue modules',
    notYet('queues are kept by the backends sqlite and pgjsonb alone'),
  ),
  sqlite_queue_dir: option('str', '/var/cache/salt/master/queues', 'folder of the sqlite queues', {
    pathOf: 'every program',
  }),
  // file server
  file_client: option('str', 'local', 'where files come from: remote, or local', {
    choices: ['remote', 'local'],
    otherwise: 'remote is used',
  }),
  master_roots: option(
    'dict',
    dict({ base: ['/srv/salt-master'] }),
    'folders only the master itself uses',
    notYet('only thorium would read them'),
  ),
  file_buffer_size: option('int', 1048576, 'bytes per message when a file is sent', { least: 1 }),
  fileserver_verify_config: option(
    'bool',
    true,
    'refuse to start when no backend works',
    noEffect('backends and remotes that cannot be understood always stop the master'),
  ),
  ...hgfsOptions,
  ...svnfsOptions,
  minionfs_env: option('str', 'base', 'environment in which pushed files appear'),
  minionfs_mountpoint: option('str', '', 'path below which pushed files appear'),
  minionfs_whitelist: option('list', [], 'minions whose pushed files are served'),
  minionfs_blacklist: option('list', [], 'minions whose pushed files are not served'),
  // states and templates
  master_tops: option('dict', dict(), 'sources that assign states to minions beside the top file'),
  jinja_env: option('dict', dict(), 'options of the template engine outside states', {
    inside: SETTINGS_OF_TEMPLATES,
  }),
  jinja_sls_env: option('dict', dict(), 'options of the template engine in states', {
    inside: SETTINGS_OF_TEMPLATES,
  }),
  jinja_trim_blocks: option('bool', false, 'remove the newline behind a block'),
  jinja_lstrip_blocks: option('bool', false, 'remove spaces before a block'),
  jinja_seconds_max: option(
    'num',
    5,
    'seconds of work that the templates of one pillar may cost, 0 for no limit',
  ),
  jinja_output_characters_max: option('int', 16 * 1024 * 1024, 'most characters that a template may make', {
    least: 1,
  }),
  nodegroups: option('dict', dict(), 'names for targets', { types: ['dict', 'list'], also: Array.isArray }),
  // pillar
  ext_pillar_first: option('bool', false, 'external pillar comes first and can be used by files'),
  pillar_safe_render_error: option('bool', true, 'do not tell minions why pillar failed'),
  pillar_version: option('int', 2, 'accepted and ignored', noEffect('there is only one form')),
  enable_gpu_grains: option('bool', false, 'look for graphics cards'),
  serial: option('str', 'msgpack', 'form of messages', noEffect('there is only one form')),
  // the minion itself
  local: option('bool', true, 'act as if there were no master'),
  // syndic
  syndic_master: option('any', 'masterofmasters', 'the master above a syndic', { types: ['str', 'list'] }),
  syndic_master_port: option('any', null, 'request port of that master; not set for master_port'),
  syndic_user: option('str?', null, 'account a syndic runs as; not set for user'),
  syndic_sock_dir: option(
    'str?',
    null,
    "folder of a syndic's sockets; not set for sock_dir",
    noEffect('a syndic uses the sockets of the master beside it'),
  ),
  syndic_log_file: option('str', '/var/log/salt/syndic', 'log file of a syndic', { pathOf: 'salt-syndic' }),
  syndic_pidfile: option('str', '/var/run/salt-syndic.pid', 'file that holds the process id of a syndic', {
    pathOf: 'salt-syndic',
  }),
  syndic_metrics_address: option('str', '', 'metrics_address of the syndic beside this master; not in Salt'),
  syndic_wait: option('int', 5, 'seconds to wait for syndics to say which minions they have'),
  syndic_failover: option('str', 'random', 'how the next master above is chosen: random or ordered'),
  syndic_max_event_process_time: option(
    'num',
    0.5,
    'seconds for which a burst of events is gathered before it is forwarded',
  ),
  syndic_spool_size: option(
    'int',
    268_435_456,
    'bytes of returns, and a quarter of it of events, that wait on disk for a master above; the oldest are given up beyond that',
  ),
  syndic_spool_days: option('num', 7, 'days after which what no master above took is given up'),
  allowed_syndics: option(
    'list',
    [],
    'globs of minion ids that may speak for other minions when order_masters is set, or mappings of them to globs of those minions; empty for every accepted key that says so before it has acted as a minion',
  ),
  syndic_mode: option('str', 'sync', 'cluster to send to one master above only'),
  syndic_dir: option(
    'str',
    '/var/cache/salt/master/syndics',
    'folder of marks of syndics, always below cachedir',
    { pathOf: 'every program' },
  ),
  syndic_event_forward_timeout: option('num', 0.5, 'seconds returns are collected before they are forwarded'),
  syndic_jid_forward_cache_hwm: option('int', 100, 'remembered ids of forwarded jobs'),
  syndic_forward_all_events: option('bool', false, 'forward every event, not only returns'),
  // the HTTP interface
  api_pidfile: option(
    'str',
    '/var/run/salt-api.pid',
    'file that holds the process id of the HTTP interface',
    { pathOf: 'salt-api' },
  ),
  api_logfile: option('str', '/var/log/salt/api', 'log file of the HTTP interface', { pathOf: 'salt-api' }),
  netapi_enable_clients: option('list', [], 'clients the HTTP interface may use'),
  netapi_allow_raw_shell: option('bool', false, 'allow raw shell commands through the HTTP interface'),
  // logging
  log_file: option('str', '/var/log/salt/master', 'log file, or a URL of a system log', {
    pathOf: 'every program',
  }),
} as const satisfies OptionTable;

/** The configuration of a master. */
export type MasterOptions = Options<typeof masterOptions>;
