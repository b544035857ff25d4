/**
 * What a configuration asks for and Brine does not serve, found when a program starts: said in one line each, or, where
 * its loss would harm, a refusal.
 */
import { UnservedOptionError } from '../errors/errors.ts';
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, truthy, valuesEqual, type Dict, type Value } from '../python/values/value.ts';
import { furtherOption } from './further-options.ts';
import { LOCAL_DRIVER, MAPPED_DRIVER, SERVER_DRIVERS } from './minion-cache.ts';
import type { OptionSpec, OptionTable } from './option.ts';
import { valueNotThere } from './option-values.ts';
import { RETURNER_SETTINGS } from './returner-settings.generated.ts';
import { settingsNotThere } from './settings-of-modules.ts';
import { UNSERVED_SDB_DRIVERS } from './sdb-drivers.ts';
import { telemetryUnserved } from './telemetry-blocks.ts';
import { SALTS_CLUSTER } from './unserved-options.ts';
import { noEffect, stops as stopping, type Program, type Unserved } from './unserved.ts';

/** Options that a line names; of more it says how many. */
const NAMED_MAX = 40;

/** `keys.cache_driver`: the files themselves, and an index of them. */
const KEY_FILES = 'localfs_key';
const KEY_INDEX = 'mmap_key';

/** The backends of the file server that there are. */
const BACKENDS = new Set(
  ['roots', 'azure', 'git', 'hg', 'minion', 's3', 'svn'].flatMap((name) => [name, `${name}fs`]),
);

/** Which findings a program is to tell. The commands that do one job on a master's behalf tell none. */
const CONCERNED: Readonly<Record<Program, 'everything' | 'commands' | 'nothing'>> = {
  'salt-master': 'everything',
  'salt-minion': 'everything',
  'salt-call': 'commands',
  'salt-run': 'commands',
  'salt-syndic': 'nothing',
  'salt-api': 'nothing',
  salt: 'nothing',
  'salt-key': 'nothing',
  'salt-cp': 'nothing',
};

/** What was found in a configuration. */
export interface StartFindings {
  /** Option to what would be missing; the program is not to start. */
  readonly stops: ReadonlyMap<string, string>;
  /** Option to why it does nothing. */
  readonly warnings: ReadonlyMap<string, string>;
  /** Options that nobody knows, each with a hint or ''. */
  readonly unknown: ReadonlyMap<string, string>;
}

/** What is looked at. */
export interface StartCheck {
  readonly program: Program;
  readonly table: OptionTable;
  /** The other program's table: an option of a minion in the master's file is known, and does nothing there. */
  readonly otherTable: OptionTable;
  /** What the files say, checked for its types. */
  readonly given: Dict;
  /** True for a program that compiles states and pillar by itself: every master, and a minion without one. */
  readonly compiles: boolean;
}

/** What a minion with a master leaves to it, in Salt too. */
const LEFT_TO_MASTER = new Set(['fileserver_backend']);

/** Finds what is not served in what the files say. Values equal to Salt's default are passed over. */
export function findUnserved({ program, table, otherTable, given, compiles }: StartCheck): StartFindings {
  const [stops, warnings, unknown] = [
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, string>(),
  ];
  const scope = CONCERNED[program];
  if (scope === 'nothing') return { stops, warnings, unknown };
  const accepted = acceptedNames(given.get('unserved_options') ?? null);
  const note = (name: string, { action, why, concernsCommands }: Unserved): void => {
    if (scope === 'commands' && !concernsCommands) return;
    const mayStop = action === 'stop' && accepted !== 'all' && !accepted.has(name);
    (mayStop ? stops : warnings).set(name, why);
  };
  for (const [key, value] of given) {
    const name = pyStr(key);
    if (name.startsWith('__') || PLACES.has(name)) continue;
    if (!compiles && LEFT_TO_MASTER.has(name)) continue;
    const known = Object.hasOwn(table, name) ? table[name] : undefined;
    const unserved = known === undefined ? (furtherOption(name) ?? alternativeOption(name, value)) : known;
    if (known !== undefined && isDefault(value, known.default)) continue;
    const isReplaced = SALTS_CLUSTER_ONLY.has(name) && isClusterGiven(given);
    if (unserved?.unserved !== undefined) note(name, isReplaced ? NEEDS_NO_PEERS : unserved.unserved);
    else if (unserved === undefined && scope === 'everything' && !isAccepted(accepted, name))
      noteUnknown(name, value, { table, otherTable, warnings, unknown });
    else if (known === undefined && scope === 'everything' && !isAccepted(accepted, name))
      for (const [setting, hint] of settingsNotThere(name, value))
        if (!isAccepted(accepted, setting)) unknown.set(setting, hint);
    const inValue =
      known === undefined
        ? undefined
        : valueUnserved(name, value, { spec: known, given, isMaster: isMasters(table) });
    if (inValue !== undefined) note(name, inValue);
  }
  return { stops, warnings, unknown };
}

/** `--return_config alternative` reads `alternative.redis.host` before `redis.host`. */
function alternativeOption(name: string, value: Value): ReturnType<typeof furtherOption> {
  const option = name.slice(name.indexOf('.') + 1);
  const isOwn = option.includes('.') || (isDict(value) && RETURNER_SETTINGS.has(option));
  return option !== name && isOwn ? furtherOption(option) : undefined;
}

/** What reading itself adds. */
const PLACES = new Set(['conf_file', 'config_dir']);

function isDefault(value: Value, standard: Value): boolean {
  if (value === null) return true;
  if (valuesEqual(value, standard)) return true;
  return typeof standard === 'object' && !truthy(value) && !truthy(standard);
}

/** Of Salt's own cluster (3007): what ours does without. */
const SALTS_CLUSTER_ONLY = new Set(['cluster_peers', 'cluster_pki_dir']);
const NEEDS_NO_PEERS = noEffect('the members of a cluster of Brine share through NATS (option cluster)');

function isClusterGiven(given: Dict): boolean {
  return truthy(given.get('cluster') ?? null);
}

/** `unserved_options`: `warn` for all, or a list of names. */
function acceptedNames(value: Value): ReadonlySet<string> | 'all' {
  if (value === 'warn') return 'all';
  return new Set(Array.isArray(value) ? value.map(pyStr) : []);
}

function isAccepted(accepted: ReadonlySet<string> | 'all', name: string): boolean {
  return accepted !== 'all' && accepted.has(name);
}

/** A minion obeys it as well, though Salt gives it no default there: in its absence the master's word counts. */
const MINIONS_PUBLISH_PORT = 'publish_port';

interface UnknownNameContext {
  readonly table: OptionTable;
  readonly otherTable: OptionTable;
  readonly warnings: Map<string, string>;
  readonly unknown: Map<string, string>;
}

function noteUnknown(
  name: string,
  value: Value,
  { table, otherTable, warnings, unknown }: UnknownNameContext,
): void {
  if (Object.hasOwn(otherTable, name)) {
    if (name === MINIONS_PUBLISH_PORT && Object.hasOwn(table, 'master_port')) return;
    if (!isDefault(value, otherTable[name]?.default ?? null))
      warnings.set(name, 'it belongs into the configuration of the other program');
  } else if (isDict(value) && value.has('driver')) {
    const driver = pyStr(value.get('driver') ?? null);
    const instead = UNSERVED_SDB_DRIVERS.get(driver);
    if (instead !== undefined) warnings.set(name, `its sdb driver ${driver} is not served: ${instead}`);
  } else {
    unknown.set(name, didYouMean(name, Object.keys(table), 1));
  }
}

/** Values that ask for more than the option serves. */
function valueUnserved(
  name: string,
  value: Value,
  { spec, given, isMaster }: { readonly spec: OptionSpec; readonly given: Dict; readonly isMaster: boolean },
): Unserved | undefined {
  if (name === 'cluster_id') return isClusterGiven(given) ? undefined : SALTS_CLUSTER;
  if (name === 'cache') return cacheUnserved(pyStr(value), { given, isMaster });
  if (name === 'keys.cache_driver') return keysUnserved(pyStr(value), isMaster);
  if (name === 'tracing' || name === 'metrics') return telemetryUnserved(name, value);
  if (name === 'fileserver_backend' && Array.isArray(value)) {
    const missing = value.map(pyStr).filter((backend) => !BACKENDS.has(backend));
    if (missing.length > 0)
      return stopping(`there is no backend ${missing.join(', ')}, and minions would lack its files`);
  }
  const profile = typeof value === 'string' ? /^sdb:\/\/([^/]*)/.exec(value)?.[1] : undefined;
  if (profile !== undefined && !hasDriver(given.get(profile)))
    return stopping(
      `there is no sdb profile ${profile === '' ? 'in it' : profile}, and the address itself would be taken for the value`,
    );
  return valueNotThere(name, spec, value, given);
}

function isMasters(table: OptionTable): boolean {
  return Object.hasOwn(table, 'master_job_cache');
}

/** A driver that is none, and two ways at once of sharing what masters remember of minions. */
function cacheUnserved(
  driver: string,
  { given, isMaster }: { readonly given: Dict; readonly isMaster: boolean },
): Unserved | undefined {
  if (!isMaster) return noEffect('a minion keeps what it remembers in files below cachedir');
  if (SERVER_DRIVERS.includes(driver))
    return isClusterGiven(given)
      ? stopping(
          `the masters of a cluster tell each other what they remember of minions, and ${driver} would be a second way; set cache: localfs`,
        )
      : undefined;
  if (driver === MAPPED_DRIVER)
    return noEffect(
      'what is remembered of minions is in files below cachedir and in memory; that of an mmap_cache is not read, and comes anew with the next pillar of each minion',
    );
  const known = [LOCAL_DRIVER, ...SERVER_DRIVERS];
  return stopping(
    `there is no driver ${driver}; there are ${known.join(', ')}.${didYouMean(driver, known, 1)}`.replace(
      /[.]$/,
      '',
    ),
  );
}

/** Salt compat: `mmap_key` (3008.1) is an index of the files below `pki_dir`, which stay. */
function keysUnserved(driver: string, isMaster: boolean): Unserved | undefined {
  if (driver === KEY_FILES) return undefined;
  if (driver === KEY_INDEX || !isMaster)
    return noEffect(
      'keys are in the files below pki_dir, which a Salt with mmap_key keeps as well, and in memory',
    );
  const known = [KEY_FILES, KEY_INDEX];
  return stopping(
    `there is no driver ${driver}, and the keys that it keeps would be missed; there are ${known.join(', ')}`,
  );
}

function hasDriver(profile: Value | undefined): boolean {
  return isDict(profile) && profile.has('driver');
}

/**
 * Says what was found.
 * @param warn takes one line
 * @throws UnservedOptionError, exit code 78, when the program is not to start
 */
export function tellUnserved(
  program: Program,
  findings: StartFindings,
  source: string,
  warn: (line: string) => void,
): void {
  const { stops, warnings, unknown } = findings;
  if (warnings.size > 0)
    warn(
      `${source} sets options that have no effect in Brine: ${listed(warnings, (name, why) => `${name} (${why})`)}. ` +
        'The reference of options says more.',
    );
  if (unknown.size > 0)
    warn(
      `${source} sets options that nobody knows: ` +
        `${listed(unknown, (name, hint) => (hint === '' ? name : `${name} (${hint.trim()})`))}. ` +
        'They are kept for modules that ask for them; name those of your own in unserved_options.',
    );
  if (stops.size === 0) return;
  throw new UnservedOptionError(
    `${program} does not start, because ${source} asks for what Brine does not serve and what would be missed:\n` +
      [...stops].map(([name, why]) => `  ${name}: ${why}.\n`).join('') +
      `Remove ${stops.size === 1 ? 'it' : 'them'}, or start without by naming ${stops.size === 1 ? 'it' : 'them'} ` +
      `in the configuration: unserved_options: [${[...stops.keys()].join(', ')}]`,
  );
}

function listed(found: ReadonlyMap<string, string>, show: (name: string, why: string) => string): string {
  const shown = [...found].slice(0, NAMED_MAX).map(([name, why]) => show(name, why));
  const rest = found.size - shown.length;
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
