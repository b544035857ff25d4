/**
 * Which variable a name means where: Jinja's scoping, decided when the template is compiled (jinja2/idtracking.py 3.1).
 */
import type { Body, Expr, ForStmt, Stmt, AssignTarget } from './ast.ts';
import { namesIn } from './walk.ts';

/** How a variable of a frame begins. */
export type Load =
  | { readonly how: 'parameter' | 'undefined' }
  | { readonly how: 'resolve'; readonly name: string }
  | { readonly how: 'alias'; readonly id: string };

/** The names of one frame. */
export class Symbols {
  readonly level: number;
  readonly parent: Symbols | undefined;
  readonly refs = new Map<string, string>();
  readonly loads = new Map<string, Load>();
  readonly stores = new Set<string>();
  readonly #numbers: Map<string, number>;

  constructor(parent?: Symbols, like?: Symbols) {
    this.parent = parent;
    this.level = like ? like.level : parent ? parent.level + 1 : 0;
    this.#numbers = like ? like.#numbers : parent ? parent.#numbers : new Map<string, number>();
  }

  copy(): Symbols {
    const out = new Symbols(this.parent, this);
    for (const [name, id] of this.refs) out.refs.set(name, id);
    for (const [id, load] of this.loads) out.loads.set(id, load);
    for (const name of this.stores) out.stores.add(name);
    return out;
  }

  #define(name: string, load: Load): string {
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = this.#numbers.size));
    const safe = /^[A-Za-z0-9_]+$/.test(name) ? name : `u${number}`;
    const id = `l_${this.level}_${safe}`;
    this.refs.set(name, id);
    this.loads.set(id, load);
    return id;
  }

  find(name: string): string | undefined {
    return this.refs.get(name) ?? this.parent?.find(name);
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.#define(name, { how: 'resolve', name });
  }

  store(name: string): void {
    this.stores.add(name);
    if (this.refs.has(name)) return;
    const outer = this.parent?.find(name);
    this.#define(name, outer === undefined ? { how: 'undefined' } : { how: 'alias', id: outer });
  }

  parameter(name: string): string {
    this.stores.add(name);
    return this.#define(name, { how: 'parameter' });
  }

  /** Joins the branches of an `if`: what not every branch sets may come from outside. */
  joinBranches(branches: readonly Symbols[]): void {
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of branch.stores)
        if (!this.stores.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const branch of branches) {
      for (const [name, id] of branch.refs) this.refs.set(name, id);
      for (const [id, load] of branch.loads) this.loads.set(id, load);
      for (const name of branch.stores) this.stores.add(name);
    }
    for (const [name, count] of counts) {
      const id = this.refs.get(name);
      if (count === branches.length || id === undefined) continue;
      const outer = this.parent?.find(name);
      this.loads.set(id, outer === undefined ? { how: 'resolve', name } : { how: 'alias', id: outer });
    }
  }

  /** All names stored here and outside, with their variables. */
  allStores(): Map<string, string> {
    const out = new Map<string, string>();
    for (let node: Symbols | undefined = this; node; node = node.parent) {
      for (const name of [...node.stores].sort()) {
        const id = this.find(name);
        if (!out.has(name) && id !== undefined) out.set(name, id);
      }
    }
    return out;
  }

  // --- what a frame's own code does with names ---

  expr(expr: Expr | undefined): void {
    if (expr) for (const name of namesIn(expr)) this.load(name);
  }

  target(target: AssignTarget, asParameter = false): void {
    if (target.t === 'NSRef') this.load(target.name);
    else if (target.t === 'Tuple') for (const item of target.items) this.target(item, asParameter);
    else if (asParameter) this.parameter(target.name);
    else this.store(target.name);
  }

  body(body: Body): void {
    for (const stmt of body) this.#stmt(stmt);
  }

  #branch(run: (symbols: Symbols) => void): Symbols {
    const copy = this.copy();
    run(copy);
    return copy;
  }

  #stmt(stmt: Stmt): void {
    switch (stmt.t) {
      case 'Output':
        stmt.items.forEach((item) => this.expr(item));
        return;
      case 'Do':
        return this.expr(stmt.node);
      case 'If': {
        this.expr(stmt.test);
        const branches = [
          this.#branch((symbols) => symbols.body(stmt.body)),
          this.#branch((symbols) => symbols.body(stmt.elifs)),
          this.#branch((symbols) => symbols.body(stmt.other)),
        ];
        return this.joinBranches(branches);
      }
      case 'Assign':
        this.expr(stmt.value);
        return this.target(stmt.target);
      case 'AssignBlock':
        return this.target(stmt.target);
      case 'FilterBlock':
        return this.expr(stmt.filter);
      case 'Macro':
        return this.store(stmt.name);
      case 'CallBlock':
        return this.expr(stmt.call);
      case 'For':
        return this.expr(stmt.iter);
      case 'With':
        return stmt.values.forEach((value) => this.expr(value));
      case 'Import':
        this.expr(stmt.template);
        return this.store(stmt.target);
      case 'FromImport':
        this.expr(stmt.template);
        return stmt.names.forEach(([, alias]) => this.store(alias));
      case 'Include':
      case 'Extends':
        return this.expr(stmt.template);
      case 'Profile':
        this.expr(stmt.label);
        return this.body(stmt.body);
      case 'Scope':
      case 'Block':
      case 'Break':
      case 'Continue':
        return;
    }
  }

  forBranch(stmt: ForStmt, branch: 'body' | 'test' | 'else'): void {
    if (branch !== 'else') this.target(stmt.target, true);
    if (branch === 'test') this.expr(stmt.test);
    else this.body(branch === 'body' ? stmt.body : stmt.other);
  }
}
