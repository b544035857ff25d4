/** A place that moves through a YAML text, and what characters mean to YAML 1.1. */
import { YamlError, type YamlPosition } from './error.ts';

/** A text with its name, for errors that can be shown. */
export interface YamlSource {
  readonly text: string;
  readonly name: string;
}

/** A place in the text, counted from 0; `offset` in UTF-16 units. */
export interface Mark {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const LF = 0x0a;
const CR = 0x0d;

/** What the characters below 128 are; the bits are below. */
const CLASSES = new Uint8Array(128);
const BLANK = 1;
const BREAK = 2;
const END = 4;
const WORD = 8;
const FLOW = 16;
const INDICATOR = 32;
for (const [chars, bit] of [
  [' \t', BLANK],
  ['\n\r', BREAK],
  ['\0', END],
  ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-', WORD],
  [',[]{}', FLOW],
  [',[]{}#&*!|>\'"%@`', INDICATOR],
] as const) {
  for (const char of chars) CLASSES[char.charCodeAt(0)] = (CLASSES[char.charCodeAt(0)] ?? 0) | bit;
}

function has(code: number, bits: number): boolean {
  return code < 128 && ((CLASSES[code] as number) & bits) !== 0;
}

function isRareBreak(code: number): boolean {
  return code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** True for a space or a tab. */
export function isBlank(code: number): boolean {
  return has(code, BLANK);
}

/** True for what ends a line in YAML 1.1, which is more than CR and LF. */
export function isBreak(code: number): boolean {
  return code < 128 ? has(code, BREAK) : isRareBreak(code);
}

/** True for a line end or the end of the text (code 0). */
export function isBreakOrEnd(code: number): boolean {
  return code < 128 ? has(code, BREAK | END) : isRareBreak(code);
}

/** True for blanks, line ends and the end of the text. */
export function isSpaceOrEnd(code: number): boolean {
  return code < 128 ? has(code, BLANK | BREAK | END) : isRareBreak(code);
}

/** True for letters, digits, `_` and `-`, of which anchors and tag handles are made. */
export function isWordChar(code: number): boolean {
  return has(code, WORD);
}

/** True for brackets, braces and the comma. */
export function isFlowIndicator(code: number): boolean {
  return has(code, FLOW);
}

/** True for characters no plain scalar starts with. */
export function isIndicator(code: number): boolean {
  return has(code, INDICATOR);
}

/** Reads a text from start to end, counting lines and columns. */
export class Cursor {
  readonly source: YamlSource;
  /** the text and some NUL, so that looking ahead always finds a character */
  readonly text: string;
  offset = 0;
  line = 0;
  column = 0;

  constructor(source: YamlSource) {
    this.source = source;
    this.text = `${source.text}\0\0\0\0`;
  }

  /** The character here or up to three units further on; 0 at the end. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.offset + ahead);
  }

  mark(): Mark {
    return { offset: this.offset, line: this.line, column: this.column };
  }

  /** Moves over characters that end no line. */
  skip(count = 1): void {
    this.skipTo(this.offset + count);
  }

  /** Moves to an offset on the same line. */
  skipTo(offset: number): void {
    for (; this.offset < offset; this.offset++) {
      // the second half of a surrogate pair is not a character of its own
      if ((this.text.charCodeAt(this.offset) & 0xfc00) !== 0xdc00) this.column++;
    }
  }

  /** Moves over one line end; returns it as YAML keeps it. */
  readBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return '';
    this.offset += code === CR && this.code(1) === LF ? 2 : 1;
    this.line++;
    this.column = 0;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** True at `---` or `...` at the start of a line. */
  atDocumentMarker(): boolean {
    if (this.column !== 0) return false;
    const code = this.code();
    return (
      (code === 0x2d || code === 0x2e) &&
      this.code(1) === code &&
      this.code(2) === code &&
      isSpaceOrEnd(this.code(3))
    );
  }

  /** A scanner's error; the reason is placed here unless told otherwise. */
  error(reason: string, context?: readonly [text: string, mark: Mark]): YamlError {
    return yamlErrorAt(this.source, 'scanner', reason, this.mark(), context);
  }
}

/** Makes an error for a mark. */
export function yamlErrorAt(
  source: YamlSource,
  kind: YamlError['kind'],
  reason: string,
  mark: Mark,
  context?: readonly [text: string, mark: Mark],
): YamlError {
  return new YamlError({
    kind,
    reason,
    at: position(mark),
    source: source.name,
    ...(context && { context: context[0], contextAt: position(context[1]) }),
  });
}

function position(mark: Mark): YamlPosition {
  return { line: mark.line + 1, column: mark.column + 1 };
}
