/** JavaScript for expressions. */
import { PyFloat, type Value } from '../../python/values/value.ts';
import type { BinaryOperator, CallArguments, CallExpr, CompareOperator, Expr, FilterExpr } from './ast.ts';
import type { Symbols } from './symbols.ts';

/** Where code is generated for: the names in reach, and where output goes. */
export interface Frame {
  readonly symbols: Symbols;
  /** The variable that collects the output. */
  readonly out: string;
  /** Names set here become variables of the template. */
  readonly toplevel: boolean;
  /** Output is dropped once the template has a parent. */
  readonly checksParent: boolean;
  /** Inside a condition: unknown filters fail only when they are used. */
  readonly soft: boolean;
}

/** A filter or test that must exist when the template is loaded. */
export interface Requirement {
  readonly kind: 'filter' | 'test';
  readonly name: string;
  readonly line: number;
}

const BINARY: Record<BinaryOperator, string> = {
  add: 'r.add',
  sub: 'r.sub',
  mul: 'r.mul',
  div: 'r.div',
  floordiv: 'r.floordiv',
  mod: 'r.mod',
  pow: 'r.pow',
};
const COMPARE: Record<CompareOperator, string> = {
  eq: 'r.eq',
  ne: 'r.ne',
  lt: 'r.lt',
  lteq: 'r.le',
  gt: 'r.gt',
  gteq: 'r.ge',
  in: 'r.isIn',
  notin: 'r.notIn',
};

/** A text as a JavaScript literal; the only way by which a template's words reach the generated code. */
export const literal = (text: string): string => JSON.stringify(text);

/** Generates expressions; knows nothing of statements. */
export class ExpressionGenerator {
  readonly requirements: Requirement[] = [];
  readonly #filters = new Map<string, string>();
  #counter = 0;
  /** The temporary variables of the function being generated. */
  protected temporaries: string[] = [];

  unique(prefix: string): string {
    return `${prefix}${++this.#counter}`;
  }

  #temporary(): string {
    const name = this.unique('t');
    this.temporaries.push(name);
    return name;
  }

  /** The declarations of the filters and tests used, for the head of the module. */
  protected filterDeclarations(): string {
    return [...this.#filters]
      .map(([key, id]) => {
        const [kind = '', name = ''] = key.split(':');
        return `const ${id}=env.${kind}(${literal(name)});`;
      })
      .join('');
  }

  /** Code that waits when a value is a promise. */
  protected settled(code: string): string {
    return `((t=${code}) instanceof Promise?yield t:t)`;
  }

  name(name: string, frame: Frame): string {
    const id = frame.symbols.find(name);
    if (id === undefined) return `r.undefinedName(cx,${literal(name)})`;
    return `(${id}===M?r.undefinedName(cx,${literal(name)}):${id})`;
  }

  expr(expr: Expr, frame: Frame): string {
    switch (expr.t) {
      case 'Name':
        return this.name(expr.name, frame);
      case 'Const':
        return constant(expr.value);
      case 'Data':
        return literal(expr.text);
      case 'Tuple':
        return `r.tuple([${this.#list(expr.items, frame)}])`;
      case 'List':
        return `[${this.#list(expr.items, frame)}]`;
      case 'Dict':
        return this.#dict(expr.pairs, frame);
      case 'Cond':
        return this.#conditional(expr, frame);
      case 'Filter':
      case 'Test':
        return this.filter(expr, expr.node ? this.expr(expr.node, frame) : literal(''), frame);
      case 'Call':
        return this.call(expr, frame);
      case 'Item':
        return this.#item(expr.node, expr.key, frame);
      case 'Attr':
        return this.settled(`r.getAttr(cx,${this.expr(expr.node, frame)},${literal(expr.name)})`);
      case 'Slice':
        return `r.makeSlice(${this.#slice(expr.parts, frame)})`;
      case 'Concat':
        return `env.checked(${expr.items.map((item) => this.text(item, frame)).join('+')})`;
      case 'Compare':
        return this.#compare(expr.first, expr.rest, frame);
      case 'Binary':
        return this.settled(
          `${BINARY[expr.op]}(${this.expr(expr.left, frame)},${this.expr(expr.right, frame)})`,
        );
      case 'And':
      case 'Or': {
        const left = this.#temporary();
        const test = `r.truthy(${left}=${this.expr(expr.left, frame)})`;
        const right = this.expr(expr.right, frame);
        return expr.t === 'And' ? `(${test}?${right}:${left})` : `(${test}?${left}:${right})`;
      }
      case 'Not':
        return `!r.truthy(${this.expr(expr.node, frame)})`;
      case 'Neg':
        return this.settled(`r.neg(${this.expr(expr.node, frame)})`);
      case 'Pos':
        return this.settled(`r.pos(${this.expr(expr.node, frame)})`);
    }
  }

  /** Code for an expression's text: as `str()` gives it, or as it is written into the output. */
  text(expr: Expr, frame: Frame, how: 'str' | 'printed' = 'str'): string {
    if (expr.t === 'Data') return literal(expr.text);
    return `r.${how}(${this.expr(expr, frame)})`;
  }

  /** Code for an expression's truth. */
  test(expr: Expr, frame: Frame): string {
    return `r.truthy(${this.expr(expr, frame)})`;
  }

  #list(items: readonly Expr[], frame: Frame): string {
    return items.map((item) => this.expr(item, frame)).join(',');
  }

  #dict(pairs: readonly (readonly [Expr, Expr])[], frame: Frame): string {
    const isPlain = pairs.every(([key]) => key.t === 'Const' && typeof key.value === 'string');
    const code = pairs
      .map(([key, value]) => `[${this.expr(key, frame)},${this.expr(value, frame)}]`)
      .join(',');
    return isPlain ? `new Map([${code}])` : this.settled(`r.dict([${code}])`);
  }

  #conditional(expr: Expr & { t: 'Cond' }, outer: Frame): string {
    const frame = { ...outer, soft: true };
    const other = expr.other
      ? this.expr(expr.other, frame)
      : `r.undefinedHint(${literal(`the inline if-expression on line ${expr.line} evaluated to false and no else section was defined.`)})`;
    return `(${this.test(expr.test, frame)}?${this.expr(expr.then, frame)}:${other})`;
  }

  /** A filter or test applied to the value that `input` is the code of. */
  filter(expr: FilterExpr, input: string, frame: Frame): string {
    const kind = expr.t === 'Filter' ? 'filter' : 'test';
    if (!frame.soft) this.requirements.push({ kind, name: expr.name, line: expr.line });
    if (kind === 'test' && expr.args.length === 0 && (expr.name === 'defined' || expr.name === 'undefined'))
      return `(r.isUndefined(${input})===${expr.name === 'undefined'})`;
    const key = `${kind}:${expr.name}`;
    let id = this.#filters.get(key);
    if (id === undefined) this.#filters.set(key, (id = this.unique('f')));
    const { args, kwargs } = this.#arguments(expr, frame, [input]);
    return this.settled(`${id}(${args},${kwargs},cx)`);
  }

  /** @param caller code of the macro that a call block hands over */
  call(expr: CallExpr, frame: Frame, caller?: string): string {
    const { node } = expr;
    const { args, kwargs } = this.#arguments(expr, frame, [], caller);
    if (node.t === 'Attr')
      return this.settled(
        `r.callAttr(cx,${this.expr(node.node, frame)},${literal(node.name)},${args},${kwargs})`,
      );
    return this.settled(`r.call(cx,${this.expr(node, frame)},${args},${kwargs})`);
  }

  #arguments(
    parts: CallArguments,
    frame: Frame,
    before: readonly string[],
    caller?: string,
  ): { args: string; kwargs: string } {
    const args = [...before, ...parts.args.map((arg) => this.expr(arg, frame))];
    if (parts.dynArgs) args.push(`...${this.settled(`r.iter(${this.expr(parts.dynArgs, frame)})`)}`);
    const named = parts.kwargs.map(([name, value]) => `[${literal(name)},${this.expr(value, frame)}]`);
    if (caller !== undefined) named.push(`["caller",${caller}]`);
    let kwargs = named.length > 0 ? `new Map([${named.join(',')}])` : 'undefined';
    if (parts.dynKwargs) kwargs = `r.mergeKwargs(${kwargs},${this.expr(parts.dynKwargs, frame)})`;
    return { args: `[${args.join(',')}]`, kwargs };
  }

  #item(node: Expr, key: Expr, frame: Frame): string {
    const object = this.expr(node, frame);
    if (key.t === 'Slice') return this.settled(`r.slice(cx,${object},${this.#slice(key.parts, frame)})`);
    return this.settled(`r.getItem(cx,${object},${this.expr(key, frame)})`);
  }

  #slice(parts: readonly (Expr | undefined)[], frame: Frame): string {
    return parts.map((part) => (part ? this.expr(part, frame) : 'null')).join(',');
  }

  #compare(first: Expr, rest: readonly (readonly [CompareOperator, Expr])[], frame: Frame): string {
    let left = this.expr(first, frame);
    const steps = rest.map(([op, other], i) => {
      let right = this.expr(other, frame);
      let next = right;
      if (i < rest.length - 1) {
        next = this.#temporary();
        right = `(${next}=${right})`;
      }
      const code = this.settled(`${COMPARE[op]}(${left},${right})`);
      left = next;
      return code;
    });
    return steps.length === 1 ? (steps[0] as string) : `(${steps.join('&&')})`;
  }
}

function constant(value: Value): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof PyFloat)
    return `r.float(${value.value === Infinity ? 'Infinity' : String(value.value)})`;
  return String(value);
}
