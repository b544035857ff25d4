/** Configuration files to mappings: the main file, its template, and what it includes. */
import { expandUser } from '../host/expand-user.ts';
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ConfigError, messageOf } from '../errors/errors.ts';
import { looseText, mayAllWrite } from '../host/loose-modes.ts';
import type { Logger } from '../host/log.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, pyTypeName, truthy, valuesEqual, type Dict, type Value } from '../python/values/value.ts';
import { YamlError, loadYaml } from '../formats/yaml/load.ts';
import { globPaths, type Environment } from './paths.ts';

/** What reading needs to know beside the path. */
export interface ReadContext {
  readonly env: Environment;
  readonly log: Logger;
  /** true: a broken included file is an error; false: it is logged and skipped */
  readonly strictIncludes: boolean;
}

/** Includes that include each other end here. */
const MAX_INCLUDE_DEPTH = 20;

/**
 * Reads one configuration file. A broken `_schedule.conf` is moved aside, as it is written by the minion itself.
 * @throws ConfigError naming the file, the line and what is wrong
 */
function readConfigFile(path: string, log: Logger): Dict {
  log.debug(`Reading configuration from ${path}`);
  if (mayAllWrite(path)) log.warning(looseText('The configuration file', path));
  const conf = parsedFile(path, log);
  if (!isDict(conf)) {
    throw new ConfigError(
      `Error parsing configuration file: ${path} - conf should be a document, not <class '${pyTypeName(conf)}'>.`,
      { code: 'config-unreadable' },
    );
  }
  textualId(conf, path, log);
  return conf;
}

function parsedFile(path: string, log: Logger): Value {
  try {
    const value = loadYaml(textOf(path), { source: path });
    return truthy(value) ? value : new Map();
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const message = `Error parsing configuration file: ${path} - line ${error.line}: ${error.reason}`;
    if (!path.endsWith('_schedule.conf'))
      throw new ConfigError(message, { cause: error, code: 'config-unreadable' });
    log.error(message);
    log.error(`Renaming to ${path}YAMLError`);
    renameSync(path, `${path}YAMLError`);
    return new Map();
  }
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const why = error instanceof TypeError ? 'the file is not UTF-8 text' : messageOf(error);
    throw new ConfigError(`Error parsing configuration file: ${path} - ${why}`, {
      cause: error,
      code: 'config-unreadable',
    });
  }
}

/** Ids that look like numbers become text. */
function textualId(conf: Dict, path: string, log: Logger): void {
  const id = conf.get('id');
  if (id === undefined || typeof id === 'string') return;
  if (id === null) {
    // Salt compat: Salt takes an empty `id:` for the id "None".
    log.warning(`The option id in ${path} is empty and is ignored.`);
    conf.delete('id');
    return;
  }
  // Salt compat: Salt takes the text of a list or a mapping for the id
  if (Array.isArray(id) || isDict(id))
    throw new ConfigError(
      `id in ${path} is ${pyStr(id)}, which is no id. Write one text, or remove the option: the id is then made of the name of the host.`,
    );
  conf.set('id', pyStr(id));
}

/**
 * Reads the main file. Where there is none, `<path>.template` without its first line becomes it.
 * @returns its options and `conf_file`, or nothing when there is no file
 * @throws ConfigError
 */
export function readMainFile(path: string, log: Logger): Dict {
  copyTemplate(path, log);
  if (!existsSync(path)) {
    log.debug(`Missing configuration file: ${path}`);
    return new Map();
  }
  try {
    accessSync(path, constants.R_OK);
  } catch {
    log.warning(`No permission to read the configuration file ${path}; defaults are used.`);
    return new Map();
  }
  if (mayAllWrite(dirname(path))) log.warning(looseText('The folder of the configuration,', dirname(path)));
  const conf = readConfigFile(path, log);
  conf.set('conf_file', path);
  return conf;
}

function copyTemplate(path: string, log: Logger): void {
  const template = `${path}.template`;
  if (isFile(path) || !isFile(template)) return;
  log.debug(`Writing ${path} based on ${template}`);
  const text = readFileSync(template, 'utf8');
  const firstEnd = text.indexOf('\n');
  writeFileSync(path, firstEnd < 0 ? '' : text.slice(firstEnd + 1));
}

/** True for an existing regular file (symbolic links followed). */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** True for an existing folder (symbolic links followed). */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Reads every file an include names and joins them: mappings deeply, lists without duplicates, of other values the
 * later file wins (3006.16 salt/config/__init__.py include_config).
 * @param include one glob or a list of them
 * @param from path of the file that includes; relative globs start in its folder
 * @param verbose warn when a glob matches nothing
 */
export function readIncludes(
  include: Value | undefined,
  from: string,
  verbose: boolean,
  context: ReadContext,
  depth = 0,
): Dict {
  const joined: Dict = new Map();
  if (depth > MAX_INCLUDE_DEPTH) {
    throw new ConfigError(
      `Error parsing configuration file: ${from} - files include each other without end`,
      {
        code: 'config-unreadable',
      },
    );
  }
  for (const { path, files } of includedFiles(include, from, context.env)) {
    if (files.length === 0 && verbose) {
      context.log.warning(
        `Warning parsing configuration file: "include" path/glob '${path}' matches no files`,
      );
    }
    for (const file of files) joinFile(joined, file, verbose, context, depth);
  }
  return joined;
}

/** What an include names: each glob as a whole path, and the files that it matches now. */
export function includedFiles(
  include: Value | undefined,
  from: string,
  env: Environment,
): readonly { readonly path: string; readonly files: readonly string[] }[] {
  if (include === undefined || !truthy(include)) return [];
  return (Array.isArray(include) ? include : [include]).map((pattern) => {
    const expanded = expandUser(pyStr(pattern), env);
    const path = isAbsolute(expanded) ? expanded : join(dirname(from), expanded);
    return { path, files: globPaths(path) };
  });
}

function joinFile(joined: Dict, file: string, verbose: boolean, context: ReadContext, depth: number): void {
  context.log.debug(`Including configuration from '${file}'`);
  const options = includedFile(file, context);
  const known = joined.get('schedule');
  const added = options.get('schedule');
  if (isDict(known) && isDict(added)) for (const [key, value] of added) known.set(key, value);
  const nested = readIncludes(options.get('include'), file, verbose, context, depth + 1);
  for (const [key, value] of nested) options.set(key, value);
  mergeDeep(joined, options);
}

function includedFile(file: string, context: ReadContext): Dict {
  try {
    return readConfigFile(file, context.log);
  } catch (error) {
    if (!(error instanceof ConfigError) || context.strictIncludes) throw error;
    context.log.error(error.message);
    return new Map();
  }
}

/** Merges `added` into `target`: mappings deeply, lists joined without duplicates, other values replaced. */
function mergeDeep(target: Dict, added: Dict): void {
  for (const [key, value] of added) {
    const known = target.get(key);
    if (isDict(known) && isDict(value)) mergeDeep(known, value);
    else if (Array.isArray(known) && Array.isArray(value)) {
      const fresh = value.filter((item) => !known.some((other) => valuesEqual(other, item)));
      target.set(key, [...known, ...fresh]);
    } else target.set(key, value);
  }
}
