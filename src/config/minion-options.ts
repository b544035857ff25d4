/** Every option a minion knows, with the defaults of 3006.16 (salt/config/__init__.py). */
import { dict } from '../python/values/value.ts';
import { REQUISITE_NAMES } from './names-in-values.ts';
import { option, type OptionTable, type Options } from './option.ts';
import { placesOf, sharedOptions } from './shared-options.ts';
import { minionUnserved } from './unserved-options.ts';
import { noEffect, notYet } from './unserved.ts';

/** The options of a minion; what a file says beyond them is kept untouched. */
export const minionOptions = {
  ...sharedOptions,
  ...minionUnserved,
  master_tops: option(
    'dict',
    dict(),
    'sources that assign states beside the top file; a master asks them, and a minion without one asks none',
  ),
  // reactions
  reactor: option(
    'any',
    [],
    'tags of events of this minion and the files that react to them; a minion starts its reactor as an engine',
  ),
  reactor_niceness: option('int?', null, 'scheduling priority of the reactor'),
  // files and folders of the program
  ...placesOf('minion'),
  salt_python: option(
    'bool',
    false,
    'modules that Brine does not have come from a Salt that `python_executable` can import, or that is installed',
  ),
  returner_dirs: option('list', [], 'further folders of returners'),
  grains_dirs: option('list', [], 'further folders of grains'),
  states_dirs: option('list', [], 'further folders of state modules'),
  render_dirs: option('list', [], 'further folders of renderers'),
  // network
  tcp_pub_port: option('int', 4510, 'local event port with ipc_mode tcp'),
  tcp_pull_port: option('int', 4511, 'local port that takes events with ipc_mode tcp'),
  tcp_authentication_retries: option(
    'int',
    5,
    'attempts to authenticate a tcp connection, -1 for ever',
    noEffect('it is tried until the master lets the minion in'),
  ),
  tcp_reconnect_backoff: option('num', 1, 'seconds between attempts to connect again over tcp'),
  proxy_host: option('str', '', 'HTTP proxy for requests that modules make'),
  proxy_port: option('int', 0, 'port of the HTTP proxy', { least: 0 }),
  proxy_username: option('str', '', 'user name for the HTTP proxy'),
  proxy_password: option('str', '', 'password for the HTTP proxy'),
  no_proxy: option('list', [], 'hosts reached without the HTTP proxy'),
  salt_cp_chunk_size: option('int', 65536, 'bytes per message of salt-cp', { least: 1 }),
  // processes of the master
  loop_interval: option('num', 1, 'seconds between two rounds of housekeeping', { least: 0.1 }),
  // keys and access
  auto_accept: option('bool', true, 'accept every new key without asking'),
  sign_pub_messages: option(
    'bool',
    true,
    'refuse publications without a signature; False for a master that does not sign, until it first does',
  ),
  require_publish_serial: option(
    'bool',
    true,
    'refuse publications without a serial, which only masters of a cluster of 3007 send',
  ),
  learn_masters: option(
    'bool',
    true,
    'where master names one master, and that is one of a cluster, go to the others as well, as the master says',
  ),
  minion_sign_messages: option('bool', false, 'sign returns'),
  encryption_algorithm: option(
    'str',
    'OAEP-SHA1',
    'how keys are encrypted in requests: OAEP-SHA1 or OAEP-SHA224',
  ),
  signing_algorithm: option(
    'str',
    'PKCS1v15-SHA1',
    'how requests are signed: PKCS1v15-SHA1 or PKCS1v15-SHA224',
  ),
  // file server
  file_client: option('str', 'remote', 'where files come from: remote, or local', {
    choices: ['remote', 'local'],
    otherwise: 'remote is used',
  }),
  file_buffer_size: option('int', 262144, 'bytes per message when a file is sent', { least: 1 }),
  // states and templates
  pillarenv_from_saltenv: option('bool', false, 'pillar follows saltenv'),
  jinja_seconds_max: option('num', 60, 'seconds of work that one template may cost, 0 for no limit'),
  jinja_output_characters_max: option('int', 128 * 1024 * 1024, 'most characters that a template may make', {
    least: 1,
  }),
  archive_members_max: option('int', 1_000_000, 'most members of an archive that is unpacked', { least: 1 }),
  archive_unpacked_bytes_max: option(
    'any',
    null,
    'most bytes an archive may unpack to; not set for as many as there is room for',
  ),
  archive_links_outside: option(
    'bool',
    false,
    'unpack archives with links to places outside of their folder; nothing is ever written through them',
  ),
  // pillar
  enable_gpu_grains: option('bool', true, 'look for graphics cards'),
  // the connection of a minion
  master: option('any', 'salt', 'the master, several of them, or a function that names it', {
    types: ['str', 'list'],
  }),
  master_type: option('str', 'str', 'what master means: str, failover, distributed, func or disable'),
  master_uri_format: option(
    'str',
    'default',
    'ip_only when master may be an address that holds colons',
    noEffect('an address that holds colons is known as one'),
  ),
  master_port: option('int', 4506, 'TCP port of requests on the master', { types: ['str', 'int'] }),
  source_interface_name: option('str', '', 'network interface to connect from'),
  source_address: option('str', '', 'address to connect from'),
  source_ret_port: option('int', 0, 'port to connect from for requests', {
    types: ['str', 'int'],
    least: 0,
  }),
  source_publish_port: option('int', 0, 'port to connect from for publications', {
    types: ['str', 'int'],
    least: 0,
  }),
  random_master: option('bool', false, 'take masters in random order'),
  master_shuffle: option('bool', false, 'old name of random_master'),
  master_alive_interval: option('int', 0, 'seconds between checks that the master is there, 0 for none'),
  master_failback: option('bool', false, 'return to the first master when it is there again'),
  master_failback_interval: option('int', 0, 'seconds between checks for that'),
  master_tries: option('int', 1, 'rounds over all masters, -1 for ever', { least: -1 }),
  retry_dns: option('num', 30, "seconds between attempts to resolve the master's name, 0 to give up at once"),
  retry_dns_count: option('int?', null, 'how many such attempts, not set for no limit', { least: 0 }),
  resolve_dns_fallback: option(
    'bool',
    true,
    "look up the master's name again after failures",
    noEffect('it has none in Salt either'),
  ),
  auth_timeout: option('int', 5, 'seconds an authentication request may take', { least: 1 }),
  auth_tries: option('int', 7, 'attempts to authenticate before giving up'),
  auth_safemode: option(
    'bool',
    false,
    'keep trying after refused authentication',
    noEffect('a minion that its master refuses for a while keeps trying'),
  ),
  acceptance_wait_time: option('num', 10, 'seconds between attempts while the key waits for acceptance'),
  acceptance_wait_time_max: option('num', 0, 'upper bound when that time grows, 0 for no growth'),
  rejected_retry: option('bool', false, 'keep trying with a rejected key'),
  random_reauth_delay: option('int', 10, 'largest random delay in seconds before authenticating again'),
  random_startup_delay: option('int', 0, 'largest random delay in seconds at start'),
  recon_default: option('num', 1000, 'milliseconds before the first attempt to connect again'),
  recon_max: option('num', 10000, 'largest number of milliseconds between attempts'),
  recon_randomize: option('bool', true, 'choose those times at random'),
  request_channel_timeout: option('int', 60, 'seconds a request may take', { least: 1 }),
  request_channel_tries: option('int', 3, 'attempts per request'),
  return_retry_timer: option('int', 5, 'seconds until a return is sent again'),
  return_retry_timer_max: option('int', 10, 'upper bound of a random such time'),
  return_retry_tries: option('int', 3, 'attempts per return'),
  return_spool_count: option(
    'int',
    10_000,
    'returns that may wait on disk for a master; at more the oldest is given up',
  ),
  return_spool_size: option('int', 67_108_864, 'bytes that such returns may take'),
  return_spool_days: option('num', 7, 'days after which a return that no master took is given up'),
  ping_interval: option('int', 0, 'minutes between pings to the master, 0 for none'),
  syndic_finger: option('str', '', 'fingerprint the master above a syndic must have'),
  master_finger: option('str', '', 'fingerprint the master must have'),
  verify_master_pubkey_sign: option('bool', false, 'demand a signed public key'),
  always_verify_signature: option('bool', false, 'verify that signature each time, not only for a new key'),
  // another version in this one's place
  brine_upgrade_source: option(
    'str',
    'salt://brine',
    'where brine.upgrade finds releases and what is signed about them; not in Salt',
  ),
  brine_upgrade_root: option(
    'str',
    '',
    'the file with the first root of trust for releases; empty for brine-root.json beside the configuration; not in Salt',
  ),
  brine_upgrade_trial: option(
    'int',
    90,
    'seconds that a new version is watched before it is trusted; not in Salt',
    { least: 1 },
  ),
  brine_upgrade_memory: option(
    'int',
    512,
    'megabytes of memory that the minion of a new version may take on its trial; not in Salt',
    { least: 32 },
  ),
  minion_jid_queue_hwm: option('int', 100, 'remembered job ids, so that no job runs twice'),
  // the minion itself
  id_function: option('any', dict(), 'function that makes the name', { types: ['dict', 'str'] }),
  minion_id_caching: option('bool', true, 'remember a name that was found out'),
  minion_id_lowercase: option('bool', false, 'turn a name that was found out into lower case'),
  minion_id_remove_domain: option(
    'any',
    false,
    'remove the domain, or any domain, from a name that was found out',
    { types: ['str', 'bool'] },
  ),
  append_minionid_config_dirs: option(
    'list',
    [],
    'options whose folders get the name of the minion appended',
  ),
  sudo_user: option('str', '', 'account commands run as, by sudo'),
  multiprocessing: option('bool', true, 'run each job in a process of its own'),
  process_count_max: option('int', -1, 'jobs at a time, -1 for no limit'),
  startup_states: option('str', '', 'what to apply at start: highstate, sls or top', {
    choices: ['', 'highstate', 'sls', 'top'],
    otherwise: 'highstate is used',
  }),
  sls_list: option('list', [], 'what to apply at start with sls'),
  top_file: option('str', '', 'what to apply at start with top'),
  start_event_grains: option('list', [], 'grains to send with the start event'),
  enable_legacy_startup_events: option('bool', true, 'also send the start event under its old tag'),
  pub_ret: option('bool', true, 'send returns'),
  cache_jobs: option('bool', false, 'keep returns on the minion'),
  returner_spool_max_bytes: option(
    'int',
    64 * 1024 * 1024,
    'bytes of returns that may wait for the database of one returner; those that come beyond are dropped and counted; not in Salt',
  ),
  return: option('any', null, 'returners every return also goes to', { types: ['str', 'list'] }),
  module_executors: option('list', [], 'what calls functions, in order', {
    inside: {
      noun: 'executor',
      names: ['direct_call', 'splay', 'sudo'],
      otherwise: 'every job fails with it',
    },
  }),
  multifunc_ordered: option('bool', false, 'several functions in one job give a list in order'),
  disable_modules: option('list', [], 'execution modules that are not loaded'),
  disable_returners: option('list', [], 'returners that are not loaded'),
  whitelist_modules: option('list', [], 'the only execution modules that are loaded'),
  providers: option('dict', dict(), 'which module stands for a virtual name'),
  autoload_dynamic_modules: option('bool', true, 'synchronise modules before states'),
  modules_max_memory: option(
    'int',
    -1,
    'bytes the modules may use, -1 for no limit',
    noEffect('modules run in processes of their own, whose memory the system limits'),
  ),
  restart_on_error: option(
    'bool',
    false,
    'start again after an unexpected error',
    noEffect(
      'it has none in Salt either; a supervisor such as systemd starts a program that has ended again',
    ),
  ),
  minion_restart_command: option(
    'list',
    [],
    'command of minion.restart',
    notYet('there is no minion.restart'),
  ),
  cmd_safe: option('bool', true, 'refuse shell features where a function does not need them'),
  cmd_blacklist_glob: option('list', [], 'globs of commands that are refused'),
  cmd_whitelist_glob: option('list', [], 'globs of the only commands that are allowed'),
  backup_mode: option('str', '', 'minion to keep a copy of replaced files', {
    choices: ['', 'minion', 'master', 'both'],
    otherwise: 'no backups are made',
  }),
  state_queue: option(
    'any',
    false,
    'what to do while another state run is active: refuse, wait, or wait behind so many',
    { types: ['bool', 'int'] },
  ),
  disabled_requisites: option('any', [], 'requisites that are ignored', {
    types: ['str', 'list'],
    inside: REQUISITE_NAMES,
  }),
  global_state_conditions: option('any', null, 'conditions for states of a name', {
    types: ['NoneType', 'dict'],
  }),
  use_superseded: option(
    'list',
    [],
    'functions whose new form is used',
    noEffect('module.run tells its two forms apart by itself'),
  ),
  snapper_states: option(
    'bool',
    false,
    'make a snapshot before and after states',
    notYet('there are no snapshots around states'),
  ),
  snapper_states_config: option(
    'str',
    'root',
    'configuration those snapshots use',
    notYet('there are no snapshots around states'),
  ),
  local: option('bool', false, 'act as if there were no master'),
  use_master_when_local: option('bool', false, 'ask the master even when files are local'),
  beacons: option('dict', dict(), 'what to watch'),
  beacons_before_connect: option('bool', false, 'watch before there is a connection'),
  scheduler_before_connect: option('bool', false, 'run scheduled jobs before there is a connection'),
  update_url: option('any', false, 'where updates of the minion come from', {
    types: ['bool', 'str'],
    unserved: notYet('a minion does not update itself'),
  }),
  update_restart_services: option(
    'list',
    [],
    'services to restart after an update',
    notYet('a minion does not update itself'),
  ),
  username: option('str?', null, "user name for the master's authentication systems"),
  password: option('str?', null, "password for the master's authentication systems"),
  enable_zip_modules: option(
    'bool',
    false,
    'accepted and ignored',
    noEffect('there is no Python code to load'),
  ),
  // grains, pillar and mine of a minion
  grains: option('dict', dict(), 'grains set by hand'),
  grains_blacklist: option('list', [], 'globs of grains to leave out'),
  grains_cache: option('bool', false, 'remember grains between runs'),
  grains_cache_expiration: option('int', 300, 'seconds they are remembered'),
  grains_deep_merge: option('bool', false, 'join mappings of several sources of grains'),
  grains_refresh_every: option('int', 0, 'minutes between refreshes of grains, 0 for none', {
    least: Number.NEGATIVE_INFINITY,
  }),
  grains_refresh_pre_exec: option(
    'bool',
    false,
    'refresh grains before every job',
    notYet('grains are collected anew when saltutil.refresh_grains or grains_refresh_every ask for it'),
  ),
  enable_fqdns_grains: option('bool', false, 'look up the names of all addresses'),
  minion_pillar_cache: option(
    'bool',
    false,
    'keep pillar on the minion',
    notYet('a minion keeps no pillar on disk'),
  ),
  pillar_raise_on_missing: option('bool', false, 'fail when a pillar key is missing'),
  pass_to_ext_pillars: option(
    'any',
    null,
    'options that the master hands to external pillars: a list of names, `a:b` for what is inside of one',
    { types: ['str', 'list'] },
  ),
  mine_enabled: option('bool', true, 'send data to the mine'),
  mine_interval: option('int', 60, 'minutes between updates of the mine'),
  mine_functions: option('any', null, 'functions whose results go to the mine'),
  mine_return_job: option('bool', false, 'keep a job of each update'),
  minion_blackout: option('bool', false, 'refuse jobs'),
  minion_blackout_whitelist: option('list', [], 'functions allowed all the same'),
  // logging
  log_file: option('str', '/var/log/salt/minion', 'log file, or a URL of a system log', {
    pathOf: 'every program',
  }),
} as const satisfies OptionTable;

/** The configuration of a minion. */
export type MinionOptions = Options<typeof minionOptions>;
