/**
 * Statements and whole templates (jinja2/parser.py, jinja2/ext.py 3.1; 3006.16 salt/utils/jinja.py
 * `SerializerExtension`).
 */
import type { Body, CallBlockStmt, Expr, IfStmt, NameExpr, Signature, Stmt } from './ast.ts';
import { describeExpected, tokenize, type Tokens } from './lexer.ts';
import { ExpressionParser } from './parse-expression.ts';
import type { JinjaOptions } from './options.ts';
import { quoted, TokenStream } from './token-stream.ts';

const DEPTH_MAX = 200;

/** Reads a template. @throws TemplateSyntaxError */
export function parseTemplate(source: string, options: JinjaOptions): Body {
  return parseTokens(tokenize(source, options));
}

/** Reads the tokens of a template. @throws TemplateSyntaxError */
export function parseTokens(tokens: Tokens): Body {
  return new StatementParser(new TokenStream(tokens)).template();
}

type Parse = (line: number) => Stmt | readonly Stmt[];

class StatementParser extends ExpressionParser {
  readonly #tags: string[] = [];
  readonly #ends: (readonly string[])[] = [];
  #identifiers = 0;

  readonly #statements: ReadonlyMap<string, Parse> = new Map<string, Parse>([
    ['for', (line) => this.#for(line)],
    ['if', (line) => this.#if(line)],
    ['block', (line) => this.#block(line)],
    ['extends', (line) => ({ t: 'Extends', template: this.expression(), line })],
    ['print', (line) => this.#print(line)],
    ['macro', (line) => this.#macro(line)],
    ['include', (line) => this.#include(line)],
    ['from', (line) => this.#from(line)],
    ['import', (line) => this.#import(line)],
    ['set', (line) => this.#set(line)],
    ['with', (line) => this.#with(line)],
    ['autoescape', (line) => this.#autoescape(line)],
    ['call', (line) => this.#callBlock(line)],
    ['filter', (line) => this.#filterBlock(line)],
    ['do', (line) => ({ t: 'Do', node: this.tuple(), line })],
    ['break', (line) => ({ t: 'Break', line })],
    ['continue', (line) => ({ t: 'Continue', line })],
    ['load_yaml', (line) => this.#load('load_yaml', line)],
    ['load_json', (line) => this.#load('load_json', line)],
    ['load_text', (line) => this.#load('load_text', line)],
    ['import_yaml', (line) => this.#importData('yaml', line)],
    ['import_json', (line) => this.#importData('json', line)],
    ['import_text', (line) => this.#importData('text', line)],
    ['profile', (line) => this.#profile(line)],
  ]);

  template(): Body {
    return this.#body();
  }

  #body(ends?: readonly string[]): Stmt[] {
    const { stream } = this;
    const out: Stmt[] = [];
    let items: Expr[] = [];
    const flush = (): void => {
      const [first] = items;
      if (first !== undefined) out.push({ t: 'Output', items, line: first.line });
      items = [];
    };
    if (ends) this.#ends.push(ends);
    if (this.#ends.length > DEPTH_MAX) this.fail('blocks are nested too deep');
    while (!stream.atEnd) {
      const token = stream.take();
      if (token.type === 'data') items.push({ t: 'Data', text: token.value, line: token.line });
      else if (token.type === 'variable_begin') {
        items.push(this.tuple());
        stream.expect('variable_end');
      } else {
        flush();
        if (ends && stream.isAny(ends)) {
          this.#ends.pop();
          return out;
        }
        out.push(...this.#statement());
        stream.expect('block_end');
      }
    }
    flush();
    if (ends) this.#ends.pop();
    return out;
  }

  #statement(): readonly Stmt[] {
    const token = this.stream.current;
    if (token.type !== 'name') this.fail('tag name expected', token.line);
    const parse = this.#statements.get(token.value);
    if (!parse) return this.#failAtEnd(token.value, this.#ends, token.line);
    this.#tags.push(token.value);
    this.stream.take();
    const parsed = parse(token.line);
    this.#tags.pop();
    return 't' in parsed ? [parsed] : parsed;
  }

  /** The body of a block up to one of the tags that end it; that tag is the current token then. */
  #until(ends: readonly string[], drop = false): Body {
    this.stream.skipIf('colon');
    this.stream.expect('block_end');
    const body = this.#body(ends);
    if (this.stream.atEnd) this.#failAtEnd(undefined, [...this.#ends, ends]);
    if (drop) this.stream.take();
    return body;
  }

  #failAtEnd(name: string | undefined, stack: readonly (readonly string[])[], line?: number): never {
    const expected = new Set(stack.flat().map(describeExpected));
    const innermost = stack.at(-1);
    const looking = innermost?.map((end) => quoted(describeExpected(end))).join(' or ');
    const message = [
      name === undefined ? 'Unexpected end of template.' : `Encountered unknown tag ${quoted(name)}.`,
    ];
    if (looking !== undefined) {
      message.push(
        name !== undefined && expected.has(name)
          ? `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
          : `Jinja was looking for the following tags: ${looking}.`,
      );
    }
    const tag = this.#tags.at(-1);
    if (tag !== undefined) message.push(`The innermost block that needs to be closed is ${quoted(tag)}.`);
    return this.fail(message.join(' '), line);
  }

  #set(line: number): Stmt {
    const target = this.target({ namespace: true });
    if (this.stream.skipIf('assign')) return { t: 'Assign', target, value: this.tuple(), line };
    const filter = this.filter(undefined);
    return { t: 'AssignBlock', target, filter, body: this.#until(['name:endset'], true), line };
  }

  #for(line: number): Stmt {
    const { stream } = this;
    const target = this.target();
    stream.expect('name:in');
    const iter = this.tuple({ plain: true });
    const test = stream.skipWord('if') ? this.expression() : undefined;
    const recursive = stream.skipWord('recursive');
    const body = this.#until(['name:endfor', 'name:else']);
    const other = stream.take().value === 'endfor' ? [] : this.#until(['name:endfor'], true);
    return { t: 'For', target, iter, test, body, other, recursive, line };
  }

  #if(line: number): IfStmt {
    const { stream } = this;
    const test = this.tuple({ plain: true });
    const body = this.#until(['name:elif', 'name:else', 'name:endif']);
    const elifs: IfStmt[] = [];
    for (;;) {
      const token = stream.take();
      if (token.value === 'elif') {
        const at = stream.current.line;
        const branch = this.tuple({ plain: true });
        const inner = this.#until(['name:elif', 'name:else', 'name:endif']);
        elifs.push({ t: 'If', test: branch, body: inner, elifs: [], other: [], line: at });
      } else {
        const other = token.value === 'else' ? this.#until(['name:endif'], true) : [];
        return { t: 'If', test, body, elifs, other, line };
      }
    }
  }

  #with(line: number): Stmt {
    const targets = [];
    const values: Expr[] = [];
    while (!this.stream.is('block_end')) {
      if (targets.length > 0) this.stream.expect('comma');
      targets.push(this.target());
      this.stream.expect('assign');
      values.push(this.expression());
    }
    return { t: 'With', targets, values, body: this.#until(['name:endwith'], true), line };
  }

  #autoescape(line: number): Stmt {
    this.expression();
    return { t: 'Scope', body: this.#until(['name:endautoescape'], true), line };
  }

  #block(line: number): Stmt {
    const { stream } = this;
    const name = stream.expect('name').value;
    const scoped = stream.skipWord('scoped');
    const required = stream.skipWord('required');
    if (stream.is('sub'))
      this.fail(
        'Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.',
      );
    const body = this.#until(['name:endblock'], true);
    const isBlank = (stmt: Stmt): boolean =>
      stmt.t === 'Output' && stmt.items.every((item) => item.t === 'Data' && /^\s+$/.test(item.text));
    if (required && !body.every(isBlank))
      this.fail('Required blocks can only contain comments or whitespace');
    stream.skipWord(name);
    return { t: 'Block', name, scoped, required, body, line };
  }

  #importContext(fallback: boolean): boolean {
    const { stream } = this;
    if (!stream.isAny(['name:with', 'name:without']) || !stream.nextIsWord('context')) return fallback;
    const withContext = stream.take().value === 'with';
    stream.take();
    return withContext;
  }

  #include(line: number): Stmt {
    const { stream } = this;
    const template = this.expression();
    const ignoreMissing = stream.isWord('ignore') && stream.nextIsWord('missing');
    if (ignoreMissing) {
      stream.take();
      stream.take();
    }
    return { t: 'Include', template, ignoreMissing, withContext: this.#importContext(true), line };
  }

  #import(line: number): Stmt & { t: 'Import' } {
    const template = this.expression();
    this.stream.expect('name:as');
    const target = this.nameTarget().name;
    return { t: 'Import', template, target, withContext: this.#importContext(false), line };
  }

  #from(line: number): Stmt {
    const { stream } = this;
    const template = this.expression();
    stream.expect('name:import');
    const names: (readonly [string, string])[] = [];
    let withContext: boolean | undefined;
    const context = (): boolean => {
      if (!stream.isAny(['name:with', 'name:without']) || !stream.nextIsWord('context')) return false;
      withContext = this.#importContext(false);
      return true;
    };
    for (;;) {
      if (names.length > 0) stream.expect('comma');
      if (!stream.is('name')) stream.expect('name');
      if (context()) break;
      const name = this.nameTarget();
      if (name.name.startsWith('_'))
        this.fail('names starting with an underline can not be imported', name.line);
      names.push([name.name, stream.skipWord('as') ? this.nameTarget().name : name.name]);
      if (context() || !stream.is('comma')) break;
    }
    return { t: 'FromImport', template, names, withContext: withContext ?? false, line };
  }

  #signature(): Signature {
    const { stream } = this;
    const params: NameExpr[] = [];
    const defaults: Expr[] = [];
    stream.expect('lparen');
    while (!stream.is('rparen')) {
      if (params.length > 0) stream.expect('comma');
      const param = this.nameTarget();
      if (stream.skipIf('assign')) defaults.push(this.expression());
      else if (defaults.length > 0) this.fail('non-default argument follows default argument');
      params.push(param);
    }
    stream.expect('rparen');
    return { params, defaults };
  }

  #callBlock(line: number): CallBlockStmt {
    const signature = this.stream.is('lparen') ? this.#signature() : { params: [], defaults: [] };
    const call = this.expression();
    if (call.t !== 'Call') return this.fail('expected call', line);
    return { t: 'CallBlock', ...signature, call, body: this.#until(['name:endcall'], true), line };
  }

  #filterBlock(line: number): Stmt {
    const filter = this.filter(undefined, true) as Expr;
    return { t: 'FilterBlock', filter, body: this.#until(['name:endfilter'], true), line };
  }

  #macro(line: number): Stmt {
    const { name } = this.nameTarget();
    return { t: 'Macro', name, ...this.#signature(), body: this.#until(['name:endmacro'], true), line };
  }

  #print(line: number): Stmt {
    const items: Expr[] = [];
    while (!this.stream.is('block_end')) {
      if (items.length > 0) this.stream.expect('comma');
      items.push(this.expression());
    }
    return { t: 'Output', items, line };
  }

  /** `{% load_yaml as x %}…{% endload %}`: the text of the body, loaded, becomes the variable. */
  #load(filter: string, line: number): readonly Stmt[] {
    this.stream.expect('name:as');
    const target = this.target();
    const name = `_fi${++this.#identifiers}`;
    const body = this.#until(['name:endload'], true);
    const call: Expr = {
      t: 'Call',
      node: { t: 'Name', name, line },
      args: [],
      kwargs: [],
      dynArgs: undefined,
      dynKwargs: undefined,
      line,
    };
    return [
      { t: 'Macro', name, params: [], defaults: [], body, line },
      { t: 'Assign', target, value: filterCall(call, filter, line), line },
    ];
  }

  /** `{% import_yaml 'file' as x %}`: the file rendered, and loaded. */
  #importData(format: string, line: number): Stmt {
    const node = this.#import(line);
    const name: NameExpr = { t: 'Name', name: node.target, line };
    const body: Stmt[] = [
      node,
      { t: 'Assign', target: name, value: filterCall(name, `load_${format}`, line), line },
    ];
    return { t: 'Profile', label: node.template, what: `import_${format}`, body, line };
  }

  #profile(line: number): Stmt {
    this.stream.expect('name:as');
    const label = this.expression();
    return { t: 'Profile', label, what: 'profile block', body: this.#until(['name:endprofile'], true), line };
  }
}

function filterCall(node: Expr, name: string, line: number): Expr {
  return { t: 'Filter', node, name, args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined, line };
}
