/**
 * Writes YAML nodes as libyaml 0.2.5 does (PyYAML's C emitter, which Salt uses): where a line ends, how deep it is
 * indented, how a scalar is quoted and folded.
 */
import { analyzeScalar, isBreak, isPrintable, type ScalarAnalysis } from './scalar-style.ts';

/** A scalar ready to be written. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** Its type cannot be told from the plain text, so it must be quoted. */
  readonly quoted: boolean;
  /** It is text, so quotes alone do not change its type; anything else gets the tag `!` when it has to be quoted. */
  readonly isText: boolean;
  /** Short tag (`!!binary`) that has to be written. */
  readonly tag?: string;
  readonly literal?: boolean;
  readonly anchor?: string;
}

/** A list. */
export interface SequenceNode {
  readonly kind: 'sequence';
  readonly items: readonly Node[];
  readonly flow: boolean;
  readonly anchor?: string;
}

/** A mapping, in the order to write. */
export interface MappingNode {
  readonly kind: 'mapping';
  readonly entries: readonly (readonly [Node, Node])[];
  readonly flow: boolean;
  readonly anchor?: string;
}

/** A second mention of an anchored node. */
export interface AliasNode {
  readonly kind: 'alias';
  readonly anchor: string;
}

/** What can be written. */
export type Node = ScalarNode | SequenceNode | MappingNode | AliasNode;

/** The emitter's settings, all resolved. */
export interface EmitterSettings {
  /** Columns per level, 2 to 9. */
  readonly indent: number;
  /** Column after which text is folded at the next space. */
  readonly width: number;
  readonly allowUnicode: boolean;
}

type Context = 'root' | 'sequence' | 'mapping' | 'simpleKey';

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

const MAX_SIMPLE_KEY_BYTES = 128;

/** One document's worth of output. */
export class Emitter {
  readonly #settings: EmitterSettings;
  readonly #out: string[] = [];
  #column = 0;
  /** The last thing written was white space (or nothing). */
  #whitespace = true;
  /** Only indentation and block indicators stand on this line so far. */
  #indention = true;
  #indent = -1;
  #flowLevel = 0;

  constructor(settings: EmitterSettings) {
    this.#settings = settings;
  }

  text(): string {
    return this.#out.join('');
  }

  /** Writes `---`. */
  startMarker(): void {
    this.#writeIndent();
    this.#indicator('---', true);
  }

  /** Writes the root node and ends its line. */
  root(node: Node): void {
    this.#node(node, 'root');
    this.#writeIndent();
  }

  /** Writes `...` on its own line. */
  endMarker(): void {
    this.#indicator('...', true);
    this.#writeIndent();
  }

  #put(text: string): void {
    this.#out.push(text);
    this.#column += text.length;
  }

  #lineBreak(char = '\n'): void {
    this.#out.push(char);
    this.#column = 0;
  }

  #writeIndent(): void {
    const indent = Math.max(0, this.#indent);
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) {
      this.#lineBreak();
    }
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #indicator(text: string, needSpace: boolean, isSpace = false, isIndention = false): void {
    if (needSpace && !this.#whitespace) this.#put(' ');
    this.#put(text);
    this.#whitespace = isSpace;
    this.#indention &&= isIndention;
  }

  /** Runs `body` one level deeper. */
  #deeper(flow: boolean, indentless: boolean, body: () => void): void {
    const before = this.#indent;
    if (before < 0) this.#indent = flow ? this.#settings.indent : 0;
    else if (!indentless) this.#indent += this.#settings.indent;
    body();
    this.#indent = before;
  }

  #node(node: Node, context: Context): void {
    switch (node.kind) {
      case 'alias':
        this.#mark(`*${node.anchor}`);
        if (context === 'simpleKey') this.#put(' ');
        return;
      case 'scalar':
        this.#scalar(node, context);
        return;
      case 'sequence':
        if (node.anchor) this.#mark(`&${node.anchor}`);
        if (this.#flowLevel > 0 || node.flow || node.items.length === 0) this.#flowSequence(node);
        else this.#blockSequence(node, context);
        return;
      case 'mapping':
        if (node.anchor) this.#mark(`&${node.anchor}`);
        if (this.#flowLevel > 0 || node.flow || node.entries.length === 0) this.#flowMapping(node);
        else this.#blockMapping(node);
        return;
    }
  }

  /** Writes an anchor, alias or tag. */
  #mark(text: string): void {
    this.#indicator(text, true);
  }

  #blockSequence(node: SequenceNode, context: Context): void {
    const inMapping = context === 'mapping' || context === 'simpleKey';
    this.#deeper(false, inMapping && !this.#indention, () => {
      for (const item of node.items) {
        this.#writeIndent();
        this.#indicator('-', true, false, true);
        this.#node(item, 'sequence');
      }
    });
  }

  #blockMapping(node: MappingNode): void {
    this.#deeper(false, false, () => {
      for (const [key, value] of node.entries) {
        this.#writeIndent();
        if (this.#isSimpleKey(key)) {
          this.#node(key, 'simpleKey');
          this.#indicator(':', false);
        } else {
          this.#indicator('?', true, false, true);
          this.#node(key, 'mapping');
          this.#writeIndent();
          this.#indicator(':', true, false, true);
        }
        this.#node(value, 'mapping');
      }
    });
  }

  #flowSequence(node: SequenceNode): void {
    this.#indicator('[', true, true);
    this.#flowLevel++;
    this.#deeper(true, false, () => {
      for (const [i, item] of node.items.entries()) {
        if (i > 0) this.#indicator(',', false);
        if (this.#column > this.#settings.width) this.#writeIndent();
        this.#node(item, 'sequence');
      }
    });
    this.#flowLevel--;
    this.#indicator(']', false);
  }

  #flowMapping(node: MappingNode): void {
    this.#indicator('{', true, true);
    this.#flowLevel++;
    this.#deeper(true, false, () => {
      for (const [i, [key, value]] of node.entries.entries()) {
        if (i > 0) this.#indicator(',', false);
        this.#flowEntry(key, value);
      }
    });
    this.#flowLevel--;
    this.#indicator('}', false);
  }

  #flowEntry(key: Node, value: Node): void {
    if (this.#column > this.#settings.width) this.#writeIndent();
    if (this.#isSimpleKey(key)) {
      this.#node(key, 'simpleKey');
      this.#indicator(':', false);
    } else {
      this.#indicator('?', true);
      this.#node(key, 'mapping');
      if (this.#column > this.#settings.width) this.#writeIndent();
      this.#indicator(':', true);
    }
    this.#node(value, 'mapping');
  }

  /** A key that fits before a colon on one line. Its length counts in bytes. */
  #isSimpleKey(node: Node): boolean {
    const anchorBytes = node.anchor?.length ?? 0;
    switch (node.kind) {
      case 'alias':
        return anchorBytes <= MAX_SIMPLE_KEY_BYTES;
      case 'scalar':
        if (analyzeScalar(node.text, this.#settings.allowUnicode).multiline) return false;
        return anchorBytes + (node.tag?.length ?? 0) + Buffer.byteLength(node.text) <= MAX_SIMPLE_KEY_BYTES;
      case 'sequence':
        return node.items.length === 0;
      case 'mapping':
        return node.entries.length === 0;
    }
  }

  #scalar(node: ScalarNode, context: Context): void {
    const analysis = analyzeScalar(node.text, this.#settings.allowUnicode);
    const style = this.#style(node, analysis, context === 'simpleKey');
    if (node.anchor) this.#mark(`&${node.anchor}`);
    if (node.tag) this.#mark(node.tag);
    else if (style !== 'plain' && !node.isText) this.#mark('!');
    const fold = context !== 'simpleKey';
    this.#deeper(true, false, () => {
      if (style === 'plain') this.#plain(node.text, fold);
      else if (style === 'single') this.#singleQuoted(node.text, fold);
      else if (style === 'double') this.#doubleQuoted(node.text, fold);
      else this.#literal(node.text);
    });
  }

  #style(
    node: ScalarNode,
    analysis: ScalarAnalysis,
    simpleKey: boolean,
  ): 'plain' | 'single' | 'double' | 'literal' {
    if (simpleKey && analysis.multiline) return 'double';
    if (node.literal) {
      return analysis.block && this.#flowLevel === 0 && !simpleKey ? 'literal' : 'double';
    }
    const inFlow = this.#flowLevel > 0;
    const plainAllowed = inFlow ? analysis.flowPlain : analysis.blockPlain;
    const emptyForbidden = node.text === '' && (inFlow || simpleKey);
    if (plainAllowed && !emptyForbidden && !node.quoted) return 'plain';
    return analysis.singleQuoted ? 'single' : 'double';
  }

  #plain(text: string, fold: boolean): void {
    if (!this.#whitespace && text !== '') this.#put(' ');
    this.#flowing(text, fold, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #singleQuoted(text: string, fold: boolean): void {
    this.#indicator("'", true);
    if (this.#flowing(text, fold, true)) this.#writeIndent();
    this.#indicator("'", false);
    this.#whitespace = false;
    this.#indention = false;
  }

  /** Text of the plain and single-quoted styles. @returns whether it ended with a line end */
  #flowing(text: string, fold: boolean, quoted: boolean): boolean {
    let spaces = false;
    let breaks = false;
    for (let i = 0; i < text.length; i++) {
      const char = text.charAt(i);
      if (char === ' ') {
        if (fold && !spaces && this.#mayFold(text, i, quoted) && text.charAt(i + 1) !== ' ')
          this.#writeIndent();
        else this.#put(char);
        spaces = true;
      } else if (isBreak(char)) {
        if (!breaks && char === '\n') this.#lineBreak();
        this.#lineBreak(char);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#writeIndent();
        const end = runEnd(text, i);
        this.#put(quoted ? text.slice(i, end).replaceAll("'", "''") : text.slice(i, end));
        i = end - 1;
        this.#indention = false;
        spaces = breaks = false;
      }
    }
    return breaks;
  }

  #mayFold(text: string, i: number, quoted: boolean): boolean {
    if (this.#column <= this.#settings.width) return false;
    return !quoted || (i > 0 && i < text.length - 1);
  }

  #doubleQuoted(text: string, fold: boolean): void {
    this.#indicator('"', true);
    let spaces = false;
    for (let i = 0; i < text.length; i++) {
      const char = text.charAt(i);
      if (char === ' ') {
        if (fold && !spaces && this.#mayFold(text, i, true)) {
          this.#writeIndent();
          if (text.charAt(i + 1) === ' ') this.#put('\\');
        } else this.#put(char);
        spaces = true;
        continue;
      }
      const code = text.codePointAt(i) ?? 0;
      if (code > 0xffff) i++;
      this.#put(this.#mustEscape(code) ? escapeCode(code) : char);
      spaces = false;
    }
    this.#indicator('"', false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #mustEscape(code: number): boolean {
    if (code === 0x22 || code === 0x5c || code === 0x0a || code === 0x2028 || code === 0x2029) return true;
    return !isPrintable(code) || (code > 0x7f && !this.#settings.allowUnicode);
  }

  #literal(text: string): void {
    this.#indicator('|', true);
    if (text !== '' && (text.startsWith(' ') || isBreak(text.charAt(0)))) {
      this.#indicator(String(this.#settings.indent), false);
    }
    if (!isBreak(text.charAt(text.length - 1))) this.#indicator('-', false);
    else if (text.length === 1 || isBreak(text.charAt(text.length - 2))) this.#indicator('+', false);
    this.#lineBreak();
    this.#indention = true;
    this.#whitespace = true;
    let breaks = true;
    for (const char of text) {
      if (isBreak(char)) {
        this.#lineBreak(char);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#writeIndent();
        this.#put(char);
        this.#indention = false;
        breaks = false;
      }
    }
  }
}

/** Where the run of characters without space or line end that begins at `start` ends. */
function runEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== ' ' && !isBreak(text.charAt(end))) end++;
  return end;
}

function escapeCode(code: number): string {
  const named = ESCAPES.get(code);
  if (named !== undefined) return `\\${named}`;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
