/** The configuration file of a container (3006.16 salt/modules/lxc.py `read_conf`, `write_conf`, `update_lxc_conf`). */
import { readFile } from 'node:fs/promises';
import { FileReplacement } from '../../../host/file-replacement.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** The network card that a container has where none is named. */
export const DEFAULT_NIC = 'eth0';

/** A setting: its name and its value. */
export type Setting = readonly [key: string, value: string];
/** A line: a setting, with the comment behind it, or what is none. */
export type ConfigLine = { readonly setting: Setting; readonly comment?: string } | { readonly text: string };

const LINE = /[^\n]*\n|[^\n]+$/g;

/** Reads lines of a configuration. */
export function parseConfig(text: string): ConfigLine[] {
  return (text.match(LINE) ?? []).map((line): ConfigLine => {
    const at = line.indexOf('=');
    if (at < 0) return { text: line };
    const key = line.slice(0, at).trim();
    const value = line.slice(at + 1).trim();
    if (!value.startsWith('#')) return { setting: [key, value] };
    const comment = value.split('#').slice(1).join('#').trim();
    return { setting: [key, value.split('#')[1]?.trim() ?? ''], comment };
  });
}

/** Reads a configuration file. @throws CommandExecutionError for one that cannot be read */
export async function readConfig(path: string): Promise<ConfigLine[]> {
  try {
    return parseConfig(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new CommandExecutionError(`The configuration ${path} cannot be read: ${String(cause)}`, { cause });
  }
}

/** The settings among lines; what is commented out is none. */
export const settingsOf = (lines: readonly ConfigLine[]): Setting[] =>
  lines.flatMap((line) => ('setting' in line && !line.setting[0].startsWith('#') ? [line.setting] : []));

/** Lines as text. */
export const configText = (lines: readonly ConfigLine[]): string =>
  lines
    .map((line) => {
      if ('text' in line) return line.text;
      const [key, value] = line.setting;
      return `${key} = ${value}${line.comment === undefined ? '' : ` # ${line.comment}`}\n`;
    })
    .join('');

/** Lines as functions give them: texts, and mappings of one setting. */
export const configValues = (lines: readonly ConfigLine[]): Value[] =>
  lines.map((line): Value => {
    if ('text' in line) return line.text;
    const [key, value] = line.setting;
    const shown: Value =
      line.comment === undefined
        ? value
        : new Map([
            ['value', value],
            ['comment', line.comment],
          ]);
    return new Map([[key, shown]]);
  });

/** Lines of what functions are given. */
export function configLines(values: readonly Value[]): ConfigLine[] {
  return values.flatMap((value): ConfigLine[] => {
    if (typeof value === 'string') return [{ text: value }];
    if (!isDict(value)) return [];
    return [...value].flatMap(([key, own]): ConfigLine[] => {
      if (!isDict(own))
        return own === null || Array.isArray(own) ? [] : [{ setting: [pyStr(key), pyStr(own)] }];
      const comment = own.get('comment');
      const setting: Setting = [pyStr(key), pyStr(own.get('value') ?? '')];
      return [comment === undefined ? { setting } : { setting, comment: pyStr(comment) }];
    });
  });
}

/** The settings that are not commented out, as a mapping. */
export const simpleConfig = (lines: readonly ConfigLine[]): Dict =>
  new Map(
    lines.flatMap((line): [Value, Value][] =>
      'setting' in line && line.comment === undefined ? [[line.setting[0], line.setting[1]]] : [],
    ),
  );

/** Writes a configuration file. */
export async function writeConfig(path: string, lines: readonly ConfigLine[]): Promise<void> {
  const file = await FileReplacement.begin(path);
  try {
    await file.write(Buffer.from(configText(lines)));
    await file.commit();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
