/** `nested`, the default: keys and values one below the other, indented (3006.16 salt/output/nested.py). */
import { displayEntries } from '../../python/values/order.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { decodeUtf8, splitLines } from '../../python/values/text.ts';
import { isBytes, PyDatetime, type Dict, type Value } from '../../python/values/value.ts';
import { getColors, stripEscapes, type Colors } from './colors.ts';
import type { Outputter, OutputOptions } from './outputter.ts';

/** The `nested` outputter. */
export const nested: Outputter = { name: 'nested', render: renderNested };

/** Renders a value; `options.nestedIndent` moves all of it to the right. */
export function renderNested(data: Value, options: OutputOptions): string {
  const display = new NestedDisplay(options);
  display.show(data, options.nestedIndent ?? 0, '');
  return display.lines.join('\n');
}

class NestedDisplay {
  readonly lines: string[] = [];
  readonly #colors: Colors;
  readonly #stripColors: boolean;
  readonly #keyColor: string;
  readonly #listColor: string;

  constructor(options: OutputOptions) {
    const failed = (options.retcode ?? 0) !== 0;
    this.#colors = getColors(options.color, options.colorTheme);
    this.#stripColors = options.stripColors ?? true;
    this.#keyColor = failed ? this.#colors.RED : this.#colors.CYAN;
    this.#listColor = failed ? this.#colors.RED : this.#colors.GREEN;
  }

  /** @param prefix `- ` in front of the items of a list */
  show(value: Value, indent: number, prefix: string): void {
    if (typeof value === 'string') this.#text(value, indent, prefix);
    else if (Array.isArray(value)) this.#list(value, indent);
    else if (value instanceof Map) this.#dict(value, indent);
    else if (isBytes(value)) this.#bytes(value, indent, prefix);
    // Salt prints nothing at all for a datetime
    else if (!(value instanceof PyDatetime))
      this.#line(indent, this.#colors.LIGHT_YELLOW, prefix + pyRepr(value));
  }

  #line(indent: number, color: string, text: string, suffix = ''): void {
    this.lines.push(' '.repeat(indent) + color + text + this.#colors.ENDC + suffix);
  }

  #text(text: string, indent: number, prefix: string): void {
    for (const [i, line] of splitLines(text).entries()) {
      const start = i === 0 ? prefix : ' '.repeat(prefix.length);
      this.#line(indent, this.#colors.GREEN, start + stripEscapes(line, this.#stripColors));
    }
  }

  /** Bytes that are not UTF-8 print as nothing. */
  #bytes(bytes: Uint8Array, indent: number, prefix: string): void {
    const text = decodeUtf8(bytes);
    if (text !== undefined) this.#text(text, indent, prefix);
  }

  #list(items: readonly Value[], indent: number): void {
    for (const item of items) {
      if (Array.isArray(item) || item instanceof Map) {
        this.#line(indent, this.#listColor, '|_');
        this.show(item, indent + 2, '');
      } else {
        this.show(item, indent, '- ');
      }
    }
  }

  #dict(map: Dict, indent: number): void {
    if (indent > 0) this.#line(indent, this.#keyColor, '----------');
    for (const [key, value] of displayEntries(map)) {
      this.#line(indent, this.#keyColor, pyStr(key), ':');
      this.show(value, indent + 4, '');
    }
  }
}
