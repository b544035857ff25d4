/**
 * Options that stand in no table of Salt's but are read by its modules, returners and commands (`__opts__.get`,
 * `config.option`, 3006.16): which of them Brine reads too, and which it does not serve.
 */
import { RETURNER_PREFIXES, RETURNER_SETTINGS } from './returner-settings.generated.ts';
import { notYet, noEffect, type Unserved } from './unserved.ts';

/** A name, or the beginning of names when it ends with `.` or `_`. */
export interface FurtherOption {
  readonly names: readonly string[];
  readonly unserved?: Unserved;
}

const SERVED: FurtherOption = {
  names: [
    // how programs show what they have
    'color',
    'color_theme',
    'exit_codes',
    'force_color',
    'log_datefmt_console',
    'nested_indent',
    'no_color',
    'no_parse',
    'out.table.',
    'output',
    'output_file',
    'output_indent',
    'state_output_exclude',
    'state_output_terse',
    'strip_colors',
    // what the loader and the daemons ask for
    'autosign_grains',
    'disable_grains',
    'disable_states',
    'environment',
    'executor_opts',
    'master_id',
    'multi_returner',
    'schedule_returner',
    'skip_grains',
    'splaytime',
    'state_data',
    // what salt-api asks for
    'rest_cherrypy',
    'rest_tornado',
    'rest_wsgi',
    // what authentication systems ask for
    'auth_dirs',
    'auth.ldap.',
    'auth.pam.',
    'eauth_redis_host',
    'eauth_redis_port',
    'mysql_auth',
    'postgres_auth',
    'sharedsecret',
    // what execution modules ask for
    'ca_bundle',
    'hosts.file',
    'mongodb.',
    'nacl.config',
    'ca_bundle_url',
    'obfuscate_templates',
    'queue.pgjsonb.',
    'redis_sentinel.',
    'runner_queue',
    'systemd.scope',
    'test.',
    'vault',
    'verify_ssl',
    // what external pillars and sources of top data ask for
    'cobbler.',
    'consul.',
    'etcd.',
    'foreman.',
    's3.',
    // what drivers of the minion data cache ask for
    'cache.redis.',
    // what backends of the file server ask for
    'azurefs',
    'ldap.',
    // what daemons ask for where messages go
    'fluent_handler',
    'logstash_udp_handler',
    'logstash_zmq_handler',
    'sentry_handler',
    'log4mongo_handler',
    // what renderers ask for
    'aws_kms',
    'stateconf_',
  ],
};

/** The families without a place in Salt's tables, each with what is missing. */
const UNSERVED: readonly FurtherOption[] = [
  { names: ['pillar_gitfs_'], unserved: notYet('it is a name of old for git_pillar_') },
  {
    names: ['gitfs_provider', 'git_pillar_provider'],
    unserved: noEffect("repositories are read by the system's git, and by no library"),
  },
  {
    names: ['ipc_write_timeout'],
    unserved: noEffect('a reader of events that stalls is cut off by size, and not by time'),
  },
  { names: ['yaml_utf8'], unserved: noEffect('YAML is UTF-8 in any case') },
  {
    names: ['aws.'],
    unserved: notYet('there is nothing that reads it'),
  },
  { names: ['winrepo_', 'win_repo', 'win_repo_'], unserved: notYet('there are no packages for Windows') },
  { names: ['thorium_', 'register_returner'], unserved: notYet('there is no thorium') },
  // of 3008
  {
    names: ['aptpkg_refresh_db_timeout'],
    unserved: notYet('apt-get update is given the time that it takes'),
  },
  {
    names: ['lazy_loader_strict_matching'],
    unserved: noEffect('modules are looked for under their own names only'),
  },
  {
    names: ['nix.', 'nixpkg.', 'ssh_signing_policies'],
    unserved: notYet('there is no module that reads it'),
  },
  { names: ['relenv', 'relenv_'], unserved: notYet('there is no salt-ssh') },
  {
    names: ['ssh_', 'roster', 'roster_', 'rosters', 'rand_thin_dir'],
    unserved: notYet('there is no salt-ssh'),
  },
  {
    names: ['auth.enable_expanded_auth_matching'],
    unserved: notYet('rules are matched as Salt matches them without it'),
  },
  {
    names: ['auth.django', 'django_', 'yubico_users', 'keystone.', 'auth.keystone'],
    unserved: notYet('there is no authentication system of that name'),
  },
  {
    names: ['cache.'],
    unserved: notYet('no driver of the option cache reads it'),
  },
  {
    names: [
      'carbon.',
      'cassandra',
      'cassandra.',
      'cassandra_cql.',
      'couchbase.',
      'couchdb.',
      'hipchat.',
      'influxdb.',
    ],
    unserved: notYet('there is no returner of that name'),
  },
  {
    names: [
      'kafka.',
      'librato.',
      'memcache.',
      'nagios.',
      'odbc.',
      'pushover.',
      'returner.',
      'sentry',
      'sms.',
      'splunk',
    ],
    unserved: notYet('there is no returner of that name'),
  },
  {
    names: [
      'telegram.',
      'xmpp.',
      'zabbix.',
      'django.',
      'highstate.',
      'mattermost.',
      'appoptics.',
      'elasticsearch_',
    ],
    unserved: notYet('there is no returner of that name'),
  },
  {
    names: ['venafi', 'digicert'],
    unserved: notYet('there is no module that reads it'),
  },
  {
    names: ['proxy', 'proxy_', 'add_proxymodule_to_opts', 'metaproxy', 'subproxy'],
    unserved: notYet('there is no salt-proxy'),
  },
  {
    names: ['bootstrap_', 'providers_', 'cloud', 'cloud.', 'deploy_', 'provider', 'profiles'],
    unserved: notYet('there is no salt-cloud'),
  },
  {
    names: ['spm_', 'formula_path', 'reactor_path', 'pillar_path'],
    unserved: notYet('there is no package manager spm'),
  },
  {
    names: ['rethinkdb.'],
    unserved: notYet('there is no pillar of that name'),
  },
  { names: ['external_nodes', 'ext_tops'], unserved: notYet('they are names of old for master_tops') },
  {
    names: ['docker.', 'docker-registries', 'virt.', 'virt:', 'virt', 'lxc.'],
    unserved: notYet('there is no module that reads it'),
  },
  { names: ['enable_lspci', 'memory', 'dummy_'], unserved: noEffect('it has none in Salt either') },
];

/** What options of returners begin with. */
const PREFIXES = [...new Set([...RETURNER_SETTINGS.keys(), ...RETURNER_PREFIXES.keys()])];

/** Everything that is known of options in no table. */
export const FURTHER_OPTIONS: readonly FurtherOption[] = [
  SERVED,
  { names: PREFIXES.sort().flatMap((name) => [name, `${name}.`]) },
  ...UNSERVED,
];

/**
 * What is known of an option that is in no table.
 * @returns undefined when nobody knows it; an entry without `unserved` when it is read
 */
export function furtherOption(name: string): { readonly unserved?: Unserved } | undefined {
  return FURTHER_OPTIONS.find(({ names }) =>
    names.some((known) => name === known || (/[._:]$/.test(known) && name.startsWith(known))),
  );
}
