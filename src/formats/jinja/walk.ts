/** Looking through a syntax tree. */
import type { Body, CallArguments, Expr, Stmt, AssignTarget } from './ast.ts';

/** The names an expression reads, in the order of its parts. */
export function* namesIn(expr: Expr): Iterable<string> {
  if (expr.t === 'Name') yield expr.name;
  else for (const part of partsOf(expr)) yield* namesIn(part);
}

function argumentParts({ args, kwargs, dynArgs, dynKwargs }: CallArguments): Expr[] {
  const parts = [...args, ...kwargs.map(([, value]) => value)];
  if (dynArgs) parts.push(dynArgs);
  if (dynKwargs) parts.push(dynKwargs);
  return parts;
}

/** The direct parts of an expression. */
function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.t) {
    case 'Name':
    case 'Const':
    case 'Data':
      return [];
    case 'Tuple':
    case 'List':
    case 'Concat':
      return expr.items;
    case 'Dict':
      return expr.pairs.flat();
    case 'Cond':
      return expr.other ? [expr.test, expr.then, expr.other] : [expr.test, expr.then];
    case 'Filter':
    case 'Test':
      return expr.node ? [expr.node, ...argumentParts(expr)] : argumentParts(expr);
    case 'Call':
      return [expr.node, ...argumentParts(expr)];
    case 'Item':
      return [expr.node, expr.key];
    case 'Attr':
    case 'Not':
    case 'Neg':
    case 'Pos':
      return [expr.node];
    case 'Slice':
      return expr.parts.filter((part) => part !== undefined);
    case 'Compare':
      return [expr.first, ...expr.rest.map(([, other]) => other)];
    case 'Binary':
    case 'And':
    case 'Or':
      return [expr.left, expr.right];
  }
}

/** The direct expressions of a statement. */
function exprsOf(stmt: Stmt): readonly Expr[] {
  switch (stmt.t) {
    case 'Output':
      return stmt.items;
    case 'Do':
      return [stmt.node];
    case 'If':
      return [stmt.test];
    case 'Assign':
      return [stmt.value];
    case 'AssignBlock':
      return stmt.filter ? [stmt.filter] : [];
    case 'FilterBlock':
      return [stmt.filter];
    case 'Macro':
      return stmt.defaults;
    case 'CallBlock':
      return [stmt.call, ...stmt.defaults];
    case 'For':
      return stmt.test ? [stmt.iter, stmt.test] : [stmt.iter];
    case 'With':
      return stmt.values;
    case 'Include':
    case 'Import':
    case 'FromImport':
    case 'Extends':
      return [stmt.template];
    case 'Profile':
      return [stmt.label];
    case 'Scope':
    case 'Block':
    case 'Break':
    case 'Continue':
      return [];
  }
}

/** The bodies of a statement, one after another. */
function bodiesOf(stmt: Stmt): Body {
  if (stmt.t === 'If') return [...stmt.body, ...stmt.elifs, ...stmt.other];
  if (stmt.t === 'For') return [...stmt.body, ...stmt.other];
  return 'body' in stmt ? stmt.body : [];
}

function storedNames(target: AssignTarget): string[] {
  if (target.t === 'Name') return [target.name];
  return target.t === 'Tuple' ? target.items.flatMap(storedNames) : [];
}

/**
 * Which of some names a body reads without having set them itself (Jinja's `find_undeclared`); what blocks read does
 * not count.
 */
export function undeclaredIn(body: Body, wanted: readonly string[]): Set<string> {
  const found = new Set<string>();
  const declared = new Set<string>();
  const read = (expr: Expr): void => {
    for (const name of namesIn(expr)) if (wanted.includes(name) && !declared.has(name)) found.add(name);
  };
  const visit = (stmt: Stmt): void => {
    if (stmt.t === 'Block') return;
    if (stmt.t === 'For' || stmt.t === 'With') {
      const targets = stmt.t === 'For' ? [stmt.target] : stmt.targets;
      targets.flatMap(storedNames).forEach((name) => declared.add(name));
    }
    exprsOf(stmt).forEach(read);
    if (stmt.t === 'Assign' || stmt.t === 'AssignBlock')
      storedNames(stmt.target).forEach((name) => declared.add(name));
    bodiesOf(stmt).forEach(visit);
  };
  body.forEach(visit);
  return found;
}

/** All blocks of a template, inner ones too. */
export function* blocksIn(body: Body): Iterable<Stmt & { t: 'Block' }> {
  for (const stmt of body) {
    if (stmt.t === 'Block') yield stmt;
    yield* blocksIn(bodiesOf(stmt));
  }
}

/** True when a template has a statement of a kind anywhere. */
export function hasStatement(body: Body, kind: Stmt['t']): boolean {
  return body.some((stmt) => stmt.t === kind || hasStatement(bodiesOf(stmt), kind));
}
