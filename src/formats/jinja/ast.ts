/** The syntax tree of a template (jinja2/nodes.py 3.1). */
import type { Value } from '../../python/values/value.ts';

/** The arguments of a call, a filter or a test. */
export interface CallArguments {
  readonly args: readonly Expr[];
  readonly kwargs: readonly (readonly [name: string, value: Expr])[];
  readonly dynArgs: Expr | undefined;
  readonly dynKwargs: Expr | undefined;
}

export type BinaryOperator = 'add' | 'sub' | 'mul' | 'div' | 'floordiv' | 'mod' | 'pow';
export type CompareOperator = 'eq' | 'ne' | 'lt' | 'lteq' | 'gt' | 'gteq' | 'in' | 'notin';

export interface NameExpr {
  readonly t: 'Name';
  readonly name: string;
  readonly line: number;
}

/** An expression. `line` is the line Jinja gives the node. */
export type Expr =
  | NameExpr
  | { readonly t: 'Const'; readonly value: Value; readonly line: number }
  | { readonly t: 'Data'; readonly text: string; readonly line: number }
  | { readonly t: 'Tuple' | 'List'; readonly items: readonly Expr[]; readonly line: number }
  | { readonly t: 'Dict'; readonly pairs: readonly (readonly [Expr, Expr])[]; readonly line: number }
  | {
      readonly t: 'Cond';
      readonly test: Expr;
      readonly then: Expr;
      readonly other: Expr | undefined;
      readonly line: number;
    }
  | ({
      readonly t: 'Filter' | 'Test';
      readonly node: Expr | undefined;
      readonly name: string;
      readonly line: number;
    } & CallArguments)
  | ({ readonly t: 'Call'; readonly node: Expr; readonly line: number } & CallArguments)
  | { readonly t: 'Item'; readonly node: Expr; readonly key: Expr; readonly line: number }
  | { readonly t: 'Attr'; readonly node: Expr; readonly name: string; readonly line: number }
  | { readonly t: 'Slice'; readonly parts: readonly (Expr | undefined)[]; readonly line: number }
  | { readonly t: 'Concat'; readonly items: readonly Expr[]; readonly line: number }
  | {
      readonly t: 'Compare';
      readonly first: Expr;
      readonly rest: readonly (readonly [CompareOperator, Expr])[];
      readonly line: number;
    }
  | {
      readonly t: 'Binary';
      readonly op: BinaryOperator;
      readonly left: Expr;
      readonly right: Expr;
      readonly line: number;
    }
  | { readonly t: 'And' | 'Or'; readonly left: Expr; readonly right: Expr; readonly line: number }
  | { readonly t: 'Not' | 'Neg' | 'Pos'; readonly node: Expr; readonly line: number };

export type CallExpr = Extract<Expr, { t: 'Call' }>;
export type FilterExpr = Extract<Expr, { t: 'Filter' | 'Test' }>;

/** What can be assigned to. */
export type AssignTarget =
  | NameExpr
  | { readonly t: 'Tuple'; readonly items: readonly AssignTarget[]; readonly line: number }
  | { readonly t: 'NSRef'; readonly name: string; readonly attr: string; readonly line: number };

/** The parameters of a macro or a call block. */
export interface Signature {
  readonly params: readonly NameExpr[];
  /** Of the last parameters. */
  readonly defaults: readonly Expr[];
}

export type MacroStmt = {
  readonly t: 'Macro';
  readonly name: string;
  readonly body: Body;
  readonly line: number;
} & Signature;
export type CallBlockStmt = {
  readonly t: 'CallBlock';
  readonly call: CallExpr;
  readonly body: Body;
  readonly line: number;
} & Signature;
export type IfStmt = {
  readonly t: 'If';
  readonly test: Expr;
  readonly body: Body;
  readonly elifs: readonly IfStmt[];
  readonly other: Body;
  readonly line: number;
};
export type ForStmt = {
  readonly t: 'For';
  readonly target: AssignTarget;
  readonly iter: Expr;
  readonly test: Expr | undefined;
  readonly body: Body;
  readonly other: Body;
  readonly recursive: boolean;
  readonly line: number;
};
export type BlockStmt = {
  readonly t: 'Block';
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: Body;
  readonly line: number;
};
export type WithStmt = {
  readonly t: 'With';
  readonly targets: readonly AssignTarget[];
  readonly values: readonly Expr[];
  readonly body: Body;
  readonly line: number;
};

/** A statement. */
export type Stmt =
  | { readonly t: 'Output'; readonly items: readonly Expr[]; readonly line: number }
  | { readonly t: 'Do'; readonly node: Expr; readonly line: number }
  | { readonly t: 'Assign'; readonly target: AssignTarget; readonly value: Expr; readonly line: number }
  | {
      readonly t: 'AssignBlock';
      readonly target: AssignTarget;
      readonly filter: Expr | undefined;
      readonly body: Body;
      readonly line: number;
    }
  | {
      readonly t: 'FilterBlock';
      readonly filter: Expr;
      readonly body: Body;
      readonly line: number;
    }
  | {
      readonly t: 'Include';
      readonly template: Expr;
      readonly ignoreMissing: boolean;
      readonly withContext: boolean;
      readonly line: number;
    }
  | {
      readonly t: 'Import';
      readonly template: Expr;
      readonly target: string;
      readonly withContext: boolean;
      readonly line: number;
    }
  | {
      readonly t: 'FromImport';
      readonly template: Expr;
      readonly names: readonly (readonly [name: string, alias: string])[];
      readonly withContext: boolean;
      readonly line: number;
    }
  | { readonly t: 'Extends'; readonly template: Expr; readonly line: number }
  | { readonly t: 'Scope'; readonly body: Body; readonly line: number }
  | {
      readonly t: 'Profile';
      readonly label: Expr;
      readonly what: string;
      readonly body: Body;
      readonly line: number;
    }
  | { readonly t: 'Break' | 'Continue'; readonly line: number }
  | IfStmt
  | ForStmt
  | WithStmt
  | BlockStmt
  | MacroStmt
  | CallBlockStmt;

export type Body = readonly Stmt[];
