/** Sections of an ini file, which keep comments and order (3006.16 salt/modules/ini_manage.py `_Section`). */
import { PythonError } from '../../../python/exceptions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, pyTypeName, type Dict, type Value } from '../../../python/values/value.ts';
import { escapePattern } from '../../shared/regex.ts';

/** What a section holds under a name: the value of an option, a line that is none, or a section. */
type Entry = string | IniSection;

const COMMENT = /^\s*(#|;)\s*(.*)/;
const INDENTED = /^(\s+)(.*)/;

/**
 * Whether two values are one when they are read: blanks around them are not. Salt compat: Salt writes such a value at
 * each run.
 */
export function isSameOption(now: unknown, wanted: unknown): boolean {
  return typeof now === 'string' && typeof wanted === 'string' && now.trim() === wanted.trim();
}

/**
 * Options, comments and lines that are neither, in their order. Comments are named `#comment1`, other lines
 * `#unknown1`.
 */
export class IniSection {
  readonly name: string;
  readonly entries = new Map<string, Entry>();
  readonly #option: RegExp;
  readonly #isTight: boolean;
  #separator: string;

  /** @param isTight no blanks around the separator */
  constructor(name: string, separator: string, isTight: boolean) {
    this.name = name;
    this.#separator = separator;
    this.#isTight = isTight;
    this.#option = new RegExp(`^(\\s*)(.+?)\\s*(${escapePattern(separator)})\\s*(.*)`);
  }

  /** Reads the lines of a section. */
  read(text: string): void {
    const content = text.replace(/^\n+|\n+$/g, '');
    if (content === '') return;
    let [comments, unknown, indentation] = [0, 0, ''];
    for (const line of content.split('\n')) {
      const indent = INDENTED.exec(line)?.[1]?.replaceAll('\t', '    ');
      const [, spaces, name, , value] = this.#option.exec(line) ?? [];
      if (COMMENT.test(line)) this.#put(`#comment${++comments}`, line);
      else if (indent !== undefined && indent > indentation) this.#continueLast(line);
      else if (name !== undefined && value !== undefined) {
        indentation = (spaces ?? '').replaceAll('\t', '    ');
        this.#put(name, value);
      } else this.#put(`#unknown${++unknown}`, line);
    }
  }

  /** Adds a section that was read; one of the same name takes its options. */
  readSection(name: string, text: string): void {
    const section = new IniSection(name, this.#separator, this.#isTight);
    section.read(text);
    const known = this.entries.get(name);
    if (known instanceof IniSection) for (const [key, value] of section.entries) known.#put(key, value);
    else this.#put(name, section);
  }

  /**
   * Sets options and sections.
   * @returns what was changed, by name: `{before, after}`, and by section what was changed in it
   */
  update(wanted: Dict): Dict {
    const changes: Dict = new Map();
    for (const [key, value] of wanted) {
      const name = pyStr(key);
      const current = this.entries.get(name);
      if (current instanceof IniSection) {
        if (!isDict(value))
          throw new PythonError('AttributeError', `'${pyTypeName(value)}' object has no attribute 'items'`);
        const inner = current.update(value);
        if (inner.size > 0) changes.set(name, inner);
        continue;
      }
      const entry = isDict(value)
        ? this.#newSection(name, value) // blanks around it are not read again. Salt compat: Salt finds another value at each run
        : pyStr(value).replace(/^[ \t]+|[ \t]+$/g, '');
      if (current === entry) continue;
      changes.set(name, dict({ before: current ?? null, after: plainEntry(entry) }));
      this.#put(name, entry);
    }
    return changes;
  }

  /** The lines of the file, each with its end; sections come last. */
  *lines(): Generator<string, void> {
    const sections: IniSection[] = [];
    for (const [name, entry] of this.entries) {
      if (COMMENT.test(name)) yield `${plainText(entry)}\n`;
      else if (entry instanceof IniSection) sections.push(entry);
      else yield `${name}${this.#writtenSeparator()}${entry}\n`;
    }
    for (const section of sections) {
      yield `\n[${section.name}]\n`;
      yield* section.lines();
    }
  }

  /** Options and sections, with or without comments and lines that are no options. */
  toDict(withComments = false): Dict {
    const kept = [...this.entries].filter(([name]) => withComments || !name.startsWith('#'));
    return new Map(
      kept.map(([name, entry]): [Value, Value] => [
        name,
        entry instanceof IniSection ? entry.toDict(withComments) : entry,
      ]),
    );
  }

  #newSection(name: string, wanted: Dict): IniSection {
    const section = new IniSection(name, this.#separator, this.#isTight);
    section.update(wanted);
    return section;
  }

  #continueLast(line: string): void {
    const last = [...this.entries].at(-1);
    if (last !== undefined && typeof last[1] === 'string') this.entries.set(last[0], `${last[1]}\n${line}`);
  }

  /** Sets an option; one that was commented out takes the place of its comment. */
  #put(name: string, entry: Entry): void {
    const isNew = !this.entries.has(name);
    const comment = isNew && typeof entry === 'string' ? this.#commentOf(name) : undefined;
    if (comment === undefined) {
      this.entries.set(name, entry);
      return;
    }
    const entries = [...this.entries];
    this.entries.clear();
    for (const [key, value] of entries)
      if (key === comment) this.entries.set(name, entry);
      else this.entries.set(key, value);
  }

  #commentOf(name: string): string | undefined {
    for (const [key, value] of this.entries) {
      if (!key.includes('#comment') || typeof value !== 'string') continue;
      if (this.#option.exec(value.replace(/^#+/, ''))?.[2] === name) return key;
    }
    return undefined;
  }

  #writtenSeparator(): string {
    const bare = this.#separator.trim();
    if (/^ *$/.test(this.#separator)) return ' ';
    return this.#isTight ? bare : ` ${bare} `;
  }
}

function plainEntry(entry: Entry): Value {
  return entry instanceof IniSection ? entry.toDict(true) : entry;
}

function plainText(entry: Entry): string {
  return typeof entry === 'string' ? entry : pyStr(entry.toDict(true));
}
