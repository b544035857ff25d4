/** The files of a program's configuration, one by one, so that each option can be told with its line. */
import { readFileSync } from 'node:fs';
import type { Environment } from '../../config/paths.ts';
import { includedFiles, isFile } from '../../config/read-file.ts';
import { messageOf } from '../../errors/errors.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** One file, with its text; without options where it cannot be read. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly options: Dict;
  readonly fault?: { readonly message: string; readonly line: number };
}

/**
 * The main file and those that it includes, each once, in the order in which they are read. Nothing is written, where a
 * program makes a file of its template and moves a broken schedule aside.
 * @param main its path
 * @param defaultInclude the glob when the file names none
 */
export function configFiles(main: string, defaultInclude: string, env: Environment): ConfigFile[] {
  if (!isFile(main)) return [];
  const found = new Map<string, ConfigFile>();
  const add = (path: string): Dict => {
    const file = readOne(path);
    found.set(path, file);
    return file.options;
  };
  const addIncluded = (from: string, include: Value | undefined): void => {
    for (const path of includedFiles(include, from, env).flatMap(({ files }) => files))
      if (!found.has(path) && isFile(path)) addIncluded(path, add(path).get('include'));
  };
  const options = add(main);
  addIncluded(main, options.get('default_include') ?? defaultInclude);
  addIncluded(main, options.get('include'));
  return [...found.values()];
}

function readOne(path: string): ConfigFile {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    const value = loadYaml(text, { source: path });
    if (isDict(value)) return { path, text, options: value };
    const nothing = { path, text, options: new Map() };
    return truthy(value)
      ? { ...nothing, fault: { message: 'The file is no mapping of options.', line: 1 } }
      : nothing;
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
