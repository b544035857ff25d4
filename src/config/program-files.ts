/** Which files make up the configuration of a program, and their joined content. */
import { expandUser } from '../host/expand-user.ts';
import { readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from '../errors/errors.ts';
import type { Logger } from '../host/log.ts';
import type { Dict, Value } from '../python/values/value.ts';
import type { Role } from './normalise.ts';
import { DEFAULT_CONFIG_DIR, globPaths, type Environment } from './paths.ts';
import { isDirectory, isFile, readIncludes, type ReadContext, readMainFile } from './read-file.ts';

/** Where a program's configuration is. */
export interface ConfigPlace {
  /** folder named with `-c`; without it `SALT_CONFIG_DIR`, then /etc/salt */
  readonly configDir?: string;
  /** the main file itself, instead of the folder's */
  readonly path?: string;
  readonly env: Environment;
}

/**
 * The folder of configuration: `-c`, else `SALT_CONFIG_DIR`, else /etc/salt; `~` expanded, absolute.
 * @throws ConfigError when it is a file
 */
export function configDirOf(place: Pick<ConfigPlace, 'configDir' | 'env'>): string {
  const folder = resolve(
    expandUser(place.configDir ?? (place.env['SALT_CONFIG_DIR'] || DEFAULT_CONFIG_DIR), place.env),
  );
  const fault = configFileFault(folder);
  if (fault !== undefined) throw new ConfigError(fault);
  return folder;
}

/** What is said when a file is named in the place of the folder that it is in, else undefined. */
export function configFileFault(configDir: string): string | undefined {
  const file = fileOnTheWay(configDir);
  if (file === undefined) return undefined;
  const way = file === configDir ? '' : `, so that there is no ${configDir}`;
  return `${file} is a file${way}, and -c takes the folder that it is in: -c ${dirname(file)}`;
}

/** The path itself, or the one that it goes through, where that is a file. */
function fileOnTheWay(path: string): string | undefined {
  try {
    return isFile(path) ? path : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
    return fileOnTheWay(dirname(path));
  }
}

/**
 * The line for stderr when the folder of configuration does not exist, else undefined.
 * @param typed how it was written, for the line
 */
export function missingConfigDirWarning(configDir: string, typed = configDir): string | undefined {
  if (isDirectory(configDir)) return undefined;
  return `WARNING: CONFIG '${typed}' directory does not exist.`;
}

/**
 * Reads the files of a program: main file, `default_include`, `include`. What is included replaces options of the main
 * file as a whole.
 * @param defaultInclude glob used when the main file names none
 * @param tellsUnread says which files beside those of `default_include` look like such and are not read
 * @throws ConfigError for a file that cannot be used
 */
export function readProgramFiles(
  role: Role,
  place: ConfigPlace,
  defaultInclude: string,
  log: Logger,
  strictIncludes: boolean,
  tellsUnread = false,
): Dict {
  const named = place.path ?? join(configDirOf(place), role);
  const options = readMainFile(fileFromEnvironment(role, named, place.env) ?? named, log);
  const context = { env: place.env, log, strictIncludes };
  const automatic = options.get('default_include') ?? defaultInclude;
  const explicit = options.get('include');
  // Relative globs start at the named file even when a variable put another one in its place, as in Salt.
  for (const [key, value] of readIncludes(automatic, named, false, context)) options.set(key, value);
  if (tellsUnread) sayUnread(automatic, named, options.has('default_include'), context);
  for (const [key, value] of readIncludes(explicit, named, true, context)) options.set(key, value);
  if (!options.has('conf_file')) options.set('conf_file', named);
  if (!options.has('config_dir')) options.set('config_dir', resolve(dirname(named)));
  return options;
}

/**
 * `SALT_MASTER_CONFIG`, `SALT_MINION_CONFIG`: an existing file that stands in for the one of the default folder only.
 */
function fileFromEnvironment(role: Role, named: string, env: Environment): string | undefined {
  if (named !== join(DEFAULT_CONFIG_DIR, role)) return undefined;
  const file = env[`SALT_${role.toUpperCase()}_CONFIG`];
  return file && isFile(file) ? file : undefined;
}

/** Endings of files that somebody meant as configuration. */
const MEANT = /\.(?:ya?ml|cfg|cnf|conf[._-]?\w+)$/i;
/** Copies that editors and package managers leave. */
const LEFT =
  /\.(?:conf[._-]?)(?:bak|old|orig|save|sw[op]|rpm\w+|dpkg\w+|ucf\w+|disabled|off|dist|sample|example|tmp)$/i;

/** Says what is not read where `default_include` looks: a file of another ending, or nothing at all. */
function sayUnread(include: Value, from: string, isExplicit: boolean, { log }: ReadContext): void {
  if (typeof include !== 'string' || include === '') return;
  const glob = isAbsolute(include) ? include : join(dirname(from), include);
  const read = new Set(globPaths(glob));
  if (isExplicit && read.size === 0)
    log.warning(
      `default_include in ${from} is ${include}, and no file matches it: nothing is read. Correct it, remove it, or set it to '' where nothing is to be read.`,
    );
  for (const name of filesOf(dirname(glob))) {
    const path = join(dirname(glob), name);
    if (name.startsWith('.') || !MEANT.test(name) || LEFT.test(name) || read.has(path)) continue;
    log.warning(
      `${path} is not read: default_include takes ${basename(glob)} alone. Rename the file, or move it away if it is not meant.`,
    );
  }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
