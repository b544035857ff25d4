/**
 * The settings that returners, modules, caches and the like read below a name of theirs, `redis.host` or `redis: {host:
 * …}`. Whoever reads them passes over what it does not know; a slip in one would pass for an option that is served.
 */
import { closestNames } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, type Value } from '../python/values/value.ts';
import { RETURNER_PREFIXES, RETURNER_SETTINGS } from './returner-settings.generated.ts';

const words = (text: string): string[] => text.split(/\s+/);

/** What others than returners read, Brine's or Salt's (3006.16). */
const READ_BESIDES: readonly (readonly [prefix: string, settings: readonly string[]])[] = [
  [
    'auth.ldap',
    words(
      'uri server port tls starttls no_verify cacertfile basedn scope binddn bindpw anonymous filter activedirectory ' +
        'freeipa groupou groupclass groupattribute accountattributename persontype group_basedn group_filter ' +
        'minion_stripdomains timeout auth_by_group_membership_only',
    ),
  ],
  [
    'cache.redis',
    words(
      'host port db unix_socket_path username password ssl ssl_ca ssl_cert ssl_key ssl_any_host cluster_mode ' +
        'cluster.startup_nodes cluster.skip_full_coverage_check bank_prefix bank_keys_prefix key_prefix ' +
        'timestamp_prefix separator',
    ),
  ],
  // modules, pillars, caches
  ['mongo', words('authdb ssl')],
  ['mongodb', words('host port user password')],
  [
    'mysql',
    words(
      'unix_socket default_file default_group charset conv ssl database password table_name connect_timeout ' +
        'password_column fresh_connection',
    ),
  ],
  ['mysql_auth', words('hostname port username password database auth_sql ssl_ca')],
  ['postgres', words('host port user pass db maintenance_db bins_dir timeout')],
  ['postgres_auth', words('hostname port username password database auth_sql')],
  ['queue.pgjsonb', words('host user password dbname port sslmode sslcert sslkey sslrootcert sslcrl')],
  ['redis_sentinel', words('host port password')],
  ['slack', words('hook')],
  ['smtp', words('server sender')],
];

/** Those that a whole mapping is for; a name with a dot is not read. */
const MAPPINGS_ONLY: ReadonlySet<string> = new Set(['mysql_auth', 'postgres_auth']);

/** A prefix to the settings below it. */
function knownSettings(): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, Set<string>>();
  for (const [prefix, settings] of [...RETURNER_SETTINGS, ...READ_BESIDES])
    out.set(prefix, new Set([...(out.get(prefix) ?? []), ...settings]));
  for (const name of RETURNER_PREFIXES.keys()) if (!out.has(name)) out.set(name, new Set());
  return out;
}

const SETTINGS = knownSettings();
/** Longer prefixes first, so that `cache.redis` is none of a `cache`. */
const PREFIXES = [...SETTINGS.keys()].sort((a, b) => b.length - a.length);

/**
 * The settings in one option of a configuration that nobody reads.
 * @param name as the configuration has it; `alternative.redis.host` is what `--return_config alternative` reads
 * @returns each as `redis.hots` or `redis:hots`, with a hint or ''; empty when the option is none of these
 */
export function settingsNotThere(name: string, value: Value): (readonly [setting: string, hint: string])[] {
  for (const lead of ['', name.slice(0, name.indexOf('.') + 1)]) {
    const own = name.slice(lead.length);
    const prefix = PREFIXES.find((each) => own === each || own.startsWith(`${each}.`));
    if (prefix !== undefined) return below(lead, prefix, own.slice(prefix.length + 1), value);
  }
  return [];
}

function below(
  lead: string,
  prefix: string,
  setting: string,
  value: Value,
): (readonly [setting: string, hint: string])[] {
  const known = SETTINGS.get(prefix) ?? new Set<string>();
  if (setting !== '') {
    const isRead = known.has(setting) && !MAPPINGS_ONLY.has(prefix);
    return isRead ? [] : [[`${lead}${prefix}.${setting}`, hintFor(lead, prefix, setting, '.')]];
  }
  // a mapping with a driver is a profile of sdb, and its name is its own
  if (!isDict(value) || value.has('driver')) return [];
  return [...value.keys()]
    .map(pyStr)
    .filter((key) => !known.has(key) && !known.has(key.slice(prefix.length + 1)))
    .map((key) => [`${lead}${prefix}:${key}`, hintFor(lead, prefix, key, ':')]);
}

/** What may have been meant: a setting of the same name, or of where the returner of that name looks. */
function hintFor(lead: string, prefix: string, setting: string, by: '.' | ':'): string {
  const other = RETURNER_PREFIXES.get(prefix);
  const places = [prefix, ...(other === undefined ? [] : [other])];
  for (const limit of ['same', 'near'] as const)
    for (const place of places) {
      const names = [...(SETTINGS.get(place) ?? [])];
      const [near] =
        limit === 'same' ? names.filter((each) => each === setting) : closestNames(setting, names, 1);
      const separator = MAPPINGS_ONLY.has(place) ? ':' : by;
      if (near !== undefined) return ` Did you mean '${lead}${place}${separator}${near}'?`;
    }
  return other === undefined ? '' : ` The options of the returner ${prefix} begin with ${other}.`;
}
