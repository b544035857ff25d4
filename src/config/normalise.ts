/** Rules that turn options as written into options as used (3006.16 apply_master_config, apply_minion_config). */
import { totalmem } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ConfigError } from '../errors/errors.ts';
import type { Logger } from '../host/log.ts';
import { pyStr } from '../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../python/values/value.ts';
import { masterOptions } from './master-options.ts';
import { minionOptions } from './minion-options.ts';
import { pathOptions } from './option.ts';
import { globPaths, hasWildcards, prependRootDir } from './paths.ts';
import { applyTelemetryBlocks } from './telemetry-blocks.ts';
import { applyWorkerPools } from './worker-pools.ts';

const SIGNING_ALGORITHMS = ['PKCS1v15-SHA1', 'PKCS1v15-SHA224'];
const ENCRYPTION_ALGORITHMS = ['OAEP-SHA1', 'OAEP-SHA224'];
/** How much longer than `cachedir` the name of `sock_dir` may be: names of sockets are limited to about 100 bytes. */
const SOCK_DIR_ALLOWANCE = 10;

/** Which program the options are for. */
export type Role = 'master' | 'minion';

/**
 * Rules for values of any type, applied before types are checked.
 * @param values what the files say, changed in place
 * @param isStart a program starts with them, and tells also what Salt is silent about
 */
export function normaliseBeforeCheck(values: Dict, role: Role, log: Logger, isStart = false): void {
  for (const key of role === 'master' ? ['open_mode', 'auto_accept'] : ['open_mode']) {
    const value = values.get(key);
    if (value === undefined) continue;
    if (isStart && typeof value !== 'boolean')
      log.warning(
        `${key} is ${pyStr(value)}, which counts as False: only True, without quotation marks, sets it. Correct ${key}${inFile(values)}.`,
      );
    values.set(key, value === true);
  }
  normaliseRoots(values, 'file_roots', ['/srv/salt'], log);
  normaliseRoots(values, 'pillar_roots', ['/srv/pillar'], log);
  applyLogDir(values, role);
  if (Array.isArray(values.get('return'))) {
    values.set('return', (values.get('return') as Value[]).map(pyStr).join(','));
  }
  if (role === 'master') applyWorkerPools(values);
  applyTelemetryBlocks(values);
  if (!truthy(values.get('extension_modules'))) values.delete('extension_modules');
  if (values.get('ipc_write_buffer') === 'dynamic') values.set('ipc_write_buffer', dynamicBuffer());
}

/** Every environment gets a list of folders; wildcards in them are expanded now. */
function normaliseRoots(values: Dict, key: string, fallback: string[], log: Logger): void {
  const roots = values.get(key);
  if (roots === undefined) return;
  if (!isDict(roots)) {
    // Salt compat: for the pillar_roots of a master Salt names file_roots here, and takes the folders of states.
    log.warning(
      `The ${key} parameter is not properly formatted, using defaults: it is ${pyStr(roots)}, and has to be a mapping of environments to lists of folders, ` +
        `such as {base: [${fallback.join()}]}. Correct ${key}${inFile(values)}.`,
    );
    values.set(key, dict({ base: fallback }));
    return;
  }
  const normal: Dict = new Map();
  for (const [saltenv, folders] of roots) {
    const fault = rootsFault(folders);
    if (fault !== undefined)
      log.warning(
        `${key}: ${pyStr(saltenv)} ${fault}, so nothing comes from there. Write a list of paths, such as [${fallback.join()}], for ${pyStr(saltenv)} in ${key}${inFile(values)}.`,
      );
    normal.set(pyStr(saltenv), Array.isArray(folders) ? folders.flatMap(expandFolder) : []);
  }
  values.set(key, normal);
}

/** What is wrong with the folders of an environment; Salt passes over them without a word. */
function rootsFault(folders: Value): string | undefined {
  if (!Array.isArray(folders)) return `is ${pyStr(folders)}, which is no list`;
  const other = folders.find((folder) => typeof folder !== 'string');
  return other === undefined ? undefined : `has ${pyStr(other)}, which is no path`;
}

/** ` in` and the file that was read. */
function inFile(values: Dict): string {
  const file = values.get('conf_file');
  return typeof file === 'string' ? ` in ${file}` : '';
}

function expandFolder(folder: Value): Value[] {
  return typeof folder === 'string' && hasWildcards(folder) ? globPaths(folder) : [folder];
}

/** `log_dir` moves the log file, whole or as far as it is relative. */
function applyLogDir(values: Dict, role: Role): void {
  const dir = values.get('log_dir');
  if (typeof dir !== 'string' || dir === '') return;
  const file = values.get('log_file');
  if (typeof file !== 'string' || file === '') values.set('log_file', join(dir, role));
  else if (!isAbsolute(file)) values.set('log_file', join(dir, file));
}

/** A fortieth of the memory, at least 5 MiB. */
function dynamicBuffer(): number {
  return Math.floor(Math.max(totalmem() * 0.05, 10 * 1024 * 1024) * 0.5);
}

/** Rules both programs share, after the types are right. */
function normaliseShared(values: Dict, role: Role, log: Logger): void {
  renameEnvironment(values, role, log);
  expandBackendNames(values);
  values.set('hash_type', text(values, 'hash_type').toLowerCase());
  if (!truthy(values.get('utils_dirs')))
    values.set('utils_dirs', [join(text(values, 'extension_modules'), 'utils')]);
  if (values.get('ssl') === false) values.set('ssl', null);
  if (values.get('ssl') === true) values.set('ssl', new Map());
}

function renameEnvironment(values: Dict, role: Role, log: Logger): void {
  if (!values.has('environment')) return;
  const environment = values.get('environment') as Value;
  if (truthy(values.get('saltenv'))) {
    log.warning(
      `The 'saltenv' and 'environment' ${role} config options cannot both be used. ` +
        `Ignoring 'environment' in favor of 'saltenv'.`,
    );
    values.set('environment', values.get('saltenv') as Value);
  } else {
    log.warning(
      `The 'environment' ${role} config option has been renamed to 'saltenv'. ` +
        `Using ${pyStr(environment)} as the 'saltenv' config value.`,
    );
    values.set('saltenv', environment);
  }
}

/** `git` is short for `gitfs`, and so on. */
function expandBackendNames(values: Dict): void {
  const backends = values.get('fileserver_backend') as Value[];
  const short = ['git', 'hg', 'svn', 'minion'];
  values.set(
    'fileserver_backend',
    backends.map((name) => (typeof name === 'string' && short.includes(name) ? `${name}fs` : name)),
  );
}

/** A long `sock_dir` moves below `cachedir`, as names of sockets are limited. */
function shortenSockDir(values: Dict): void {
  const cachedir = text(values, 'cachedir');
  if (text(values, 'sock_dir').length > cachedir.length + SOCK_DIR_ALLOWANCE) {
    values.set('sock_dir', join(cachedir, '.salt-unix'));
  }
}

/** The rules of a master. @param values every option with a value of its kind, changed in place */
export function normaliseMaster(values: Dict, log: Logger): void {
  if (isDict(values.get('external_auth')) && (values.get('external_auth') as Dict).has('rest'))
    forceKeepAcl(values, log);
  normaliseShared(values, 'master', log);
  shortenSockDir(values);
  const cachedir = text(values, 'cachedir');
  values.set('token_dir', join(cachedir, 'tokens'));
  values.set('syndic_dir', join(cachedir, 'syndics'));
  prependRootDir(values, pathOptions(masterOptions, 'every program'));
  normaliseIgnored(values, log);
  raiseWorkerThreads(values, log);
  if (Array.isArray(values.get('nodegroups'))) values.set('nodegroups', joinedGroups(values, log));
  requireOneOf(text(values, 'publish_signing_algorithm'), SIGNING_ALGORITHMS, 'publish signing algorithm');
  if (values.get('fips_mode') === true) leaveSha1(values, ['publish_signing_algorithm'], log);
}

/** `fips_mode` takes the other algorithm of the pair, because Salt's defaults are those with SHA-1. */
function leaveSha1(values: Dict, names: readonly string[], log: Logger): void {
  for (const name of names) {
    const named = text(values, name);
    const better = named.replace(/-SHA1$/, '-SHA224');
    if (better === named) continue;
    log.info(`fips_mode: ${name} is ${better}, not ${named}.`);
    values.set(name, better);
  }
}

function forceKeepAcl(values: Dict, log: Logger): void {
  if (values.get('keep_acl_in_token') === false) {
    log.warning(
      "The 'rest' external_auth backend requires 'keep_acl_in_token' to be True. " +
        "Setting 'keep_acl_in_token' to True.",
    );
  }
  values.set('keep_acl_in_token', true);
}

function normaliseIgnored(values: Dict, log: Logger): void {
  for (const key of ['file_ignore_regex', 'file_ignore_glob']) {
    const value = values.get(key);
    if (typeof value === 'string') values.set(key, value === '' ? [] : [value]);
  }
  const expressions = values.get('file_ignore_regex') as Value[];
  values.set(
    'file_ignore_regex',
    expressions.filter((expression) => {
      if (typeof expression === 'string' && isRegex(expression)) return true;
      log.warning(`Unable to parse file_ignore_regex. Skipping: ${pyStr(expression)}`);
      return false;
    }),
  );
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source.replaceAll('(?P<', '(?<').replace(/^\(\?[aiLmsux]+\)/, ''));
    return true;
  } catch {
    return false;
  }
}

function raiseWorkerThreads(values: Dict, log: Logger): void {
  if ((values.get('worker_threads') as number) >= 3 || !truthy(values.get('peer'))) return;
  log.warning(
    `The 'worker_threads' setting in '${text(values, 'conf_file')}' cannot be lower than 3. ` +
      'Resetting it to the default value of 3.',
  );
  values.set('worker_threads', 3);
}

/** Node groups that are a list of one-key mappings as one mapping. */
function joinedGroups(values: Dict, log: Logger): Dict {
  const joined: Dict = new Map();
  for (const item of values.get('nodegroups') as Value[]) {
    if (isDict(item)) for (const [key, value] of item) joined.set(key, value);
    else
      log.warning(
        `An item of nodegroups, ${pyStr(item)}, is no mapping of a name to a target, and is left out. Correct nodegroups${inFile(values)}.`,
      );
  }
  return joined;
}

/** The rules of a minion, whose `id` is known. @param values every option with a value of its kind, changed in place */
export function normaliseMinion(values: Dict, log: Logger): void {
  normaliseShared(values, 'minion', log);
  appendId(values, text(values, 'id'));
  shortenSockDir(values);
  for (const key of ['file_ignore_regex', 'file_ignore_glob']) {
    const value = values.get(key);
    if (typeof value === 'string') values.set(key, value === '' ? [] : [value]);
  }
  prependRootDir(values, pathOptions(minionOptions, 'every program'));
  requireOneOf(text(values, 'encryption_algorithm'), ENCRYPTION_ALGORITHMS, 'encryption algorithm');
  requireOneOf(text(values, 'signing_algorithm'), SIGNING_ALGORITHMS, 'signing algorithm');
  if (values.get('fips_mode') === true) leaveSha1(values, ['encryption_algorithm', 'signing_algorithm'], log);
}

/** `append_minionid_config_dirs`: several minions on one host share a configuration but no folders. */
function appendId(values: Dict, id: string): void {
  for (const key of values.get('append_minionid_config_dirs') as Value[]) {
    if (key === 'pki_dir' || key === 'cachedir' || key === 'extension_modules') {
      values.set(key, join(text(values, key), id));
    } else if (key === 'default_include') {
      const glob = text(values, key);
      values.set(key, join(dirname(glob), id, basename(glob)));
    } else if (key === 'pidfile') {
      const path = text(values, key);
      values.set(key, join(dirname(path), 'salt', id, basename(path)));
    }
  }
}

function requireOneOf(value: string, valid: readonly string[], what: string): void {
  if (valid.includes(value)) return;
  throw new ConfigError(`The ${what} '${value}' is not valid. Please specify one of ${valid.join(',')}.`);
}

function text(values: Dict, key: string): string {
  const value = values.get(key);
  return typeof value === 'string' ? value : '';
}
