/**
 * The format deb822 of apt's `.sources` files (`man 5 sources.list`): stanzas of fields, with an empty line between
 * them. A stanza is kept line by line, so that what is not changed stays as it was written, comments and unknown fields
 * included.
 */

import { linesOf } from '../../shared/file-text.ts';

/** A field of a stanza: the lines that it consists of, comments between them included. */
interface Field {
  readonly name: string;
  /** Without the comments; lines of a value of several lines have `\n` between them. */
  readonly value: string;
  readonly text: string;
}

/** Comments of a field that is there no more. */
const NAMELESS = '';

const isComment = (line: string): boolean => line.startsWith('#');
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The words of a field of several values. */
export const wordsOf = (value: string): string[] => value.split(/[\s,]+/).filter((word) => word !== '');

/** A block of text, such as a key, as the value of a field: an empty line is a dot. */
export const blockValue = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim() || '.')
    .join('\n');

/** One stanza; does not change. */
export class Stanza {
  /** Lines above the first field, with their ends. */
  readonly #head: readonly string[];
  readonly #fields: readonly Field[];

  private constructor(head: readonly string[], fields: readonly Field[]) {
    this.#head = head;
    this.#fields = fields;
  }

  /** @param lines with their ends */
  static of(lines: readonly string[]): Stanza {
    const first = lines.findIndex((line) => !isComment(line));
    const head = first < 0 ? lines : lines.slice(0, first);
    const groups: string[][] = [];
    for (const line of lines.slice(head.length)) {
      const last = groups.at(-1);
      if (last === undefined || (!isComment(line) && !/^[ \t]/.test(line))) groups.push([line]);
      else last.push(line);
    }
    return new Stanza(head, groups.map(fieldOf));
  }

  /** All of it, with an end of line. */
  get text(): string {
    const whole = [...this.#head, ...this.#fields.map(({ text }) => text)].join('');
    return whole === '' || whole.endsWith('\n') ? whole : `${whole}\n`;
  }

  /** The comment above the first field, its lines joined. */
  get comment(): string {
    return this.#head
      .map((line) => line.replace(/^#+\s*/, '').trim())
      .join(' ')
      .trim();
  }

  /** Names of the fields as they are written. */
  get names(): string[] {
    return this.#fields.map(({ name }) => name).filter((name) => name !== NAMELESS);
  }

  /** The value of a field; the last one counts, as with apt. Undefined without the field. */
  get(name: string): string | undefined {
    return this.#fields.findLast((field) => isSame(field.name, name))?.value;
  }

  /** With a field set in its place, or at the end; an empty value takes the field away. */
  with(name: string, value: string): Stanza {
    if ((this.get(name) ?? '') === value) return this;
    const at = this.#fields.findIndex((field) => isSame(field.name, name));
    const comments = this.#fields
      .filter((field) => isSame(field.name, name))
      .flatMap(({ text }) => linesOf(text).filter(isComment))
      .join('');
    const fields = this.#fields
      .filter((field, place) => place === at || !isSame(field.name, name))
      .map((field) => (field.text.endsWith('\n') ? field : { ...field, text: `${field.text}\n` }));
    const written = fields[at]?.name ?? name;
    const own = value === '' ? '' : `${written}:${valueText(value)}\n`;
    const fresh = { name: value === '' ? NAMELESS : written, value, text: `${own}${comments}` };
    return new Stanza(this.#head, at < 0 ? [...fields, fresh] : fields.with(at, fresh));
  }

  /** With another comment above the first field; without one for an empty text. */
  withComment(comment: string): Stanza {
    return new Stanza(comment === '' ? [] : [`# ${comment}\n`], this.#fields);
  }
}

function fieldOf(lines: readonly string[]): Field {
  const [, name = '', first = ''] = /^([^\s:]+)\s*:(.*)/s.exec(lines[0] ?? '') ?? [];
  const rest = lines.slice(1).filter((line) => !isComment(line));
  const value = [first, ...rest].map((line) => line.trim()).join('\n');
  return { name, value: value.trim(), text: lines.join('') };
}

/** A value as it stands behind the colon: one of several lines begins below. */
function valueText(value: string): string {
  if (!value.includes('\n')) return ` ${value}`;
  return value
    .split('\n')
    .map((line) => `\n ${line}`)
    .join('');
}

/** The stanzas of a file and what stands between them, in order; each text with the end of its last line. */
export function stanzasOf(lines: readonly string[]): (Stanza | string)[] {
  const out: (Stanza | string)[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) out.push(Stanza.of(open));
    open = [];
  };
  for (const line of lines) {
    // apt takes a line of blanks for a part of the stanza
    if (line.replace(/[\r\n]+$/, '') !== '') open.push(line);
    else {
      close();
      out.push(line);
    }
  }
  close();
  return out;
}
