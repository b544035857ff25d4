/** How a minion, or a master, gets its id. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { dirname, join } from 'node:path';
import { ConfigError, messageOf } from '../errors/errors.ts';
import { isValidMinionId, readTextIfExists } from '../host/files.ts';
import type { Logger } from '../host/log.ts';
import { truthy, type Dict } from '../python/values/value.ts';
import { generateMinionId, type ConfigHost } from './host-names.ts';
import { DEFAULT_CONFIG_DIR } from './paths.ts';

/** A found id. */
export interface DetectedId {
  readonly id: string;
  /** an address serves as id: no domain may be put behind it */
  readonly isAddress: boolean;
}

/** What the search for an id needs beside the options. */
export interface IdContext {
  readonly host: ConfigHost;
  readonly log: Logger;
  /** write a found id to the cache file */
  readonly cache: boolean;
}

/**
 * Finds the id of a host whose configuration names none: the cached one, else one made from the host's names, in lower
 * case and without a domain where the options say so (3006.16 salt/config/__init__.py get_id).
 * @param values options: `root_dir`, `minion_id_caching`, `minion_id_lowercase`, `minion_id_remove_domain`,
 *   `id_function`
 * @throws ConfigError when an `id_function` is configured, which is not supported yet
 */
export function detectId(values: Dict, context: IdContext): DetectedId {
  const { host, log } = context;
  const cacheFile = idCacheFile(values);
  const caching = values.get('minion_id_caching') ?? true;
  if (truthy(caching)) {
    const cached = cachedId(cacheFile);
    if (cached !== undefined) {
      log.debug(`Using cached minion ID from ${cacheFile}: ${cached}`);
      return { id: cached, isAddress: false };
    }
  }
  refuseIdFunction(values);
  let id = generateMinionId(host);
  if (truthy(values.get('minion_id_lowercase'))) id = id.toLowerCase();
  id = withoutDomain(id, values.get('minion_id_remove_domain'));
  log.debug(`Found minion id from generate_minion_id(): ${id}`);
  if (context.cache && truthy(caching)) writeCache(cacheFile, id, log);
  return { id, isAddress: isIPv4(id) };
}

/** The cache file lies below the compiled-in folder, wherever the configuration was read from. */
function idCacheFile(values: Dict): string {
  const root = values.get('root_dir');
  return join(typeof root === 'string' ? root : '/', DEFAULT_CONFIG_DIR, 'minion_id');
}

function cachedId(path: string): string | undefined {
  let text: string | undefined;
  try {
    text = readTextIfExists(path);
  } catch {
    return undefined;
  }
  const id = text
    ?.split('\n')[0]
    ?.trim()
    .replace(/^\ufeff/, '');
  return id === '' || id === 'localhost' ? undefined : id;
}

function refuseIdFunction(values: Dict): void {
  const fun = values.get('id_function');
  if (!truthy(fun)) return;
  const name = fun instanceof Map ? [...fun.keys()][0] : fun;
  throw new ConfigError(
    `The option id_function (${String(name)}) is not supported yet. Set the option id instead, or write the id to the ` +
      `file minion_id.`,
  );
}

/** @param domain true for any domain, or the one domain to remove */
function withoutDomain(id: string, domain: unknown): string {
  if (domain === true) return id.split('.')[0] as string;
  if (typeof domain !== 'string' || domain === '') return id;
  const ending = `.${domain}`;
  return id.toUpperCase().endsWith(ending.toUpperCase()) ? id.slice(0, -ending.length) : id;
}

function writeCache(path: string, id: string, log: Logger): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, id);
  } catch (error) {
    log.error(`Could not cache minion ID: ${messageOf(error)}`);
  }
}

/** The id with `append_domain`, unless it has it already or ends in a dot. */
export function withDomain(id: string, domain: string): string {
  return id.endsWith(domain) || id.endsWith('.') ? id : `${id}.${domain}`;
}

/** @throws ConfigError for an id that cannot name a minion */
export function requireValidId(id: string): void {
  if (isValidMinionId(id)) return;
  throw new ConfigError(
    `The minion id ${JSON.stringify(id)} is not valid: it must not be empty, hold "/", "\\", a newline or NUL, or be "..". ` +
      `Set the option id.`,
  );
}
