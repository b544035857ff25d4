/**
 * The options of parts of Salt that Brine does not have, by family, with their defaults in 3006.16, 3007.8 and 3008
 * (salt/config/__init__.py). They are in the tables of master and minion, so that a value equal to the default passes
 * in silence.
 */
import { dict } from '../python/values/value.ts';
import type { OptionFacts, OptionKind, OptionSpec, OptionTypes } from './option.ts';
import { noEffect, notYet, stops, type Unserved } from './unserved.ts';

type Rows = Readonly<
  Record<string, { readonly [K in OptionKind]: readonly [K, OptionTypes[K], OptionFacts?] }[OptionKind]>
>;

/** @param subject completes "option …" @param rows kind and default of each option, and what else is known of it */
function family<R extends Rows>(
  subject: string,
  unserved: Unserved,
  rows: R,
): { readonly [K in keyof R]: OptionSpec } {
  const doc = `option ${subject}`;
  const specs = Object.entries(rows).map(([name, [kind, value, facts]]) => [
    name,
    { kind, default: value, doc, unserved, ...facts },
  ]);
  return Object.fromEntries(specs) as { [K in keyof R]: OptionSpec };
}

const GIT_REFSPECS = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];

/** What masters and minions have in common. */
export const sharedUnserved = {
  ...family('of packages for Windows', notYet('there are no packages for Windows'), {
    winrepo_branch: ['any', 'master'],
    winrepo_cachefile: ['str', 'winrepo.p'],
    winrepo_dir: ['str', '/srv/salt/win/repo'],
    winrepo_dir_ng: ['str', '/srv/salt/win/repo-ng'],
    winrepo_fallback: ['any', ''],
    winrepo_insecure_auth: ['bool', false],
    winrepo_passphrase: ['str', ''],
    winrepo_password: ['str', ''],
    winrepo_privkey: ['str', ''],
    winrepo_proxy: ['str', ''],
    winrepo_pubkey: ['str', ''],
    winrepo_refspecs: ['list', GIT_REFSPECS],
    winrepo_remotes: ['list', ['https://github.com/saltstack/salt-winrepo.git']],
    winrepo_remotes_ng: ['list', ['https://github.com/saltstack/salt-winrepo-ng.git']],
    winrepo_ssl_verify: ['bool', true],
    winrepo_user: ['str', ''],
  }),
  ...family('of thorium', notYet('there is no thorium'), {
    thorium_interval: ['any', 0.5],
    thorium_roots: ['any', dict({ base: ['/srv/thorium'] })],
    thorium_top: ['str', 'top.sls'],
    thoriumenv: ['str?', null],
  }),
  ...family('without effect in Salt too', noEffect('it has none in Salt either'), {
    cache_sreqs: ['bool', true],
  }),
  ...family(
    'of messages inside of TLS (3008)',
    notYet(
      'messages are sealed inside of TLS as well, and one of Salt 3008 that is not is refused: leave it off on both sides',
    ),
    { disable_aes_with_tls: ['bool', false] },
  ),
  ...family(
    'of the authorities that are trusted (3008)',
    noEffect('files and http.query go by the authorities of the system in any case'),
    {
      use_os_truststore: ['bool', false],
    },
  ),
  ...family(
    'of where pillar is kept (3008)',
    noEffect('pillar_cache_backend says where rendered pillar is kept'),
    {
      'pillar.cache_driver': ['str?', null],
    },
  ),
  ...family(
    'of syndics (3008)',
    noEffect('what no master above took waits on disk and is sent again, for syndic_spool_days'),
    { syndic_retries: ['int', 3] },
  ),
} as const;

/** For what makes a master one of a cluster of Salt 3007. */
export const SALTS_CLUSTER = stops(
  'its masters share a folder, and those of a cluster of Brine have NATS between them: set the option cluster, whose id cluster_id then is',
);

/** What only masters have. */
export const masterUnserved = {
  // keys that the masters of a cluster share (3007); one that starts without has keys of its own
  ...family('of a cluster of masters (3007)', SALTS_CLUSTER, {
    cluster_pki_dir: ['str?', null],
    cluster_peers: ['list', []],
  }),
  ...family(
    'of a cluster of masters (3007)',
    noEffect('a cluster of Brine has no key and no port of its own (option cluster)'),
    {
      cluster_key_pass: ['str?', null],
      cluster_pool_port: ['int', 4520],
      cluster_secret: ['str?', null],
    },
  ),
  ...family(
    'of a cluster of masters (3008)',
    noEffect('the masters of a cluster of Brine share no folder in any case (option cluster)'),
    { cluster_isolated_filesystem: ['bool', false] },
  ),
  ...family(
    'of the index of keys (3008)',
    noEffect('a master keeps the keys in memory, and watches their folder'),
    {
      pki_index_enabled: ['bool', false],
      pki_index_shards: ['int', 1],
      pki_index_size: ['int', 1_000_000],
      pki_index_slot_size: ['int', 128],
    },
  ),
  ...family(
    'of caches in mapped memory (3008)',
    noEffect('what is remembered of minions is kept in files below cachedir, and in memory'),
    {
      mmap_cache_max_segment_bytes: ['int', 1_073_741_824],
      mmap_cache_size: ['int', 1_000_000],
      mmap_cache_slot_size: ['int', 96],
      mmap_cache_verify_checksums: ['bool', true],
    },
  ),
  ...family('of tokens (3008)', noEffect('eauth_tokens says where tokens are kept'), {
    'eauth_tokens.cache_driver': ['str?', null],
    'eauth_tokens.cluster_id': ['str?', null],
  }),
  ...family('of salt-ssh', notYet('there is no salt-ssh'), {
    detect_remote_minions: ['bool', false],
    enable_ssh_minions: ['bool', false],
    min_extra_mods: ['str', ''],
    regen_thin: ['any', false],
    remote_minions_port: ['int', 22],
    ssh_config_file: ['str', '/root/.ssh/config'],
    ssh_identities_only: ['bool', false],
    ssh_keepalive: ['bool', true],
    ssh_keepalive_count_max: ['int', 3],
    ssh_keepalive_interval: ['int', 60],
    ssh_list_nodegroups: ['dict', dict({})],
    ssh_log_file: ['str', '/var/log/salt/ssh', { pathOf: 'every program' }],
    ssh_passwd: ['str', ''],
    ssh_port: ['str', '22'],
    ssh_priv_passwd: ['any', ''],
    ssh_scan_ports: ['str', '22'],
    ssh_scan_timeout: ['num', 0.01],
    ssh_sudo: ['bool', false],
    ssh_sudo_user: ['str', ''],
    ssh_timeout: ['num', 60],
    ssh_use_home_key: ['bool', false],
    ssh_user: ['str', 'root'],
    thin_exclude_saltexts: ['bool', false],
    thin_extra_mods: ['str', ''],
    thin_saltext_allowlist: ['any', null, { types: ['NoneType', 'list'] }],
    thin_saltext_blocklist: ['list', []],
  }),
  ...family('of log-ins through Django', notYet('there is no log-in of that kind'), {
    django_auth_path: ['str', ''],
    django_auth_settings: ['str', ''],
  }),
  ...family('without effect in Salt too', noEffect('it has none in Salt either'), {
    auth_events_pend_autosign_grains: ['bool', false],
    dummy_pub: ['any', false],
    search: ['str', ''],
  }),
} as const;

/** What only minions have. */
export const minionUnserved = {
  ...family(
    'of refused authentication (3006.27)',
    notYet('a minion asks for as long as its master answers that its key waits'),
    { auth_retries: ['int', 0] },
  ),
  ...family('of packages for Windows', notYet('there are no packages for Windows'), {
    winrepo_cache_expire_max: ['int', 604800],
    winrepo_cache_expire_min: ['int', 1800],
    winrepo_source_dir: ['str', 'salt://win/repo-ng/'],
  }),
  ...family('of salt-ssh', notYet('there is no salt-ssh'), {
    ssh_merge_pillar: ['bool', true],
  }),
} as const;
