/** The files of a program's configuration, one by one, so that each option can be told with its line. */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { globPaths } from '../../config/paths.ts';
import { isFile } from '../../config/read-file.ts';
import { messageOf } from '../../errors/errors.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** Includes that include each other end here. */
const DEPTH_MAX = 20;

/** One file, with its text; without options where it cannot be read. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly options: Dict;
  readonly fault?: { readonly message: string; readonly line: number };
}

/**
 * The main file and those that it includes, in the order in which they are read. Nothing is written, where a program
 * makes a file of its template and moves a broken schedule aside.
 * @param main its path
 * @param defaultInclude the glob when the file names none
 */
export function configFiles(main: string, defaultInclude: string): ConfigFile[] {
  if (!isFile(main)) return [];
  const first = readOne(main);
  const automatic = first.options.get('default_include') ?? defaultInclude;
  return [first, ...includedFrom(main, automatic, 0), ...includedFrom(main, first.options.get('include'), 0)];
}

function includedFrom(from: string, include: Value | undefined, depth: number): ConfigFile[] {
  if (include === undefined || !truthy(include) || depth > DEPTH_MAX) return [];
  const globs = (Array.isArray(include) ? include : [include]).map(pyStr);
  return globs
    .flatMap((glob) => globPaths(isAbsolute(glob) ? glob : join(dirname(from), glob)))
    .filter(isFile)
    .flatMap((path) => {
      const one = readOne(path);
      return [one, ...includedFrom(path, one.options.get('include'), depth + 1)];
    });
}

function readOne(path: string): ConfigFile {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    const value = loadYaml(text, { source: path });
    if (isDict(value) || !truthy(value)) return { path, text, options: isDict(value) ? value : new Map() };
    return {
      path,
      text,
      options: new Map(),
      fault: { message: 'The file is no mapping of options.', line: 1 },
    };
  } catch (error) {
    const fault =
      error instanceof YamlError
        ? { message: `The file is no YAML: ${error.reason}.`, line: error.line }
        : { message: `The file cannot be read: ${messageOf(error)}.`, line: 1 };
    return { path, text, options: new Map(), fault };
  }
}

/** The last file that has an option, with the line of it: the last one counts. */
export function placeOf(
  files: readonly ConfigFile[],
  option: string,
): { path: string; line: number } | undefined {
  const names = [option, option.slice(0, option.indexOf('.'))].filter((name) => name !== '');
  for (const name of names) {
    const file = files.findLast(({ options }) => options.has(name));
    if (file === undefined) continue;
    const at = file.text
      .split('\n')
      .findIndex((line) => [`${name}:`, `"${name}":`, `'${name}':`].some((key) => line.startsWith(key)));
    return { path: file.path, line: at + 1 || 1 };
  }
  return undefined;
}
