/** What generated templates call: the functions behind `r` (jinja2/runtime.py 3.1). */
import { PyFloat } from '../../python/values/value.ts';
import { holdsObject, waited, withAnswers } from './asking.ts';
import { callAttr, getAttr, getItem, slice } from './access.ts';
import {
  CalledFailure,
  JinjaError,
  TemplateNotFoundError,
  TemplateRuntimeError,
  typeError,
  valueError,
} from './errors.ts';
import { LoopContext } from './loop.ts';
import { Macro, type MacroBody } from './macro.ts';
import { Namespace } from './namespace.ts';
import { BlockReference, SelfReference } from './block-reference.ts';
import {
  LazyIterator,
  PyIterator,
  tuple,
  typeName,
  type Kwargs,
  type Later,
  type Missing,
  type TDict,
  type TValue,
} from './model.ts';
import { Undefined } from './undefined.ts';
import * as operators from './operators.ts';
import type { TemplateRun } from './run.ts';
import { TemplateModule, withLocals, type Context, type Template } from './template.ts';
import { printed, str } from './text-of.ts';
import { DictView } from './views.ts';
import { assertHashable } from './hashable.ts';

type Locals = readonly (readonly [string, TValue | Missing])[];

/** Gives an error its place, unless an inner template has done so already. */
function located(error: unknown, line: number, template: Template): Error {
  const failure = error instanceof JinjaError ? error : fromNative(error);
  failure.place ??= { line, path: template.path, source: template.source };
  return failure;
}

function fromNative(error: unknown): JinjaError {
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new TemplateRuntimeError('maximum recursion depth exceeded');
  return new CalledFailure(error);
}

function undefinedName(context: Context, name: string): Undefined {
  return new Undefined({ name, strict: context.env.strict });
}

/** @throws ValueError, TypeError unless there are exactly `count` items */
function unpack(value: TValue, count: number): readonly TValue[] | Promise<TValue[]> {
  if (!(value instanceof LazyIterator)) return unpacked(value, count);
  return withAnswers([value], () => unpacked(value, count) as TValue[]) as TValue[] | Promise<TValue[]>;
}

function unpacked(value: TValue, count: number): readonly TValue[] {
  const items = operators.itemsOf(value);
  if (items === undefined) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  const list = Array.isArray(items) ? (items as readonly TValue[]) : [...items];
  if (list.length < count)
    throw valueError(`not enough values to unpack (expected ${count}, got ${list.length})`);
  if (list.length > count) throw valueError(`too many values to unpack (expected ${count})`);
  return list;
}

/** What a loop goes through. Where objects may be asked on the way, they are asked before. */
function iterated(value: TValue): Iterable<TValue> | Promise<TValue[]> {
  if (!(value instanceof LazyIterator) || !asksOnTheWay(value)) return operators.iter(value);
  return withAnswers([value], () => operators.list(value)) as TValue[] | Promise<TValue[]>;
}

function asksOnTheWay({ source }: LazyIterator): boolean {
  return source instanceof LazyIterator
    ? asksOnTheWay(source)
    : holdsObject(source) || source instanceof PyIterator;
}

function makeDict(pairs: readonly (readonly [TValue, TValue])[]): TDict {
  const out: TDict = new Map();
  for (const [key, value] of pairs) {
    assertHashable(key);
    operators.dictSet(out, key, value);
  }
  return out;
}

function mergeKwargs(kwargs: Kwargs | undefined, more: TValue): Kwargs {
  if (!(more instanceof Map)) throw typeError(`argument after ** must be a mapping, not ${typeName(more)}`);
  const out = new Map(kwargs);
  for (const [key, value] of more) {
    if (typeof key !== 'string') throw typeError('keywords must be strings');
    out.set(key, value);
  }
  return out;
}

/** A template by the value of an expression: a name, or the first of several that exists. */
function template(context: Context, wanted: TValue): Template | Promise<Template> {
  if (typeof wanted === 'string') return context.env.template(wanted);
  if (wanted instanceof Undefined) return wanted.fail();
  const names = [...operators.iter(wanted)];
  return firstOf(context, names, names);
}

async function firstOf(
  context: Context,
  names: readonly TValue[],
  all: readonly TValue[],
): Promise<Template> {
  if (all.length === 0) throw new TemplateNotFoundError('Tried to select from an empty list of templates.');
  for (const name of names) {
    try {
      return await context.env.template(str(name));
    } catch (error) {
      if (!(error instanceof TemplateNotFoundError)) throw error;
    }
  }
  throw new TemplateNotFoundError(`none of the templates given were found: ${all.map(str).join(', ')}`);
}

function includeTemplate(
  context: Context,
  wanted: TValue,
  ignoreMissing: boolean,
): Template | null | Promise<Template | null> {
  const absent = (error: unknown): null => {
    if (ignoreMissing && error instanceof TemplateNotFoundError) return null;
    throw error;
  };
  try {
    const found = template(context, wanted);
    return found instanceof Promise ? found.catch(absent) : found;
  } catch (error) {
    return absent(error);
  }
}

/** Renders an included template with the variables of its includer. */
function* included(context: Context, found: Template, locals: Locals): TemplateRun<string> {
  return yield* found.run(found.sharedContext(withLocals(context.all(), locals)));
}

function* makeModule(found: Template, context: Context): TemplateRun<TemplateModule> {
  const text = yield* found.run(context);
  return new TemplateModule(found, context, text);
}

/** An imported template that sees the variables of its importer. */
function* moduleWith(context: Context, found: Template, locals: Locals): TemplateRun<TemplateModule> {
  return yield* makeModule(found, found.sharedContext(withLocals(context.all(), locals)));
}

/** An imported template that sees only the globals; it is run once. */
function* defaultModule(_context: Context, found: Template): TemplateRun<TemplateModule> {
  found.defaultModule ??= yield* makeModule(found, found.context());
  return found.defaultModule;
}

/** A name taken out of an imported template. */
function imported(
  context: Context,
  module: TemplateModule,
  name: string,
  line: number,
  importer: Template,
): TValue {
  const value = module.getAttr(name);
  if (value !== undefined) return value;
  const place = importer.name === undefined ? `line ${line}` : `line ${line} in '${importer.name}'`;
  const from = module.template.name === undefined ? 'None' : `'${module.template.name}'`;
  return new Undefined({
    name,
    strict: context.env.strict,
    hint: `the template ${from} (imported on ${place}) does not export the requested name '${name}'`,
  });
}

/** Puts the blocks of a parent behind those of its children. */
function extend(context: Context, parent: Template): void {
  for (const [name, block] of parent.blocks) {
    const known = context.blocks.get(name);
    if (known) known.push(block);
    else context.blocks.set(name, [block]);
  }
}

function* rootOf(parent: Template, context: Context): TemplateRun<string> {
  return yield* parent.run(context);
}

function* block(context: Context, name: string): TemplateRun<string> {
  const body = context.blocks.get(name)?.[0];
  return body ? yield* body(context) : '';
}

function superOf(context: Context, name: string, owner: Template): TValue {
  const stack = context.blocks.get(name) ?? [];
  const mine = stack.indexOf(owner.blocks.get(name) as (typeof stack)[number]);
  if (mine < 0 || mine + 1 >= stack.length)
    return new Undefined({
      name: 'super',
      strict: context.env.strict,
      hint: `there is no parent block called '${name}'.`,
    });
  return new BlockReference(context, name, mine + 1);
}

function checkRequired(context: Context, name: string): void {
  if ((context.blocks.get(name)?.length ?? 0) <= 1)
    throw new TemplateRuntimeError(`Required block '${name}' not found`);
}

function setNamespace(target: TValue | Missing, name: string, value: TValue): void {
  if (!(target instanceof Namespace))
    throw new TemplateRuntimeError('cannot assign attribute on non-namespace object');
  target.set(name, value);
}

interface ProfileMark {
  readonly label: TValue;
  readonly what: string;
  readonly startMs: number;
}

type Binary = (a: TValue, b: TValue) => Later;

/** An operator that waits where an operand is an object in Python. */
function waiting(operator: Binary): Binary {
  return (a, b) => {
    try {
      return operator(a, b);
    } catch (error) {
      return waited(error, operator, a, b);
    }
  };
}

/** The same, of one operand. */
function waitingUnary(operator: (a: TValue) => Later): (a: TValue) => Later {
  return (a) => {
    try {
      return operator(a);
    } catch (error) {
      return waited(error, operator, a);
    }
  };
}

const eq = waiting(operators.eq);
const ne = waiting(operators.ne);
const lt = waiting(operators.lt);
const le = waiting(operators.le);
const gt = waiting(operators.gt);
const ge = waiting(operators.ge);

/** What is usual is decided here, without a further call. */
export const runtime = {
  add: waiting(operators.add),
  sub: waiting(operators.sub),
  mul: waiting(operators.mul),
  div: waiting(operators.div),
  floordiv: waiting(operators.floordiv),
  mod: waiting(operators.mod),
  pow: waiting(operators.pow),
  neg: waitingUnary(operators.neg),
  pos: waitingUnary(operators.pos),
  eq: (a: TValue, b: TValue): Later => (typeof a === typeof b && typeof a !== 'object' ? a === b : eq(a, b)),
  ne: (a: TValue, b: TValue): Later => (typeof a === typeof b && typeof a !== 'object' ? a !== b : ne(a, b)),
  lt: (a: TValue, b: TValue): Later => (typeof a === 'number' && typeof b === 'number' ? a < b : lt(a, b)),
  le: (a: TValue, b: TValue): Later => (typeof a === 'number' && typeof b === 'number' ? a <= b : le(a, b)),
  gt: (a: TValue, b: TValue): Later => (typeof a === 'number' && typeof b === 'number' ? a > b : gt(a, b)),
  ge: (a: TValue, b: TValue): Later => (typeof a === 'number' && typeof b === 'number' ? a >= b : ge(a, b)),
  isIn: waiting(operators.isIn),
  notIn: waiting(operators.notIn),
  truthy: operators.truthy,
  iter: iterated,
  iterPairs: (value: TValue): Iterable<TValue> | Promise<TValue[]> =>
    value instanceof DictView && value.kind === 'items' ? value.pairs() : iterated(value),
  str,
  printed,
  tuple,
  dict: (pairs: readonly (readonly [TValue, TValue])[]): Later => withAnswers([], () => makeDict(pairs)),
  float: (value: number) => new PyFloat(value),
  unpack,
  mergeKwargs,
  located,
  undefinedName,
  undefinedHint: (hint: string, context?: Context, name = '') =>
    new Undefined({ name, hint, strict: context?.env.strict ?? false }),
  isUndefined: (value: TValue) => value instanceof Undefined,
  getAttr: (context: Context, value: TValue, name: string): Later => getAttr(context.env, value, name),
  getItem: (context: Context, value: TValue, key: TValue): Later => {
    try {
      return getItem(context.env, value, key);
    } catch (error) {
      return waited(error, getItem, context.env, value, key);
    }
  },
  slice: (context: Context, value: TValue, start: TValue, stop: TValue, step: TValue): Later =>
    withAnswers([], () => slice(context.env, value, start, stop, step)),
  makeSlice: (): never => {
    throw typeError('a slice cannot stand here');
  },
  callAttr: (
    context: Context,
    value: TValue,
    name: string,
    args: readonly TValue[],
    kwargs: Kwargs | undefined,
  ): Later => {
    try {
      return callAttr(context, value, name, args, kwargs);
    } catch (error) {
      return waited(error, callAttr, context, value, name, args, kwargs);
    }
  },
  call: (context: Context, f: TValue, args: readonly TValue[], kwargs: Kwargs | undefined): Later => {
    try {
      return operators.callValue(f, args, kwargs, context);
    } catch (error) {
      return waited(error, operators.callValue, f, args, kwargs, context);
    }
  },
  loop: (
    context: Context,
    items: Iterable<TValue>,
    recurse: ((items: Iterable<TValue>, depth: number) => TemplateRun<string>) | undefined,
    depth: number,
    pairs: boolean,
  ) => new LoopContext(context.env, items, recurse, depth, pairs),
  macro: (
    context: Context,
    body: MacroBody,
    name: string | null,
    params: readonly string[],
    takesKwargs: boolean,
    takesVarargs: boolean,
    takesCaller: boolean,
  ) => new Macro(context.env, body, { name, params, takesKwargs, takesVarargs, takesCaller }),
  template,
  includeTemplate,
  included,
  moduleWith,
  defaultModule,
  imported,
  extend,
  extendedTwice: (): never => {
    throw new TemplateRuntimeError('extended multiple times');
  },
  rootOf,
  block,
  superOf,
  selfReference: (context: Context) => new SelfReference(context),
  checkRequired,
  setNamespace,
  profileStart: (context: Context, label: TValue, what: string): ProfileMark => ({
    label,
    what,
    startMs: context.env.nowMs(),
  }),
  profileEnd: (context: Context, { label, what, startMs }: ProfileMark): void => {
    const seconds = (context.env.nowMs() - startMs) / 1000;
    context.env.log('profile', `Time (in seconds) to render ${what} '${str(label)}': ${seconds}`);
  },
};

export type Runtime = typeof runtime;
