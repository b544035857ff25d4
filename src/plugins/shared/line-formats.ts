/** Formats of lines: sections as Python's configparser writes them, and `key=value` (3006.16 salt/serializers/). */
import { quoteWord } from '../../python/shell-words.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines, strip } from '../../python/values/text.ts';
import { isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';

const DEFAULT_SECTION = 'DEFAULT';

/** A mapping of sections as text. @throws Error for anything else */
export function writeSections(value: Value): string {
  if (!isDict(value))
    throw new Error(`configparser can only serialize dictionaries, not <class '${pyTypeName(value)}'>`);
  const sections = [...value].map(([name, keys]): [string, Dict] => {
    if (isDict(keys)) return [pyStr(name), keys];
    throw new Error(`'${pyTypeName(keys)}' object has no attribute 'items'`);
  });
  sections.sort(([a], [b]) => Number(b === DEFAULT_SECTION) - Number(a === DEFAULT_SECTION));
  return sections.map(([name, keys]) => `[${name}]\n${[...keys].map(writeOption).join('')}\n`).join('');
}

function writeOption([key, value]: [Value, Value]): string {
  const name = pyStr(key).toLowerCase();
  return value === null ? `${name}\n` : `${name} = ${pyStr(value).replaceAll('\n', '\n\t')}\n`;
}

/** Sections out of text; values of the section DEFAULT are in each. @throws Error for lines that are none */
export function readSections(text: string): Dict {
  const sections: Dict = new Map();
  const defaults: Dict = new Map();
  let current: Dict | undefined;
  let lastKey: string | undefined;
  for (const [index, line] of splitLines(text).entries()) {
    const bare = strip(line);
    if (bare === '' || /^[#;]/.test(bare)) continue;
    const header = /^\[(.+)\]/.exec(line)?.[1];
    if (header !== undefined) {
      current = header === DEFAULT_SECTION ? defaults : new Map(defaults);
      if (header !== DEFAULT_SECTION) sections.set(header, current);
      lastKey = undefined;
    } else if (current === undefined) {
      throw new Error(
        `File contains no section headers.\nfile: '<string>', line: ${index + 1}\n'${line}\\n'`,
      );
    } else if (/^\s/.test(line) && lastKey !== undefined) {
      current.set(lastKey, `${pyStr(current.get(lastKey) ?? '')}\n${bare}`);
    } else {
      lastKey = readOption(current, bare, index + 1);
    }
  }
  return sections;
}

function readOption(section: Dict, line: string, number: number): string {
  const parts = /^(.*?)\s*[=:]\s*(.*)$/.exec(line);
  if (parts === null)
    throw new Error(
      `Source contains parsing errors: '<string>'\n\t[line ${String(number).padStart(2)}]: '${line}\\n'`,
    );
  const key = (parts[1] ?? '').toLowerCase();
  section.set(key, parts[2] ?? '');
  return key;
}

/** Keys and values, or pairs, as lines. @throws Error for anything else */
export function writePairs(value: Value, options: Dict): string {
  if (!isDict(value) && !Array.isArray(value)) throw new Error('Input validation failed. Iterable required.');
  const separator = pyStr(options.get('separator') ?? '=');
  const pairs = isDict(value) ? [...value] : value.map((item) => (Array.isArray(item) ? item : []));
  const shown = (item: Value): string =>
    truthy(options.get('quoting')) ? quoteWord(pyStr(item)) : pyStr(item);
  return pairs
    .map(([key = null, item = null]) => `${pyStr(key)}${separator}${shown(item)}`)
    .join(pyStr(options.get('line_ending') ?? '\n'));
}

/** Lines of keys and values as a mapping. @throws Error for a line without a separator */
export function readPairs(text: string, options: Dict): Dict {
  const separator = pyStr(options.get('separator') ?? '=');
  return new Map(
    splitLines(text).map((line): [string, string] => {
      const at = line.indexOf(separator);
      if (at < 0) throw new Error('not enough values to unpack (expected 2, got 1)');
      const value = line.slice(at + separator.length);
      return [line.slice(0, at), options.get('quoting') === false ? unquoted(value) : value];
    }),
  );
}

function unquoted(text: string): string {
  const inner = /^(['"])(.*)\1$/s.exec(text)?.[2];
  return inner ?? text;
}
