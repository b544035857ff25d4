/** YAML text to tokens. The rules are those of libyaml 0.2.5 (YAML 1.1), which Salt's loader stands on. */
import {
  Cursor,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isIndicator,
  isSpaceOrEnd,
  type Mark,
  type YamlSource,
} from './cursor.ts';
import { scanBlock, scanPlain, scanQuoted } from './scan-scalar.ts';
import { scanAnchor, scanDirective, scanTag, type Directive, type RawTag } from './scan-tag.ts';

/** Tokens that are nothing but themselves. */
export type SimpleToken =
  | 'stream-end'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value';

/** One token with its place. */
export type Token = { readonly start: Mark; readonly end: Mark } & (
  | { readonly type: SimpleToken }
  | { readonly type: 'directive'; readonly directive: Directive }
  | { readonly type: 'anchor' | 'alias'; readonly name: string }
  | { readonly type: 'tag'; readonly tag: RawTag }
  | { readonly type: 'scalar'; readonly text: string; readonly plain: boolean }
);

/** A place where, should a `:` follow on the line, a key began. */
interface SimpleKey {
  readonly mark: Mark;
  /** number of the token that would be the key */
  readonly token: number;
  /** nothing but a key can stand here */
  readonly required: boolean;
}

/** Longest key that needs no `?`, characters. */
const MAX_KEY_LENGTH = 1024;

/** Hands out the tokens of a text one by one. */
export class Scanner {
  readonly #cursor: Cursor;
  #tokens: Token[] = [];
  /** tokens of the list that were handed out */
  #head = 0;
  /** the first token is certain */
  #ready = false;
  /** tokens already handed out */
  #taken = 0;
  /** column of the block collection around the cursor, -1 for none */
  #indent = -1;
  #indents: number[] = [];
  #flowLevel = 0;
  #keyAllowed = true;
  /** one for each level of brackets, and one for outside */
  #keys: (SimpleKey | undefined)[] = [undefined];
  /** how many of them are set */
  #pendingKeys = 0;
  #ended = false;

  constructor(source: YamlSource) {
    this.#cursor = new Cursor(source);
  }

  /** The next token, which stays the next one. */
  peek(): Token {
    if (!this.#ready) {
      while (this.#needsMore()) this.#fetch();
      this.#ready = true;
    }
    return this.#tokens[this.#head] as Token;
  }

  /** The next token. */
  take(): Token {
    const token = this.peek();
    this.#ready = false;
    this.#taken++;
    if (++this.#head === this.#tokens.length) {
      this.#tokens = [];
      this.#head = 0;
    }
    return token;
  }

  /** A token may only go out once it is certain that no key starts before it. */
  #needsMore(): boolean {
    if (this.#head === this.#tokens.length) return !this.#ended;
    if (this.#pendingKeys === 0) return false;
    this.#dropStaleKeys();
    return !this.#ended && this.#keys.some((key) => key?.token === this.#taken);
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#dropStaleKeys();
    this.#unrollIndent(cursor.column);
    const code = cursor.code();
    if (code === 0) return this.#fetchEnd();
    if (cursor.column === 0 && code === 0x25) return this.#fetchDirective();
    if (cursor.atDocumentMarker())
      return this.#fetchMarker(code === 0x2d ? 'document-start' : 'document-end');
    const next = cursor.code(1);
    const flow = this.#flowLevel > 0;
    switch (code) {
      case 0x5b: // [
        return this.#fetchFlowStart('flow-sequence-start');
      case 0x7b: // {
        return this.#fetchFlowStart('flow-mapping-start');
      case 0x5d: // ]
        return this.#fetchFlowEnd('flow-sequence-end');
      case 0x7d: // }
        return this.#fetchFlowEnd('flow-mapping-end');
      case 0x2c: // ,
        return this.#fetchFlowEntry();
      case 0x2d: // -
        if (isSpaceOrEnd(next)) return this.#fetchBlockEntry();
        break;
      case 0x3f: // ?
        if (flow || isSpaceOrEnd(next)) return this.#fetchKey();
        break;
      case 0x3a: // :
        if (flow || isSpaceOrEnd(next)) return this.#fetchValue();
        break;
      case 0x2a: // *
        return this.#fetchAnchor('alias');
      case 0x26: // &
        return this.#fetchAnchor('anchor');
      case 0x21: // !
        return this.#fetchTag();
      case 0x7c: // |
      case 0x3e: // >
        if (!flow) return this.#fetchBlockScalar(code === 0x7c);
        break;
      case 0x27: // '
      case 0x22: // "
        return this.#fetchQuoted();
      default:
        break;
    }
    if (!this.#startsPlain(code, next)) {
      throw cursor.error('found character that cannot start any token', [
        'while scanning for the next token',
        cursor.mark(),
      ]);
    }
    this.#fetchPlain();
  }

  #startsPlain(code: number, next: number): boolean {
    if (code === 0x2d) return !isBlank(next);
    if (code === 0x3f || code === 0x3a) return this.#flowLevel === 0 && !isSpaceOrEnd(next);
    return !isSpaceOrEnd(code) && !isIndicator(code);
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      const tabs = this.#flowLevel > 0 || !this.#keyAllowed;
      // files glued together may hold byte order marks at the start of a line
      if (cursor.column === 0 && cursor.code() === 0xfeff) cursor.skip();
      while (cursor.code() === 0x20 || (tabs && cursor.code() === 0x09)) cursor.skip();
      if (cursor.code() === 0x23) while (!isBreakOrEnd(cursor.code())) cursor.skip();
      if (!isBreak(cursor.code())) return;
      cursor.readBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  #push(type: SimpleToken, start: Mark): void {
    this.#tokens.push({ type, start, end: this.#cursor.mark() });
  }

  /** Takes one character as a token. */
  #pushIndicator(type: SimpleToken): void {
    const start = this.#cursor.mark();
    this.#cursor.skip();
    this.#push(type, start);
  }

  #fetchEnd(): void {
    const cursor = this.#cursor;
    if (cursor.column !== 0) {
      cursor.column = 0;
      cursor.line++;
    }
    this.#unrollIndent(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#push('stream-end', cursor.mark());
    this.#ended = true;
  }

  #fetchDirective(): void {
    this.#unrollIndent(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    const directive = scanDirective(this.#cursor);
    this.#tokens.push({ type: 'directive', directive, start, end: this.#cursor.mark() });
  }

  #fetchMarker(type: SimpleToken): void {
    this.#unrollIndent(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    this.#cursor.skip(3);
    this.#push(type, start);
  }

  #fetchFlowStart(type: SimpleToken): void {
    this.#saveKey();
    this.#keys.push(undefined);
    this.#flowLevel++;
    this.#keyAllowed = true;
    this.#pushIndicator(type);
  }

  #fetchFlowEnd(type: SimpleToken): void {
    this.#dropKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#keys.pop();
    }
    this.#keyAllowed = false;
    this.#pushIndicator(type);
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    this.#pushIndicator('flow-entry');
  }

  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed('block sequence entries are not allowed in this context');
      this.#rollIndent(this.#cursor.column, 'block-sequence-start', this.#cursor.mark());
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#pushIndicator('block-entry');
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed('mapping keys are not allowed in this context');
      this.#rollIndent(this.#cursor.column, 'block-mapping-start', this.#cursor.mark());
    }
    this.#dropKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#pushIndicator('key');
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1);
    if (key) {
      this.#tokens.splice(this.#head + key.token - this.#taken, 0, {
        type: 'key',
        start: key.mark,
        end: key.mark,
      });
      this.#rollIndent(key.mark.column, 'block-mapping-start', key.mark, key.token);
      this.#forgetKey(this.#keys.length - 1);
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        this.#requireKeyAllowed('mapping values are not allowed in this context');
        this.#rollIndent(this.#cursor.column, 'block-mapping-start', this.#cursor.mark());
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#pushIndicator('value');
  }

  #requireKeyAllowed(reason: string): void {
    if (!this.#keyAllowed) throw this.#cursor.error(reason);
  }

  #fetchAnchor(type: 'anchor' | 'alias'): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    const name = scanAnchor(this.#cursor, type);
    this.#tokens.push({ type, name, start, end: this.#cursor.mark() });
  }

  #fetchTag(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    const tag = scanTag(this.#cursor, this.#flowLevel > 0);
    this.#tokens.push({ type: 'tag', tag, start, end: this.#cursor.mark() });
  }

  #fetchBlockScalar(literal: boolean): void {
    this.#dropKey();
    this.#keyAllowed = true;
    const start = this.#cursor.mark();
    const text = scanBlock(this.#cursor, literal, this.#indent);
    this.#pushScalar(text, false, start);
  }

  #fetchQuoted(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    const text = scanQuoted(this.#cursor);
    this.#pushScalar(text, false, start);
  }

  #fetchPlain(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    const { text, lineEnded } = scanPlain(this.#cursor, this.#indent + 1, this.#flowLevel > 0);
    if (lineEnded) this.#keyAllowed = true;
    this.#pushScalar(text, true, start);
  }

  #pushScalar(text: string, plain: boolean, start: Mark): void {
    this.#tokens.push({ type: 'scalar', text, plain, start, end: this.#cursor.mark() });
  }

  /** Remembers that a key may start here. */
  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const mark = this.#cursor.mark();
    const required = this.#flowLevel === 0 && this.#indent === mark.column;
    this.#dropKey();
    this.#keys[this.#keys.length - 1] = { mark, token: this.#nextTokenNumber(), required };
    this.#pendingKeys++;
  }

  #nextTokenNumber(): number {
    return this.#taken + this.#tokens.length - this.#head;
  }

  /** Gives up the place of this level where a key may have started. */
  #dropKey(): void {
    const key = this.#keys[this.#keys.length - 1];
    if (!key) return;
    this.#refuseIfRequired(key);
    this.#forgetKey(this.#keys.length - 1);
  }

  #forgetKey(level: number): void {
    this.#keys[level] = undefined;
    this.#pendingKeys--;
  }

  /** A key without `?` must end on its line and within its length. */
  #dropStaleKeys(): void {
    if (this.#pendingKeys === 0) return;
    const { line, offset } = this.#cursor;
    for (let level = 0; level < this.#keys.length; level++) {
      const key = this.#keys[level];
      if (!key || (key.mark.line === line && key.mark.offset + MAX_KEY_LENGTH >= offset)) continue;
      this.#refuseIfRequired(key);
      this.#forgetKey(level);
    }
  }

  #refuseIfRequired(key: SimpleKey): void {
    if (key.required) {
      throw this.#cursor.error("could not find expected ':'", ['while scanning a simple key', key.mark]);
    }
  }

  /** Opens a block collection when the column lies deeper than the one around it. */
  #rollIndent(column: number, type: SimpleToken, mark: Mark, beforeToken?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    const token: Token = { type, start: mark, end: mark };
    if (beforeToken === undefined) this.#tokens.push(token);
    else this.#tokens.splice(this.#head + beforeToken - this.#taken, 0, token);
  }

  /** Closes block collections that lie deeper than the column. */
  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end', this.#cursor.mark());
      this.#indent = this.#indents.pop() ?? -1;
    }
  }
}
