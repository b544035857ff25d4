/** The configuration of each program: files, environment, overrides, defaults, checks and normalisation. */
import { expandUser } from '../host/expand-user.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { silentLogger, type Logger } from '../host/log.ts';
import { pyStr } from '../python/values/repr.ts';
import { copyValue, truthy, type Dict, type Value } from '../python/values/value.ts';
import { systemConfigHost, type ConfigHost } from './host-names.ts';
import { masterOptions, type MasterOptions } from './master-options.ts';
import { detectId, requireValidId, withDomain } from './minion-id.ts';
import { minionOptions, type MinionOptions } from './minion-options.ts';
import { normaliseBeforeCheck, normaliseMaster, normaliseMinion, type Role } from './normalise.ts';
import { Options, type OptionTable } from './option.ts';
import { type Environment } from './paths.ts';
import { readProgramFiles, type ConfigPlace } from './program-files.ts';
import { isDirectory, isFile, readMainFile } from './read-file.ts';
import { findUnserved, tellUnserved } from './start-check.ts';
import type { Program } from './unserved.ts';
import { checkTypes } from './type-check.ts';

export { configDirOf, missingConfigDirWarning } from './program-files.ts';

/** What to load a configuration from. */
export interface LoadConfigInput extends ConfigPlace {
  /** options from the command line, which win over every file */
  readonly overrides?: Dict;
  readonly log?: Logger;
  /** the host asked for its names */
  readonly host?: ConfigHost;
  /** the program that starts with it, which says what is not served; without it nothing is said */
  readonly program?: Program;
  /** true for a command that does without a master whatever the files say */
  readonly isLocal?: boolean;
  /** true: a broken included file ends loading, as salt-minion wants; default: it is logged and skipped */
  readonly strictIncludes?: boolean;
}

/** What to load a minion's configuration from. */
export interface LoadMinionConfigInput extends LoadConfigInput {
  /** write an id that was found out to the cache file, as salt-minion and salt-call do */
  readonly cacheId?: boolean;
}

/**
 * Loads the configuration of a master (3006.16 salt/config/__init__.py master_config).
 * @throws ConfigError, exit code 1, naming the file, the line and what is wrong
 */
export function loadMasterConfig(input: LoadConfigInput): MasterOptions {
  const log = input.log ?? silentLogger;
  const values = valuesOf('master', masterOptions, input, log);
  const configured = values.get('id');
  const id = idWithDomain(values, { input, log, cache: false });
  values.set('id', truthy(configured) ? id : `${id}_master`);
  normaliseMaster(values, log);
  return new Options(masterOptions, values);
}

/**
 * Loads the configuration of a minion (3006.16 salt/config/__init__.py minion_config).
 * @throws ConfigError, exit code 1, naming the file, the line and what is wrong; also for an id that is not valid
 */
export function loadMinionConfig(input: LoadMinionConfigInput): MinionOptions {
  const log = input.log ?? silentLogger;
  const values = valuesOf('minion', minionOptions, input, log);
  const id = idWithDomain(values, { input, log, cache: input.cacheId ?? false });
  requireValidId(id);
  values.set('id', id);
  normaliseMinion(values, log);
  return new Options(minionOptions, values);
}

/**
 * Loads what a command on the master's host works with: the master's configuration and, over it, the user's own
 * `~/.saltrc` (or `saltrc` in the XDG folder, or the file `SALT_CLIENT_CONFIG`). Also sets `token_file` and
 * `master_uri` and replaces an address that means "all" by the loopback address (3006.16 salt/config/__init__.py
 * client_config).
 * @throws ConfigError
 */
export function loadClientConfig(input: LoadConfigInput): MasterOptions {
  const log = input.log ?? silentLogger;
  const master = loadMasterConfig(input);
  const values = master.toDict();
  const home = input.env['HOME'] ?? homedir();
  const xdg = join(input.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'salt');
  const ownDir = isDirectory(xdg) ? xdg : home;
  const own = readMainFile(clientFile(join(ownDir, isDirectory(xdg) ? 'saltrc' : '.saltrc'), input.env), log);
  if (own.size > 0) own.set('conf_file', values.get('conf_file') ?? '');
  checkTypes(masterOptions, own, log);
  for (const [key, value] of own) values.set(key, value);
  const tokenFile = values.get('token_file');
  const named = typeof tokenFile === 'string' ? tokenFile : join(ownDir, 'salt_token');
  values.set('token_file', resolve(expandUser(named, input.env)));
  if (values.get('interface') === '0.0.0.0') values.set('interface', '127.0.0.1');
  if (values.get('interface') === '::') values.set('interface', '::1');
  const options = new Options(masterOptions, values);
  if (values.has('master_uri')) return options;
  return options.with(
    new Map([['master_uri', requestUri(options.get('interface'), options.get('ret_port'))]]),
  );
}

function clientFile(usual: string, env: Environment): string {
  const named = env['SALT_CLIENT_CONFIG'];
  return named && isFile(named) ? named : usual;
}

function requestUri(address: string, port: number): string {
  const bare = address.replace(/^\[|\]$/g, '');
  return `tcp://${bare.includes(':') ? `[${bare}]` : bare}:${port}`;
}

/** Programs that say which files are not read; a command on the master's host leaves it to the master. */
const TELLS_UNREAD: ReadonlySet<Program> = new Set<Program>([
  ...(['salt-master', 'salt-minion', 'salt-syndic', 'salt-api', 'salt-call'] as const),
]);

/** Defaults, files and overrides of a program, each known option with a value of its kind. */
function valuesOf(role: Role, table: OptionTable, input: LoadConfigInput, log: Logger): Dict {
  const defaultInclude = table['default_include']?.default as string;
  const given = readProgramFiles(
    role,
    input,
    defaultInclude,
    log,
    input.strictIncludes ?? false,
    input.program !== undefined && TELLS_UNREAD.has(input.program),
  );
  const inFiles = new Set(given.keys());
  for (const [key, value] of input.overrides ?? []) given.set(key, copyValue(value));
  normaliseBeforeCheck(given, role, log, input.program !== undefined);
  const start = input.program === undefined ? undefined : { source: pyStr(given.get('conf_file') ?? role) };
  checkTypes(table, given, log, start);
  if (input.program !== undefined)
    checkServed(input.program, input.isLocal ?? false, role, pick(given, inFiles), log);
  const values: Dict = new Map();
  for (const [key, spec] of Object.entries(table)) values.set(key, copyValue(spec.default));
  values.set('user', (input.host ?? systemConfigHost).userName());
  values.set('__role', role);
  for (const [key, value] of given) values.set(key, value);
  return values;
}

/** Says which options of the files do nothing. @throws UnservedOptionError for those that would be missed */
function checkServed(program: Program, isLocal: boolean, role: Role, given: Dict, log: Logger): void {
  const compiles = role === 'master' || isLocal || given.get('file_client') === 'local';
  const [table, otherTable] =
    role === 'master' ? [masterOptions, minionOptions] : [minionOptions, masterOptions];
  const source = pyStr(given.get('conf_file') ?? role);
  const findings = findUnserved({ program, table, otherTable, given, compiles });
  tellUnserved(program, findings, source, (line) => log.warning(line));
}

function pick(values: Dict, keys: ReadonlySet<Value>): Dict {
  return new Map([...values].filter(([key]) => keys.has(key)));
}

interface IdSearch {
  readonly input: LoadConfigInput;
  readonly log: Logger;
  readonly cache: boolean;
}

/** The configured id, or a found one, each with `append_domain`. */
function idWithDomain(values: Dict, search: IdSearch): string {
  const configured: Value | undefined = values.get('id');
  const { id, isAddress } =
    typeof configured === 'string' && configured !== ''
      ? { id: configured, isAddress: false }
      : detectId(values, {
          host: search.input.host ?? systemConfigHost,
          log: search.log,
          cache: search.cache,
        });
  const domain = values.get('append_domain');
  return typeof domain === 'string' && domain !== '' && !isAddress ? withDomain(id, domain) : id;
}
