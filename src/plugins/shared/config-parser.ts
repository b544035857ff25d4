/** Files of sections and options as Python's `configparser` (3.10) reads them without interpolation. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { splitLines } from '../../python/values/text.ts';

/** Options by section, in the file's order; names of options are in small letters. */
export type ParsedConfig = Map<string, Map<string, string>>;

/** The reading as it stands after some lines. */
interface Reading {
  readonly sections: Map<string, Map<string, string[]>>;
  readonly seen: Set<string>;
  readonly wrong: string[];
  section: string | undefined;
  option: string | undefined;
  indent: number;
}

/** The file begins with something else than a section. */
export class NoSectionError extends CommandExecutionError {}

/**
 * Reads the text of a file.
 * @param file its path, for messages
 * @param isStrict refuse what stands twice
 * @throws NoSectionError, CommandExecutionError with the messages of `configparser`
 */
export function parseConfig(text: string, file: string, isStrict: boolean): ParsedConfig {
  const reading: Reading = {
    sections: new Map(),
    seen: new Set(),
    wrong: [],
    section: undefined,
    option: undefined,
    indent: 0,
  };
  splitLines(text).forEach((line, i) => readLine(reading, line, { number: i + 1, file, isStrict }));
  if (reading.wrong.length > 0)
    throw new CommandExecutionError(`Source contains parsing errors: '${file}'${reading.wrong.join('')}`);
  return new Map(
    [...reading.sections]
      .filter(([name]) => name !== 'DEFAULT')
      .map(([name, options]) => [
        name,
        new Map([...options].map(([option, lines]) => [option, lines.join('\n').trimEnd()])),
      ]),
  );
}

interface Place {
  readonly number: number;
  readonly file: string;
  readonly isStrict: boolean;
}

function readLine(reading: Reading, line: string, place: Place): void {
  const text = line.trim();
  const { section, option } = reading;
  const value = reading.sections.get(section ?? '')?.get(option ?? '');
  if (/^[#;]/.test(text)) return;
  if (text === '') {
    value?.push('');
    return;
  }
  const indent = line.search(/\S/);
  if (value !== undefined && indent > reading.indent) {
    value.push(text);
    return;
  }
  reading.indent = indent;
  const header = /^\[(.+)\]/.exec(text)?.[1];
  if (header !== undefined) startSection(reading, header, place);
  else if (section === undefined)
    throw new NoSectionError(
      `File contains no section headers.\nfile: '${place.file}', line: ${place.number}\n'${line}\\n'`,
    );
  else startOption(reading, text, { ...place, section });
}

function where({ file, number }: Place): string {
  return `While reading from '${file}' [line ${String(number).padStart(2)}]:`;
}

function startSection(reading: Reading, name: string, place: Place): void {
  if (reading.sections.has(name)) {
    if (place.isStrict && name !== 'DEFAULT')
      throw new CommandExecutionError(`${where(place)} section '${name}' already exists`);
  } else reading.sections.set(name, new Map());
  reading.section = name;
  reading.option = undefined;
}

function startOption(reading: Reading, text: string, place: Place & { readonly section: string }): void {
  const [, given, value = ''] = /^(.*?)\s*[=:]\s*(.*)$/.exec(text) ?? [];
  if (given === undefined || given === '') {
    reading.wrong.push(`\n\t[line ${String(place.number).padStart(2)}]: '${text}\\n'`);
    return;
  }
  const name = given.toLowerCase();
  const { section } = place;
  const key = `${section}\n${name}`;
  if (place.isStrict && reading.seen.has(key))
    throw new CommandExecutionError(
      `${where(place)} option '${name}' in section '${section}' already exists`,
    );
  reading.seen.add(key);
  reading.option = name;
  reading.sections.get(section)?.set(name, [value]);
}
