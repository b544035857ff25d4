/** Expressions (jinja2/parser.py 3.1). */
import type {
  BinaryOperator,
  CallArguments,
  CallExpr,
  CompareOperator,
  Expr,
  NameExpr,
  AssignTarget,
} from './ast.ts';
import { TemplateSyntaxError } from './errors.ts';
import { describeToken } from './lexer.ts';
import { quoted, type TokenStream } from './token-stream.ts';

const COMPARE = new Set<string>(['eq', 'ne', 'lt', 'lteq', 'gt', 'gteq']);
const SUMS = new Set<string>(['add', 'sub']);
const PRODUCTS = new Set<string>(['mul', 'div', 'floordiv', 'mod']);
const TEST_ARGUMENT = new Set(['name', 'string', 'integer', 'float', 'lparen', 'lbracket', 'lbrace']);
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
const NO_ARGUMENTS: CallArguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined };
const DEPTH_MAX = 180;

/** What `tuple` reads. */
export interface TupleOptions {
  /** Only names and literals, as for a target. */
  readonly simplified?: boolean;
  /** Without `a if b else c`. */
  readonly plain?: boolean;
  readonly parentheses?: boolean;
}

/** Reads expressions from a stream of tokens. */
export class ExpressionParser {
  readonly stream: TokenStream;
  #depth = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** @throws TemplateSyntaxError at the current line, or the one given */
  fail(message: string, line = this.stream.current.line): never {
    throw new TemplateSyntaxError(message, line);
  }

  expression(plain = false): Expr {
    if (++this.#depth > DEPTH_MAX) this.fail('expressions are nested too deep');
    const expr = plain ? this.#or() : this.#conditional();
    this.#depth--;
    return expr;
  }

  /** One expression, or several with commas between them. */
  tuple(options: TupleOptions = {}): Expr {
    const { stream } = this;
    let { line } = stream.current;
    const items: Expr[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) stream.expect('comma');
      if (this.#isTupleEnd()) break;
      items.push(options.simplified ? this.#primary() : this.expression(options.plain));
      if (!stream.is('comma')) break;
      isTuple = true;
      ({ line } = stream.current);
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    if (!isTuple && !options.parentheses)
      this.fail(`Expected an expression, got ${quoted(describeToken(stream.current))}`);
    return { t: 'Tuple', items, line };
  }

  /** A target of an assignment. */
  target(options: { readonly namespace?: boolean } = {}): AssignTarget {
    const { stream } = this;
    if (options.namespace && stream.nextIs('dot')) {
      const name = stream.expect('name');
      stream.take();
      return { t: 'NSRef', name: name.value, attr: stream.expect('name').value, line: name.line };
    }
    const expr = this.tuple({ simplified: true });
    return this.#asTarget(expr, expr);
  }

  nameTarget(): NameExpr {
    const token = this.stream.expect('name');
    return this.#checkedName({ t: 'Name', name: token.value, line: token.line });
  }

  #checkedName(name: NameExpr): NameExpr {
    if (CONSTANTS.has(name.name)) this.fail("can't assign to 'name'", name.line);
    return name;
  }

  #asTarget(expr: Expr, whole: Expr): AssignTarget {
    if (expr.t === 'Name') return this.#checkedName(expr);
    if (expr.t === 'Tuple')
      return { t: 'Tuple', items: expr.items.map((item) => this.#asTarget(item, whole)), line: expr.line };
    return this.fail(`can't assign to '${whole.t.toLowerCase()}'`, whole.line);
  }

  #isTupleEnd(): boolean {
    return this.stream.isAny(['variable_end', 'block_end', 'rparen']);
  }

  #conditional(): Expr {
    const { stream } = this;
    let { line } = stream.current;
    let expr = this.#or();
    while (stream.skipWord('if')) {
      const test = this.#or();
      const other = stream.skipWord('else') ? this.expression() : undefined;
      expr = { t: 'Cond', test, then: expr, other, line };
      ({ line } = stream.current);
    }
    return expr;
  }

  #or(): Expr {
    let { line } = this.stream.current;
    let left = this.#and();
    while (this.stream.skipWord('or')) {
      left = { t: 'Or', left, right: this.#and(), line };
      ({ line } = this.stream.current);
    }
    return left;
  }

  #and(): Expr {
    let { line } = this.stream.current;
    let left = this.#not();
    while (this.stream.skipWord('and')) {
      left = { t: 'And', left, right: this.#not(), line };
      ({ line } = this.stream.current);
    }
    return left;
  }

  #not(): Expr {
    if (!this.stream.isWord('not')) return this.#compare();
    const { line } = this.stream.take();
    return { t: 'Not', node: this.#not(), line };
  }

  #compare(): Expr {
    const { stream } = this;
    const { line } = stream.current;
    const first = this.#sum();
    const rest: (readonly [CompareOperator, Expr])[] = [];
    for (;;) {
      if (COMPARE.has(stream.current.type)) {
        const op = stream.take().type as CompareOperator;
        rest.push([op, this.#sum()]);
      } else if (stream.skipWord('in')) rest.push(['in', this.#sum()]);
      else if (stream.isWord('not') && stream.nextIsWord('in')) {
        stream.take();
        stream.take();
        rest.push(['notin', this.#sum()]);
      } else break;
    }
    return rest.length === 0 ? first : { t: 'Compare', first, rest, line };
  }

  #sum(): Expr {
    return this.#binary(SUMS, () => this.#concat());
  }

  #concat(): Expr {
    const { line } = this.stream.current;
    const items = [this.#product()];
    while (this.stream.skipIf('tilde')) items.push(this.#product());
    return items.length === 1 ? (items[0] as Expr) : { t: 'Concat', items, line };
  }

  #product(): Expr {
    return this.#binary(PRODUCTS, () => this.#power());
  }

  #binary(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    let { line } = this.stream.current;
    let left = operand();
    while (operators.has(this.stream.current.type)) {
      const op = this.stream.take().type as BinaryOperator;
      left = { t: 'Binary', op, left, right: operand(), line };
      ({ line } = this.stream.current);
    }
    return left;
  }

  #power(): Expr {
    let { line } = this.stream.current;
    let left = this.#unary();
    while (this.stream.skipIf('pow')) {
      left = { t: 'Binary', op: 'pow', left, right: this.#unary(), line };
      ({ line } = this.stream.current);
    }
    return left;
  }

  #unary(withFilter = true): Expr {
    const { stream } = this;
    const { type, line } = stream.current;
    if (type !== 'sub' && type !== 'add') {
      const node = this.postfix(this.#primary());
      return withFilter ? this.#filterExpr(node) : node;
    }
    stream.take();
    const node: Expr = { t: type === 'sub' ? 'Neg' : 'Pos', node: this.#unary(false), line };
    const whole = this.postfix(node);
    return withFilter ? this.#filterExpr(whole) : whole;
  }

  #primary(): Expr {
    const { stream } = this;
    const token = stream.current;
    const { line } = token;
    switch (token.type) {
      case 'name': {
        stream.take();
        const constant = CONSTANTS.get(token.value);
        return constant === undefined
          ? { t: 'Name', name: token.value, line }
          : { t: 'Const', value: constant, line };
      }
      case 'string': {
        let value = '';
        while (stream.is('string')) value += stream.take().value;
        return { t: 'Const', value, line };
      }
      case 'integer':
      case 'float':
        stream.take();
        return { t: 'Const', value: token.number ?? 0, line };
      case 'lparen': {
        stream.take();
        const node = this.tuple({ parentheses: true });
        stream.expect('rparen');
        return node;
      }
      case 'lbracket':
        return this.#list();
      case 'lbrace':
        return this.#dict();
      default:
        return this.fail(`unexpected ${quoted(describeToken(token))}`, line);
    }
  }

  #list(): Expr {
    const { line } = this.stream.expect('lbracket');
    const items: Expr[] = [];
    while (!this.stream.is('rbracket')) {
      if (items.length > 0) this.stream.expect('comma');
      if (this.stream.is('rbracket')) break;
      items.push(this.expression());
    }
    this.stream.expect('rbracket');
    return { t: 'List', items, line };
  }

  #dict(): Expr {
    const { line } = this.stream.expect('lbrace');
    const pairs: (readonly [Expr, Expr])[] = [];
    while (!this.stream.is('rbrace')) {
      if (pairs.length > 0) this.stream.expect('comma');
      if (this.stream.is('rbrace')) break;
      const key = this.expression();
      this.stream.expect('colon');
      pairs.push([key, this.expression()]);
    }
    this.stream.expect('rbrace');
    return { t: 'Dict', pairs, line };
  }

  /** What may follow a value: attributes, items, calls. */
  postfix(start: Expr): Expr {
    let node = start;
    for (;;) {
      const { type } = this.stream.current;
      if (type === 'dot' || type === 'lbracket') node = this.#subscript(node);
      else if (type === 'lparen') node = this.call(node);
      else return node;
    }
  }

  #filterExpr(start: Expr): Expr {
    let node = start;
    for (;;) {
      if (this.stream.is('pipe')) node = this.filter(node) ?? node;
      else if (this.stream.isWord('is')) node = this.#test(node);
      else if (this.stream.is('lparen')) node = this.call(node);
      else return node;
    }
  }

  #subscript(node: Expr): Expr {
    const { stream } = this;
    const token = stream.take();
    const { line } = token;
    if (token.type === 'dot') {
      const name = stream.take();
      if (name.type === 'name') return { t: 'Attr', node, name: name.value, line };
      if (name.type !== 'integer') this.fail('expected name or number', name.line);
      return { t: 'Item', node, key: { t: 'Const', value: name.number ?? 0, line: name.line }, line };
    }
    const keys: Expr[] = [];
    while (!stream.is('rbracket')) {
      if (keys.length > 0) stream.expect('comma');
      keys.push(this.#subscribed());
    }
    stream.expect('rbracket');
    const key: Expr = keys.length === 1 ? (keys[0] as Expr) : { t: 'Tuple', items: keys, line };
    return { t: 'Item', node, key, line };
  }

  #subscribed(): Expr {
    const { stream } = this;
    const { line } = stream.current;
    const parts: (Expr | undefined)[] = [];
    const isEnd = (): boolean => stream.isAny(['rbracket', 'comma']);
    if (stream.skipIf('colon')) parts.push(undefined);
    else {
      const node = this.expression();
      if (!stream.skipIf('colon')) return node;
      parts.push(node);
    }
    parts.push(stream.is('colon') || isEnd() ? undefined : this.expression());
    parts.push(stream.skipIf('colon') && !isEnd() ? this.expression() : undefined);
    return { t: 'Slice', parts, line };
  }

  call(node: Expr): CallExpr {
    const { line } = this.stream.current;
    return { t: 'Call', node, ...this.#arguments(), line };
  }

  #arguments(): CallArguments {
    const { stream } = this;
    const { line } = stream.expect('lparen');
    const args: Expr[] = [];
    const kwargs: (readonly [string, Expr])[] = [];
    let dynArgs: Expr | undefined;
    let dynKwargs: Expr | undefined;
    const ensure = (fine: boolean): void => {
      if (!fine) this.fail('invalid syntax for function call expression', line);
    };
    let isFirst = true;
    while (!stream.is('rparen')) {
      if (!isFirst) {
        stream.expect('comma');
        if (stream.is('rparen')) break;
      }
      isFirst = false;
      if (stream.skipIf('mul')) {
        ensure(dynArgs === undefined && dynKwargs === undefined);
        dynArgs = this.expression();
      } else if (stream.skipIf('pow')) {
        ensure(dynKwargs === undefined);
        dynKwargs = this.expression();
      } else if (stream.is('name') && stream.nextIs('assign')) {
        ensure(dynKwargs === undefined);
        const name = stream.take().value;
        stream.take();
        kwargs.push([name, this.expression()]);
      } else {
        ensure(dynArgs === undefined && dynKwargs === undefined && kwargs.length === 0);
        args.push(this.expression());
      }
    }
    stream.expect('rparen');
    return { args, kwargs, dynArgs, dynKwargs };
  }

  /** Filters behind `node`, or behind nothing: those of a block. @param inline the first stands without `|` */
  filter(node: Expr | undefined, inline = false): Expr | undefined {
    let out = node;
    let isInline = inline;
    while (this.stream.is('pipe') || isInline) {
      if (!isInline) this.stream.take();
      const { line } = this.stream.current;
      const name = this.#dottedName();
      const args = this.stream.is('lparen') ? this.#arguments() : NO_ARGUMENTS;
      out = { t: 'Filter', node: out, name, ...args, line };
      isInline = false;
    }
    return out;
  }

  #dottedName(): string {
    let name = this.stream.expect('name').value;
    while (this.stream.skipIf('dot')) name += `.${this.stream.expect('name').value}`;
    return name;
  }

  #test(node: Expr): Expr {
    const { stream } = this;
    const { line } = stream.take();
    const negated = stream.skipWord('not');
    const name = this.#dottedName();
    let args: CallArguments = NO_ARGUMENTS;
    if (stream.is('lparen')) args = this.#arguments();
    else if (TEST_ARGUMENT.has(stream.current.type) && !stream.isAny(['name:else', 'name:or', 'name:and'])) {
      if (stream.isWord('is')) this.fail('You cannot chain multiple tests with is');
      args = { ...NO_ARGUMENTS, args: [this.postfix(this.#primary())] };
    }
    const test: Expr = { t: 'Test', node, name, ...args, line };
    return negated ? { t: 'Not', node: test, line } : test;
  }
}
