/** Options that masters and minions have in common, with the defaults of 3006.16 (salt/config/__init__.py). */
import { dict } from '../python/values/value.ts';
import { fetchIntervalOptions, gitfsOptions, gitPillarOptions } from './git-options.ts';
import { option, type OptionTable } from './option.ts';
import { sharedUnserved } from './unserved-options.ts';
import { noEffect, notYet } from './unserved.ts';

/** What the tables of masters and minions share; each option has the same default in both. */
export const sharedOptions = {
  ...sharedUnserved,
  unserved_options: option(
    'any',
    'stop',
    'what to do when the configuration asks for something that would be missed: stop, warn, or a list of options that may be missing; not in Salt',
  ),
  // files and folders of the program
  root_dir: option('str', '/', "folder put before every relative path of the program's own files"),
  include: option(
    'any',
    null,
    'further globs to read, relative to the main file, with a warning when nothing matches',
  ),
  user: option('str', 'root', 'account the daemon runs as'),
  python_executable: option(
    'str',
    '',
    'interpreter that runs custom modules in Python; `python3` of the PATH when it is empty',
  ),
  python_memory_bytes_max: option(
    'int',
    -1,
    'most memory that a process of custom modules in Python may take, 0 for no limit, -1 for half of what the machine has',
  ),
  python_seconds_max: option(
    'num',
    60,
    'seconds that what is rendered, an external pillar, an outputter or a login in Python may take by itself, 0 for no limit',
  ),
  sock_pool_size: option(
    'int',
    1,
    'how many sockets are kept open for sending',
    noEffect('requests share the connections of their process'),
  ),
  metrics_address: option(
    'str',
    '',
    'address and port, such as 127.0.0.1:9175, at which figures for Prometheus are shown under /metrics; nothing listens without it; not in Salt',
  ),
  otlp_endpoint: option(
    'str',
    '',
    'address of an OpenTelemetry collector, such as http://127.0.0.1:4318, to which each job is told as a trace by OTLP over HTTP; nothing is sent without it; not in Salt',
  ),
  otlp_headers: option(
    'dict',
    dict(),
    'headers of requests to otlp_endpoint, such as one with a token; not in Salt',
  ),
  otlp_ca_file: option(
    'str',
    '',
    "file of the certificates to trust at otlp_endpoint instead of the system's; not in Salt",
  ),
  module_dirs: option('list', [], 'further folders of execution modules'),
  outputter_dirs: option('list', [], 'further folders of outputters'),
  utils_dirs: option(
    'list',
    [],
    'further folders of utility modules',
    noEffect('custom modules import what they share as files'),
  ),
  extmod_whitelist: option('dict', dict(), 'kinds of modules to the names that may be synchronised'),
  extmod_blacklist: option('dict', dict(), 'kinds of modules to the names that are never synchronised'),
  clean_dynamic_modules: option(
    'bool',
    true,
    'remove synchronised modules that the file server no longer has',
  ),
  verify_env: option('bool', true, 'create missing folders and correct owners at start'),
  permissive_pki_access: option('bool', false, 'let the group read the folder of keys'),
  keysize: option('int', 2048, 'bits of new RSA keys'),
  features: option(
    'dict',
    dict(),
    'switches for behaviour that is being changed; enable_deprecated_module_search_path_priority is read',
  ),
  optimization_order: option(
    'list',
    [0, 1, 2],
    'order of levels of Python byte code',
    noEffect('there is no Python code to load'),
  ),
  fips_mode: option(
    'bool',
    false,
    'neither use nor take SHA-1 for signatures and keys; all masters and minions must have it',
  ),
  // network
  transport: option('str', 'zeromq', 'how programs talk: zeromq, tcp or ws'),
  interface: option('str', '0.0.0.0', 'address to listen on'),
  ipv6: option('bool?', null, 'use IPv6; not set means it follows from the address'),
  ipc_mode: option('str', 'ipc', 'local sockets as ipc (files) or tcp', {
    choices: ['ipc', 'tcp'],
    otherwise: 'ipc is used',
  }),
  ipc_write_buffer: option('int', 0, 'bytes a local socket buffers for writing, or dynamic', {
    also: (value) => value === 'dynamic',
  }),
  tcp_keepalive: option('bool', true, 'ask the system to probe idle connections'),
  tcp_keepalive_idle: option('num', 300, 'seconds of silence before the first probe', { least: -1 }),
  tcp_keepalive_cnt: option(
    'num',
    -1,
    "unanswered probes before a connection counts as dead, -1 for the system's number",
    noEffect('Node.js sets only when the first probe is sent'),
  ),
  tcp_keepalive_intvl: option(
    'num',
    -1,
    "seconds between probes, -1 for the system's number",
    noEffect('Node.js sets only when the first probe is sent'),
  ),
  ssl: option(
    'any',
    null,
    "TLS of tcp and ws: certfile, keyfile, ca_certs, cert_reqs, ssl_version, ciphers; true for the system's defaults",
    { types: ['dict', 'bool', 'NoneType'] },
  ),
  zmq_filtering: option('bool', false, 'publish with topics so that minions receive only what concerns them'),
  zmq_monitor: option(
    'bool',
    false,
    'log what happens to sockets',
    noEffect('connections are in the log at the level debug'),
  ),
  http_connect_timeout: option('num', 20, 'seconds until an HTTP connection counts as failed'),
  http_request_timeout: option('num', 3600, 'seconds until an HTTP request counts as failed'),
  http_max_body: option(
    'int',
    107374182400,
    'largest HTTP answer, bytes; 104857600 for one that is held in memory, unless this is set',
  ),
  discovery: option('any', false, 'answer to, or send, SSDP searches for a master', {
    types: ['dict', 'bool'],
    unserved: notYet('masters neither answer searches nor are found by them'),
  }),
  max_event_size: option('int', 1048576, 'bytes above which parts of an event are trimmed'),
  event_match_type: option(
    'str',
    'startswith',
    'how tags are compared: startswith, endswith, find, regex, fnmatch',
    noEffect('each reader of the event bus says itself how tags are compared'),
  ),
  // processes of the master
  cluster_mode: option(
    'bool',
    false,
    'one configuration for masters behind a load balancer',
    noEffect('it has none in Salt either'),
  ),
  reactor_niceness: option('int?', null, 'scheduling priority of the reactor'),
  // keys and access
  open_mode: option('bool', false, 'accept every key, even a changed one (no authentication at all)'),
  autosign_timeout: option('int', 120, 'minutes a file in minions_autosign counts, 0 for ever'),
  master_sign_key_name: option('str', 'master_sign', 'file name, without ending, of the signing key'),
  publisher_acl: option('dict', dict(), 'users of this host and what they may publish'),
  publisher_acl_blacklist: option('dict', dict(), 'users and functions that are always refused'),
  file_recv: option('bool', false, 'let minions push files to the master'),
  file_recv_max_size: option('int', 100, 'megabytes of the largest pushed file'),
  // jobs, cache and events
  ext_job_cache: option('str', '', 'returner that minions send their returns to'),
  unique_jid: option('bool', false, 'append the process id to job ids'),
  cache: option(
    'str',
    'localfs',
    'driver of the cache of minion data: `localfs`, files below `cachedir`; on a master also `redis`, `mysql`, `etcd`, `consul`',
  ),
  'keys.cache_driver': option(
    'str?',
    'localfs_key',
    'driver of the keys: files below `pki_dir`, which a master with `mmap_key` (3008.1) has as well',
  ),
  tracing: option(
    'dict',
    dict(),
    'the block of 3008: with `enabled` and `exporter: otlp-http` its `endpoint` and `headers` stand for otlp_endpoint and otlp_headers, unless these are set',
  ),
  metrics: option(
    'dict',
    dict(),
    'the block of 3008: with `enabled` and `exporter: prometheus` its `prometheus: {host, port}` stands for metrics_address, unless that is set',
  ),
  engines: option('list', [], 'engines to run, names or one-key mappings of name to options'),
  engines_dirs: option('list', [], 'further folders of engines'),
  may_lose_on_power_failure: option(
    'bool',
    false,
    'jobs, returns and reactions are acknowledged before the disk itself has them, which is sooner, and may be lost when the power fails',
  ),
  reactor: option('any', [], 'tags of events and the files that react to them'),
  reactor_refresh_interval: option('int', 60, 'seconds what the reactor reads is cached'),
  reactor_worker_threads: option('int', 10, 'functions of the master that reactions run at a time', {
    least: 1,
  }),
  reactor_worker_hwm: option('int', 10000, 'such calls that may wait; while so many do, further events do', {
    least: 1,
  }),
  schedule: option('dict', dict(), 'jobs to run regularly'),
  // file server
  file_roots: option(
    'dict',
    dict({ base: ['/srv/salt', '/srv/spm/salt'] }),
    'environments and their folders',
  ),
  fileserver_backend: option('list', ['roots'], 'where the file server takes files from, in order'),
  hash_type: option('str', 'sha256', 'checksum of files and keys', {
    choices: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
    otherwise: 'whatever needs a checksum fails',
  }),
  file_ignore_regex: option('list', [], 'regular expressions of paths that are not served', {
    types: ['list', 'str'],
    also: (value) => typeof value === 'string',
  }),
  file_ignore_glob: option('list', [], 'globs of paths that are not served', {
    types: ['list', 'str'],
    also: (value) => typeof value === 'string',
  }),
  fileserver_followsymlinks: option('bool', true, 'serve what symbolic links point to'),
  fileserver_ignoresymlinks: option('bool', false, 'leave symbolic links out of listings'),
  fileserver_list_cache_time: option('int', 20, 'seconds lists of files are cached'),
  roots_update_interval: option('int', 60, 'seconds between updates of the roots backend'),
  ...gitfsOptions,
  ...gitPillarOptions,
  ...fetchIntervalOptions,
  minionfs_update_interval: option(
    'int',
    60,
    'seconds between updates of the minionfs backend',
    noEffect('what a minion has pushed is served at once'),
  ),
  // states and templates
  state_top: option('str', 'top.sls', 'name of the file that assigns states'),
  state_top_saltenv: option('str?', null, 'environment whose top file is used, not set for all'),
  top_file_merging_strategy: option(
    'str',
    'merge',
    'how top files of several environments are joined: merge, same or merge_all',
    { choices: ['merge', 'same', 'merge_all'], otherwise: 'merge is used' },
  ),
  env_order: option('list', [], 'order of environments when top files are joined'),
  default_top: option('str', 'base', 'environment used with the strategy same where another has no top file'),
  saltenv: option('str?', null, 'environment used where none is named'),
  lock_saltenv: option('bool', false, 'do not let commands choose another environment'),
  pillarenv: option('str?', null, 'environment of pillar, not set for all'),
  master_tops_first: option('bool', false, 'external top data comes before the top file'),
  renderer: option('str', 'jinja|yaml', 'how files are turned into data, a pipe of renderers'),
  renderer_whitelist: option('list', [], 'renderers that may be used'),
  renderer_blacklist: option('list', [], 'renderers that may not be used'),
  failhard: option('bool', false, 'stop at the first failed state'),
  state_verbose: option('bool', true, 'print states without changes too'),
  state_output: option('str', 'full', 'how results of states are printed', {
    choices: ['full', 'terse', 'mixed', 'changes', 'filter'].flatMap((name) => [name, `${name}_id`]),
    otherwise: 'full is used',
  }),
  state_output_diff: option('bool', false, 'print only changed and failed states'),
  state_output_profile: option('bool', true, 'print start and duration of states'),
  state_output_pct: option('bool', false, 'print the share of states that succeeded'),
  state_compress_ids: option('bool', false, 'join states of one id in terse output'),
  state_tabular: option('any', false, 'print terse output as a table'),
  state_auto_order: option('bool', true, 'run states in the order of the file'),
  state_max_parallel: option(
    'int',
    0,
    'states with `parallel: True` that go on beside a run at a time, 0 for no limit; the others wait for their turn',
  ),
  state_aggregate: option('any', false, 'states that may be joined into one call, or true for all'),
  state_events: option('bool', false, 'send an event for each finished state'),
  test: option('bool', false, 'only say what would be done'),
  // pillar
  pillar_roots: option(
    'dict',
    dict({ base: ['/srv/pillar', '/srv/spm/pillar'] }),
    'environments and their folders of pillar',
  ),
  ext_pillar: option('list', [], 'external sources of pillar'),
  on_demand_ext_pillar: option('list', ['libvirt', 'virtkey'], 'external sources a function may ask for'),
  pillar_opts: option('bool', false, "put the master's options into pillar"),
  pillar_source_merging_strategy: option('str', 'smart', 'how sources of pillar are joined', {
    choices: ['smart', 'recurse', 'aggregate', 'overwrite', 'list', 'none'],
    otherwise: 'recurse is used',
  }),
  pillar_merge_lists: option('bool', false, 'join lists of several sources'),
  pillar_keep_on_empty: option(
    'bool',
    false,
    'a key that a later file leaves empty keeps what earlier ones gave, instead of wiping it',
  ),
  pillar_includes_override_sls: option('bool', false, 'included pillar wins over the file that includes it'),
  pillar_cache: option('bool', false, 'keep rendered pillar on the master'),
  pillar_cache_ttl: option('int', 3600, 'seconds rendered pillar is kept'),
  pillar_cache_backend: option('str', 'disk', 'where it is kept: disk or memory', {
    choices: ['disk', 'memory'],
    otherwise: 'disk is used',
  }),
  decrypt_pillar: option('list', [], 'pillar keys whose values are decrypted'),
  decrypt_pillar_delimiter: option('str', ':', 'what separates levels in those keys'),
  decrypt_pillar_default: option('str', 'gpg', 'renderer that decrypts'),
  decrypt_pillar_renderers: option('list', ['gpg'], 'renderers that may decrypt'),
  gpg_decrypt_must_succeed: option(
    'bool',
    true,
    'fail when a value cannot be decrypted; otherwise the encrypted text stays',
  ),
  gpg_keydir: option('str', '', 'folder of the gpg keys; without it gpgkeys beside the configuration file'),
  gpg_cache: option('bool', false, 'remember decrypted values, in memory only'),
  gpg_cache_ttl: option('int', 86400, 'seconds they are remembered'),
  gpg_cache_backend: option(
    'str',
    'disk',
    'where Salt remembers them',
    noEffect('secrets are remembered in memory only'),
  ),
  range_server: option(
    'str',
    'range:80',
    'host and port of a range server',
    notYet('there are no range targets'),
  ),
  // the minion itself
  id: option('str', '', 'name of the minion, or of the master'),
  append_domain: option('str?', null, 'domain put behind the name'),
  cython_enable: option('bool', false, 'accepted and ignored', noEffect('there is no Python code to load')),
  // logging
  key_logfile: option('str', '/var/log/salt/key', 'log file of salt-key', { pathOf: 'every program' }),
  log_dir: option('str?', null, 'folder of log files'),
  log_level: option('str', 'warning', 'lowest level printed'),
  log_level_logfile: option('str?', null, 'lowest level written to the log file; not set for log_level'),
  log_datefmt: option('str', '%H:%M:%S', 'form of times printed'),
  log_datefmt_logfile: option('str', '%Y-%m-%d %H:%M:%S', 'form of times in the log file'),
  log_fmt_console: option('str', '[%(levelname)-8s] %(message)s', 'form of printed lines'),
  log_fmt_logfile: option(
    'str',
    '%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s',
    'form of lines in the log file',
    { types: ['tuple', 'str'] },
  ),
  log_fmt_jid: option(
    'str',
    '[JID: %(jid)s]',
    'form of the job id where a form names it',
    notYet('lines do not name the job'),
  ),
  log_fmt_minion_id: option(
    'str?',
    '[%(minion_id)s]',
    "form of the minion's id where a form has %(minion_id)s; lines of a master name none",
  ),
  log_granular_levels: option('dict', dict(), 'levels by name of the logger'),
  log_rotate_max_bytes: option('int', 0, 'size at which a log file is rotated, 0 for never'),
  log_rotate_backup_count: option('int', 0, 'rotated log files that are kept'),
} as const satisfies OptionTable;

/**
 * Where a program finds its configuration and keeps its files; in Salt's places, which its role names.
 */
export function placesOf(role: 'master' | 'minion') {
  return {
    conf_file: option('str', `/etc/salt/${role}`, 'path of the main configuration file that was read'),
    default_include: option(
      'str',
      `${role}.d/*.conf`,
      'glob of further configuration files, relative to the main file',
    ),
    pki_dir: option('str', `/etc/salt/pki/${role}`, 'folder of the keys', { pathOf: 'every program' }),
    cachedir: option('str', `/var/cache/salt/${role}`, 'folder of everything that can be built again', {
      pathOf: 'every program',
    }),
    sock_dir: option('str', `/var/run/salt/${role}`, 'folder of the local sockets', {
      pathOf: 'every program',
    }),
    pidfile: option('str', `/var/run/salt-${role}.pid`, 'file that holds the process id of the daemon', {
      pathOf: 'every program',
    }),
    extension_modules: option(
      'str',
      `/var/cache/salt/${role}/extmods`,
      'folder of modules copied from the file server',
      { pathOf: 'every program' },
    ),
  } as const satisfies OptionTable;
}
