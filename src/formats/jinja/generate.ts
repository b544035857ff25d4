/**
 * A template as the source of a JavaScript module (after jinja2/compiler.py 3.1). Each template, block and macro
 * becomes a generator function that yields only promises; everything that is not asynchronous runs without a pause. No
 * word of the template gets into the source but as a quoted literal, and variables have names of our own.
 */
import type { Body, CallBlockStmt, Expr, ForStmt, MacroStmt, Stmt, AssignTarget } from './ast.ts';
import { TemplateSyntaxError } from './errors.ts';
import { ExpressionGenerator, literal, type Frame, type Requirement } from './generate-expression.ts';
import { Symbols } from './symbols.ts';
import { blocksIn, hasStatement, undeclaredIn } from './walk.ts';

/** The generated code: the body of a function of `r` (runtime), `env`, `M` (missing) and `tpl` (the template). */
export interface GeneratedModule {
  readonly source: string;
  readonly requirements: readonly Requirement[];
}

/** @throws TemplateSyntaxError for what only shows when the whole template is known */
export function generateModule(body: Body): GeneratedModule {
  const generator = new StatementGenerator();
  return { source: generator.module(body), requirements: generator.requirements };
}

class StatementGenerator extends ExpressionGenerator {
  #loops = 0;

  module(body: Body): string {
    const blocks = new Map<string, Stmt & { t: 'Block' }>();
    for (const block of blocksIn(body)) {
      if (blocks.has(block.name))
        throw new TemplateSyntaxError(`block '${block.name}' defined twice`, block.line);
      blocks.set(block.name, block);
    }
    const root = this.#root(body);
    const members = [...blocks.values()].map(
      (block) => `[${literal(block.name)},${this.#blockFunction(block)}]`,
    );
    return `const CM=env.budget.limits.characters;${this.filterDeclarations()}return{root:${root},blocks:new Map([${members.join(',')}])};`;
  }

  /** A generator function around code; its temporaries and its line are its own. */
  #function(params: string, isRoot: boolean, inside: () => string): string {
    const outer = this.temporaries;
    this.temporaries = [];
    const code = inside();
    const names = ['t', 'L=1', ...(isRoot ? ['parent=null'] : []), ...this.temporaries].join(',');
    this.temporaries = outer;
    return `function*(${params}){let out="",${names};${code}}`;
  }

  #located(code: string): string {
    return `try{${code}}catch(e){throw r.located(e,L,tpl);}`;
  }

  #root(body: Body): string {
    const symbols = new Symbols();
    const extending = hasStatement(body, 'Extends');
    return this.#function('cx', true, () => {
      const self = undeclaredIn(body, ['self']).has('self') ? symbols.parameter('self') : undefined;
      symbols.body(body);
      const frame: Frame = { symbols, out: 'out', toplevel: true, checksParent: extending, soft: false };
      const code =
        this.#enter(symbols) +
        (self === undefined ? '' : `${self}=r.selfReference(cx);`) +
        this.#body(body, frame) +
        (extending ? 'if(parent!==null)out+=yield*r.rootOf(parent,cx);' : '');
      return `${this.#located(code)}return out;`;
    });
  }

  #blockFunction(block: Stmt & { t: 'Block' }): string {
    const symbols = new Symbols();
    return this.#function('cx', false, () => {
      const special = undeclaredIn(block.body, ['self', 'super']);
      const self = special.has('self') ? symbols.parameter('self') : undefined;
      const above = special.has('super') ? symbols.parameter('super') : undefined;
      symbols.body(block.body);
      const frame: Frame = { symbols, out: 'out', toplevel: false, checksParent: false, soft: false };
      const required = block.required ? `r.checkRequired(cx,${literal(block.name)});` : '';
      return (
        this.#enter(symbols) +
        (self === undefined ? '' : `${self}=r.selfReference(cx);`) +
        (above === undefined ? '' : `${above}=r.superOf(cx,${literal(block.name)},tpl);`) +
        `${required}${this.#body(block.body, frame)}return out;`
      );
    });
  }

  /** The declarations a frame begins with. @param given parameters that are declared already */
  #enter(symbols: Symbols, given: readonly string[] = []): string {
    let code = '';
    for (const [id, load] of symbols.loads) {
      if (given.includes(id)) continue;
      if (load.how === 'resolve') code += `let ${id}=cx.resolve(${literal(load.name)});`;
      else if (load.how === 'alias') code += `let ${id}=${load.id};`;
      else code += `let ${id}=M;`;
    }
    return code;
  }

  #body(body: Body, frame: Frame): string {
    return body.map((stmt) => this.#stmt(stmt, frame)).join('');
  }

  #stmt(stmt: Stmt, frame: Frame): string {
    switch (stmt.t) {
      case 'Output':
        return this.#output(stmt.items, frame);
      case 'Do':
        return `L=${stmt.line};${this.expr(stmt.node, frame)};`;
      case 'If':
        return this.#if(stmt, frame);
      case 'For':
        return this.#for(stmt, frame);
      case 'Assign': {
        const value = this.unique('v');
        return `L=${stmt.line};const ${value}=${this.expr(stmt.value, frame)};${this.#assign(stmt.target, value, frame)}`;
      }
      case 'AssignBlock':
        return this.#assignBlock(stmt, frame);
      case 'FilterBlock':
        return this.#filterBlock(stmt, frame);
      case 'Macro': {
        const value = this.unique('v');
        return `L=${stmt.line};const ${value}=${this.#macro(stmt, frame)};${this.#store(stmt.name, value, frame, true)}`;
      }
      case 'CallBlock':
        return this.#callBlock(stmt, frame);
      case 'With':
        return this.#with(stmt, frame);
      case 'Scope': {
        const symbols = new Symbols(frame.symbols);
        symbols.body(stmt.body);
        return `{${this.#enter(symbols)}${this.#body(stmt.body, { ...frame, symbols, toplevel: false })}}`;
      }
      case 'Block':
        return this.#block(stmt, frame);
      case 'Extends':
        return this.#extends(stmt, frame);
      case 'Include':
        return this.#include(stmt, frame);
      case 'Import': {
        const value = this.unique('v');
        return `L=${stmt.line};const ${value}=${this.#module(stmt, frame)};${this.#store(stmt.target, value, frame, false)}`;
      }
      case 'FromImport':
        return this.#fromImport(stmt, frame);
      case 'Profile': {
        const id = this.unique('p');
        const label = this.expr(stmt.label, frame);
        return `L=${stmt.line};const ${id}=r.profileStart(cx,${label},${literal(stmt.what)});${this.#body(stmt.body, frame)}r.profileEnd(cx,${id});`;
      }
      case 'Break':
      case 'Continue':
        if (this.#loops === 0)
          throw new TemplateSyntaxError(`'${stmt.t.toLowerCase()}' outside loop`, stmt.line);
        return `L=${stmt.line};${stmt.t === 'Break' ? 'break' : 'continue'};`;
    }
  }

  #checked(code: string, frame: Frame): string {
    return frame.checksParent ? `if(parent===null){${code}}` : code;
  }

  #output(items: readonly Expr[], frame: Frame): string {
    const code = items.map((item) => {
      if (item.t === 'Data') return `${frame.out}+=${literal(item.text)};`;
      return `L=${item.line};t=${this.text(item, frame, 'printed')};${frame.out}+=t;`;
    });
    return this.#checked(`${code.join('')}if(${frame.out}.length>CM)env.checked(${frame.out});`, frame);
  }

  #if(stmt: Stmt & { t: 'If' }, outer: Frame): string {
    const frame = { ...outer, soft: true };
    let code = `L=${stmt.line};if(${this.test(stmt.test, frame)}){${this.#body(stmt.body, frame)}}`;
    for (const branch of stmt.elifs)
      code += `else if((L=${branch.line},${this.test(branch.test, frame)})){${this.#body(branch.body, frame)}}`;
    return stmt.other.length > 0 ? `${code}else{${this.#body(stmt.other, frame)}}` : code;
  }

  /** Assigns the value in a variable to a target. */
  #assign(target: AssignTarget, value: string, frame: Frame): string {
    if (target.t === 'Name') return this.#store(target.name, value, frame, true);
    if (target.t === 'NSRef')
      return `r.setNamespace(${frame.symbols.find(target.name) ?? 'M'},${literal(target.attr)},${value});`;
    const items = this.unique('v');
    const parts = target.items.map((item, i) => {
      const part = this.unique('v');
      return `const ${part}=${items}[${i}];${this.#assign(item, part, frame)}`;
    });
    return `const ${items}=${this.settled(`r.unpack(${value},${target.items.length})`)};${parts.join('')}`;
  }

  #store(name: string, value: string, frame: Frame, exported: boolean): string {
    const code = `${frame.symbols.find(name) ?? ''}=${value};`;
    if (!frame.toplevel) return code;
    const isPublic = !name.startsWith('_');
    const method = exported && isPublic ? 'export' : 'setVar';
    return `${code}cx.${method}(${literal(name)},${value});`;
  }

  /** Code collected in a variable of its own instead of the output. */
  #buffered(body: Body, frame: Frame, out: string): string {
    const symbols = new Symbols(frame.symbols);
    symbols.body(body);
    const inner = { ...frame, symbols, out, toplevel: false, checksParent: false, soft: false };
    return `let ${out}="";{${this.#enter(symbols)}${this.#body(body, inner)}}`;
  }

  #assignBlock(stmt: Stmt & { t: 'AssignBlock' }, frame: Frame): string {
    const out = this.unique('o');
    const value = this.unique('v');
    const filtered = stmt.filter ? this.#filterChain(stmt.filter, out, frame) : out;
    return `L=${stmt.line};${this.#buffered(stmt.body, frame, out)}const ${value}=${filtered};${this.#assign(stmt.target, value, frame)}`;
  }

  #filterBlock(stmt: Stmt & { t: 'FilterBlock' }, frame: Frame): string {
    const out = this.unique('o');
    const write = `t=r.str(${this.#filterChain(stmt.filter, out, frame)});${frame.out}+=t;`;
    return `${this.#buffered(stmt.body, frame, out)}L=${stmt.line};${this.#checked(write, frame)}`;
  }

  #filterChain(filter: Expr, input: string, frame: Frame): string {
    if (filter.t !== 'Filter') return input;
    const inner = filter.node ? this.#filterChain(filter.node, input, frame) : input;
    return this.filter(filter, inner, frame);
  }

  #with(stmt: Stmt & { t: 'With' }, frame: Frame): string {
    const symbols = new Symbols(frame.symbols);
    stmt.targets.forEach((target) => symbols.target(target, true));
    symbols.body(stmt.body);
    const inner = { ...frame, symbols, toplevel: false, soft: false };
    const values = stmt.values.map((value) => ({ id: this.unique('v'), code: this.expr(value, frame) }));
    const read = values.map(({ id, code }) => `const ${id}=${code};`).join('');
    const set = stmt.targets.map((target, i) => this.#assign(target, values[i]?.id ?? '', inner)).join('');
    return `L=${stmt.line};{${read}{${this.#enter(symbols)}${set}${this.#body(stmt.body, inner)}}}`;
  }

  #for(stmt: ForStmt, frame: Frame): string {
    const withLoop =
      stmt.recursive || undeclaredIn(stmt.body, ['loop']).has('loop') || hasStatement(stmt.body, 'Block');
    const source = this.expr(stmt.iter, frame);
    if (!stmt.recursive)
      return `L=${stmt.line};{${this.#loop(stmt, frame, source, withLoop, 'undefined', '0')}}`;
    const id = this.unique('rec');
    const inner = this.#recursiveFunction(stmt, frame, id);
    const first = this.unique('v');
    const write = this.#checked(`t=yield*${id}(${first},0);${frame.out}+=t;`, frame);
    return `L=${stmt.line};const ${id}=${inner};const ${first}=${source};${write}`;
  }

  #recursiveFunction(stmt: ForStmt, frame: Frame, id: string): string {
    const loops = this.#loops;
    this.#loops = 0;
    const code = this.#function('src,depth', false, () => {
      const inside = { ...frame, out: 'out', checksParent: false };
      return `${this.#located(this.#loop(stmt, inside, 'src', true, id, 'depth'))}return out;`;
    });
    this.#loops = loops;
    return code;
  }

  #loop(
    stmt: ForStmt,
    frame: Frame,
    source: string,
    withLoop: boolean,
    recurse: string,
    depth: string,
  ): string {
    const symbols = new Symbols(frame.symbols);
    const loopId = withLoop ? symbols.parameter('loop') : undefined;
    symbols.forBranch(stmt, 'body');
    const inner: Frame = { ...frame, symbols, toplevel: false, soft: false };
    const items = this.unique('i');
    const item = this.unique('x');
    const indicator = stmt.other.length > 0 ? this.unique('n') : undefined;
    const raw = stmt.target.t === 'Tuple';
    let code = `let ${items}=${this.settled(`${raw ? 'r.iterPairs' : 'r.iter'}(${source})`)};`;
    if (stmt.test) code += this.#filterLoop(stmt, frame, items);
    if (withLoop) code += `${items}=r.loop(cx,${items},${recurse},${depth},${raw});`;
    if (indicator !== undefined) code += `let ${indicator}=true;`;
    this.#loops++;
    const body = this.#body(stmt.body, inner);
    this.#loops--;
    code +=
      `for(const ${item} of ${items}){env.step();${this.#enter(symbols)}` +
      (loopId === undefined ? '' : `${loopId}=${items};`) +
      `${this.#assign(stmt.target, item, inner)}${body}` +
      `${indicator === undefined ? '' : `${indicator}=false;`}}`;
    if (indicator !== undefined) {
      const otherSymbols = new Symbols(frame.symbols);
      otherSymbols.forBranch(stmt, 'else');
      const other: Frame = { ...frame, symbols: otherSymbols, toplevel: false, soft: false };
      code += `if(${indicator}){${this.#enter(otherSymbols)}${this.#body(stmt.other, other)}}`;
    }
    return code;
  }

  /** `{% for … if test %}`: the items for which the test holds. */
  #filterLoop(stmt: ForStmt, frame: Frame, items: string): string {
    const symbols = new Symbols(frame.symbols);
    symbols.forBranch(stmt, 'test');
    const inner: Frame = { ...frame, symbols, toplevel: false, soft: false };
    const kept = this.unique('k');
    const item = this.unique('x');
    return (
      `const ${kept}=[];for(const ${item} of ${items}){env.step();${this.#enter(symbols)}` +
      `${this.#assign(stmt.target, item, inner)}` +
      `if(${this.test(stmt.test as Expr, inner)})${kept}.push(${item});}${items}=${kept};`
    );
  }

  /** The expression that makes a macro. */
  #macro(stmt: MacroStmt | CallBlockStmt, frame: Frame): string {
    const symbols = new Symbols(frame.symbols);
    const names = stmt.params.map(({ name }) => name);
    const ids = names.map((name) => symbols.parameter(name));
    const special = undeclaredIn(stmt.body, ['caller', 'kwargs', 'varargs']);
    const explicitCaller = names.indexOf('caller');
    const takesCaller = special.has('caller');
    if (takesCaller && explicitCaller >= 0 && explicitCaller < names.length - stmt.defaults.length)
      throw new TemplateSyntaxError(
        'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
        stmt.line,
      );
    const catches = (name: string): boolean => special.has(name) && !names.includes(name);
    const params = [...ids];
    if (takesCaller && explicitCaller < 0) params.push(symbols.parameter('caller'));
    if (catches('kwargs')) params.push(symbols.parameter('kwargs'));
    if (catches('varargs')) params.push(symbols.parameter('varargs'));
    symbols.body(stmt.body);
    stmt.defaults.forEach((value) => symbols.expr(value));
    const loops = this.#loops;
    this.#loops = 0;
    const inner: Frame = { symbols, out: 'out', toplevel: false, checksParent: false, soft: false };
    const code = this.#function(params.join(','), false, () => {
      const first = names.length - stmt.defaults.length;
      const defaults = ids.map((id, i) => {
        const given = stmt.defaults[i - first];
        const value = given
          ? this.expr(given, inner)
          : `r.undefinedHint(${literal(`parameter ${pyQuote(names[i] ?? '')} was not provided`)},cx,${literal(names[i] ?? '')})`;
        return `if(${id}===M)${id}=${value};`;
      });
      const body = `${this.#enter(symbols, params)}L=${stmt.line};${defaults.join('')}${this.#body(stmt.body, inner)}`;
      return `${this.#located(body)}return out;`;
    });
    this.#loops = loops;
    const name = stmt.t === 'Macro' ? literal(stmt.name) : 'null';
    return `r.macro(cx,${code},${name},${JSON.stringify(names)},${catches('kwargs')},${catches('varargs')},${takesCaller})`;
  }

  #callBlock(stmt: CallBlockStmt, frame: Frame): string {
    const caller = this.unique('v');
    const write = `t=r.str(${this.call(stmt.call, frame, caller)});${frame.out}+=t;`;
    return `L=${stmt.line};const ${caller}=${this.#macro(stmt, frame)};${this.#checked(write, frame)}`;
  }

  #block(stmt: Stmt & { t: 'Block' }, frame: Frame): string {
    const context = stmt.scoped ? `cx.derived(${this.#locals(frame)})` : 'cx';
    const code = `L=${stmt.line};t=yield*r.block(${context},${literal(stmt.name)});${frame.out}+=t;`;
    return frame.toplevel ? this.#checked(code, frame) : code;
  }

  /** The variables in reach, by name, for templates that are given the context. */
  #locals(frame: Frame): string {
    const stores = frame.symbols.allStores();
    return `[${[...stores].map(([name, id]) => `[${literal(name)},${id}]`).join(',')}]`;
  }

  #extends(stmt: Stmt & { t: 'Extends' }, frame: Frame): string {
    if (!frame.toplevel)
      throw new TemplateSyntaxError('cannot use extend from a non top-level scope', stmt.line);
    const template = this.settled(`r.template(cx,${this.expr(stmt.template, frame)})`);
    return `L=${stmt.line};if(parent!==null)r.extendedTwice();parent=${template};r.extend(cx,parent);`;
  }

  #include(stmt: Stmt & { t: 'Include' }, frame: Frame): string {
    const found = this.unique('v');
    const template = this.settled(
      `r.includeTemplate(cx,${this.expr(stmt.template, frame)},${stmt.ignoreMissing})`,
    );
    const render = stmt.withContext
      ? `yield*r.included(cx,${found},${this.#locals(frame)})`
      : `r.str(yield*r.defaultModule(cx,${found}))`;
    return `L=${stmt.line};const ${found}=${template};if(${found}!==null){t=${render};${frame.out}+=t;}`;
  }

  #module(stmt: { template: Expr; withContext: boolean }, frame: Frame): string {
    const template = this.settled(`r.template(cx,${this.expr(stmt.template, frame)})`);
    return stmt.withContext
      ? `yield*r.moduleWith(cx,${template},${this.#locals(frame)})`
      : `yield*r.defaultModule(cx,${template})`;
  }

  #fromImport(stmt: Stmt & { t: 'FromImport' }, frame: Frame): string {
    const module = this.unique('v');
    const names = stmt.names.map(([name, alias]) => {
      const value = this.unique('v');
      return `const ${value}=r.imported(cx,${module},${literal(name)},${stmt.line},tpl);${this.#store(alias, value, frame, false)}`;
    });
    return `L=${stmt.line};const ${module}=${this.#module(stmt, frame)};${names.join('')}`;
  }
}

function pyQuote(text: string): string {
  return `'${text}'`;
}
