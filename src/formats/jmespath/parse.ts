/** JMESPath expressions (jmespath.org), read as jmespath 1.0 of Python reads them: a parser by binding powers. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { parseJson } from '../json/text.ts';
import type { Value } from '../../python/values/value.ts';

/** An expression that cannot be read, or a function that cannot work on its arguments. */
export class JmespathError extends BrineError {
  static override readonly errorCode: ErrorCode = 'query-invalid';
  override readonly name = 'JMESPathError';
}

export type Comparator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** An expression. */
export type Node =
  | { readonly type: 'identity' }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'literal'; readonly value: Value }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly parts: readonly (number | undefined)[] }
  | {
      readonly type: 'chain' | 'and' | 'or' | 'projection' | 'values';
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly type: 'flatten' | 'not' | 'reference'; readonly of: Node }
  | { readonly type: 'filter'; readonly left: Node; readonly right: Node; readonly condition: Node }
  | { readonly type: 'compare'; readonly how: Comparator; readonly left: Node; readonly right: Node }
  | { readonly type: 'list'; readonly items: readonly Node[] }
  | { readonly type: 'hash'; readonly items: readonly (readonly [string, Node])[] }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Node[] };

interface Token {
  readonly kind: string;
  readonly text: string;
  readonly value?: Value;
  readonly at: number;
}

const POWERS: Readonly<Record<string, number>> = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '{': 50,
  '[': 55,
  '(': 60,
};
/** A projection ends before operators that bind less. */
const PROJECTION_STOP = 10;
const DEPTH_MAX = 200;
const IDENTITY: Node = { type: 'identity' };
const TOKEN =
  /\s+|(?<name>[A-Za-z_]\w*)|(?<number>-?\d+)|(?<quoted>"(?:\\.|[^"\\])*")|(?<raw>'(?:\\.|[^'\\])*')|(?<literal>`(?:\\.|[^`\\])*`)|(?<mark>\[\?|\[\]|&&|\|\||==|!=|<=|>=|[.*@,:{}()[\]|&!<>])/uy;

function tokens(text: string): Token[] {
  const out: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw new JmespathError(
        `Bad jmespath expression: Unknown token ${text[at] ?? ''} at column ${at}: ${text}`,
      );
    const { name, number, quoted, raw, literal, mark } = groups;
    if (name !== undefined) out.push({ kind: 'name', text: name, at });
    else if (number !== undefined) out.push({ kind: 'number', text: number, at });
    else if (quoted !== undefined) out.push({ kind: 'quoted', text: String(json(quoted)), at });
    else if (raw !== undefined)
      out.push({
        kind: 'literal',
        text: raw,
        value: raw.slice(1, -1).replaceAll("\\'", "'").replaceAll('\\\\', '\\'),
        at,
      });
    else if (literal !== undefined)
      out.push({ kind: 'literal', text: literal, value: literalOf(literal), at });
    else if (mark !== undefined) out.push({ kind: mark, text: mark, at });
  }
  return [...out, { kind: 'end', text: '', at: text.length }];
}

function json(text: string): Value {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new JmespathError(`Bad jmespath expression: ${text} is no JSON`, { cause });
  }
}

/** What stands between backticks; text without quotes is text. */
function literalOf(token: string): Value {
  const inner = token.slice(1, -1).replaceAll('\\`', '`').trimStart();
  try {
    return parseJson(inner);
  } catch {
    return json(`"${inner}"`);
  }
}

/** Reads an expression. @throws JmespathError */
export function parseJmespath(text: string): Node {
  return new Parser(text).whole();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokens(text);
  }

  whole(): Node {
    const node = this.#expression(0);
    if (this.#kind() !== 'end') this.#fail();
    return node;
  }

  #kind(ahead = 0): string {
    return this.#tokens[this.#at + ahead]?.kind ?? 'end';
  }

  #next(): Token {
    return this.#tokens[this.#at++] as Token;
  }

  #expect(kind: string): Token {
    if (this.#kind() !== kind) this.#fail();
    return this.#next();
  }

  #fail(): never {
    const { text, at } = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] as Token;
    const what = text === '' ? 'Incomplete expression' : `Parse error at column ${at}, token "${text}"`;
    throw new JmespathError(`Invalid jmespath expression: ${what}: ${this.#text}`);
  }

  #expression(power: number): Node {
    if (++this.#depth > DEPTH_MAX) throw new JmespathError('The jmespath expression is nested too deeply.');
    let left = this.#prefix(this.#next());
    while (power < (POWERS[this.#kind()] ?? 0)) left = this.#infix(this.#next(), left);
    this.#depth--;
    return left;
  }

  #prefix(token: Token): Node {
    switch (token.kind) {
      case 'literal':
        return { type: 'literal', value: token.value ?? null };
      case 'name':
        return { type: 'field', name: token.text };
      case 'quoted':
        if (this.#kind() === '(') this.#fail();
        return { type: 'field', name: token.text };
      case '*':
        return {
          type: 'values',
          left: IDENTITY,
          right: this.#kind() === ']' ? IDENTITY : this.#projected('*'),
        };
      case '[?':
        return this.#filter(IDENTITY);
      case '{':
        return this.#hash();
      case '(': {
        const inner = this.#expression(0);
        this.#expect(')');
        return inner;
      }
      case '[]':
        return { type: 'projection', left: { type: 'flatten', of: IDENTITY }, right: this.#projected('[]') };
      case '!':
        return { type: 'not', of: this.#expression(45) };
      case '[':
        if (this.#kind() === 'number' || this.#kind() === ':') return this.#index(IDENTITY);
        return this.#kind() === '*' && this.#kind(1) === ']' ? this.#star(IDENTITY) : this.#list();
      case '@':
        return IDENTITY;
      case '&':
        return { type: 'reference', of: this.#expression(0) };
      default:
        this.#at--;
        return this.#fail();
    }
  }

  #infix(token: Token, left: Node): Node {
    const power = POWERS[token.kind] ?? 0;
    switch (token.kind) {
      case '.':
        if (this.#kind() !== '*') return { type: 'chain', left, right: this.#afterDot(power) };
        this.#next();
        return { type: 'values', left, right: this.#projected('*') };
      case '|':
        return { type: 'chain', left, right: this.#expression(power) };
      case '||':
        return { type: 'or', left, right: this.#expression(power) };
      case '&&':
        return { type: 'and', left, right: this.#expression(power) };
      case '(':
        return this.#call(left);
      case '[?':
        return this.#filter(left);
      case '[]':
        return { type: 'projection', left: { type: 'flatten', of: left }, right: this.#projected('[]') };
      case '[':
        return this.#kind() === 'number' || this.#kind() === ':' ? this.#index(left) : this.#star(left);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { type: 'compare', how: token.kind, left, right: this.#expression(power) };
      default:
        this.#at--;
        return this.#fail();
    }
  }

  #call(left: Node): Node {
    if (left.type !== 'field') this.#fail();
    const args: Node[] = [];
    while (this.#kind() !== ')') {
      args.push(this.#expression(0));
      if (this.#kind() === ',') this.#next();
      else if (this.#kind() !== ')') this.#fail();
    }
    this.#expect(')');
    return { type: 'call', name: left.name, args };
  }

  #filter(left: Node): Node {
    const condition = this.#expression(0);
    this.#expect(']');
    return {
      type: 'filter',
      left,
      condition,
      right: this.#kind() === '[]' ? IDENTITY : this.#projected('[?'),
    };
  }

  #star(left: Node): Node {
    this.#expect('*');
    this.#expect(']');
    return { type: 'projection', left, right: this.#projected('*') };
  }

  #index(left: Node): Node {
    if (this.#kind() !== ':' && this.#kind(1) !== ':') {
      const index = Number(this.#expect('number').text);
      this.#expect(']');
      return { type: 'chain', left, right: { type: 'index', index } };
    }
    const parts: (number | undefined)[] = [undefined, undefined, undefined];
    for (let i = 0; this.#kind() !== ']';) {
      if (this.#kind() === ':') {
        if (++i > 2) this.#fail();
        this.#next();
      } else parts[i] = Number(this.#expect('number').text);
    }
    this.#expect(']');
    const sliced: Node = { type: 'chain', left, right: { type: 'slice', parts } };
    return { type: 'projection', left: sliced, right: this.#projected('*') };
  }

  #projected(mark: string): Node {
    const power = POWERS[mark] ?? 0;
    const kind = this.#kind();
    if ((POWERS[kind] ?? 0) < PROJECTION_STOP) return IDENTITY;
    if (kind === '[' || kind === '[?') return this.#expression(power);
    if (kind !== '.') this.#fail();
    this.#next();
    return this.#afterDot(power);
  }

  #afterDot(power: number): Node {
    const kind = this.#kind();
    if (kind === 'name' || kind === 'quoted' || kind === '*') return this.#expression(power);
    if (kind !== '[' && kind !== '{') this.#fail();
    this.#next();
    return kind === '[' ? this.#list() : this.#hash();
  }

  #list(): Node {
    const items: Node[] = [];
    for (;;) {
      items.push(this.#expression(0));
      if (this.#kind() === ']') break;
      this.#expect(',');
    }
    this.#expect(']');
    return { type: 'list', items };
  }

  #hash(): Node {
    const items: [string, Node][] = [];
    for (;;) {
      if (this.#kind() !== 'name' && this.#kind() !== 'quoted') this.#fail();
      const { text } = this.#next();
      this.#expect(':');
      items.push([text, this.#expression(0)]);
      if (this.#kind() === '}') break;
      this.#expect(',');
    }
    this.#expect('}');
    return { type: 'hash', items };
  }
}
