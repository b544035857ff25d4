/**
 * The states of one SLS by themselves: their form, whether there are such functions, and whether those take such
 * arguments.
 */
import { closestNames, didYouMean } from '../../errors/did-you-mean.ts';
import { copyValue, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { readDeclarations, readExtend } from '../state/declarations.ts';
import { INTERNAL_KEYWORDS } from '../state/keywords.ts';
import { verifyHigh } from '../state/verify-high.ts';
import type { FunctionDescription } from '../loader/module.ts';
import { lookUp, rulesFor, type SlsCatalog } from './catalog.ts';
import { checkValues, type HasPath } from './check-values.ts';
import { argument, declaredStates, NO_IDS, type Declared } from './declared.ts';
import type { RenderedSource } from './render-source.ts';
import { isUncertain } from './unknown.ts';

/** What the state system takes besides the arguments of a function. */
const OF_EVERY_STATE: ReadonlySet<string> = new Set([
  ...INTERNAL_KEYWORDS,
  'name',
  'names',
  'test',
  'provider',
]);

/** Checks the states of a file. */
export async function checkStates(
  rendered: RenderedSource,
  value: Dict,
  catalog: SlsCatalog,
  hasPath: HasPath,
): Promise<void> {
  for (const [id, body] of value) if (!NO_IDS.has(id)) checkShape(rendered, id, body);
  const extend = value.get('extend');
  if (extend !== undefined) checkExtendShape(rendered, extend);
  for (const state of declaredStates(value)) {
    await checkState(rendered, state, catalog);
    checkValues(rendered, state, hasPath);
  }
}

/** Whether an id has the form that the state system asks for; what it says is told. */
function checkShape(rendered: RenderedSource, id: Value, body: Value): void {
  const { sls } = rendered.source;
  const errors: string[] = [];
  const high: Dict = new Map([[id, copyValue(body)]]);
  readDeclarations(high, { sls, saltenv: 'base', errors });
  if (errors.length === 0) errors.push(...verifyHigh(high));
  for (const error of errors)
    rendered.tell('wrong-shape', { path: [pyStr(id)] }, error.replaceAll(` in SLS '${sls}'`, '').trim());
}

function checkExtendShape(rendered: RenderedSource, extend: Value): void {
  const { sls } = rendered.source;
  const errors: string[] = [];
  readExtend(new Map([['extend', copyValue(extend)]]), { sls, saltenv: 'base', errors });
  for (const error of errors)
    rendered.tell('wrong-shape', { path: ['extend'] }, error.replaceAll(` in SLS '${sls}'`, ''));
}

async function checkState(rendered: RenderedSource, state: Declared, catalog: SlsCatalog): Promise<void> {
  const { module, fun, path } = state;
  if (fun === undefined || fun.includes(' ') || isUncertain(`${module}${fun}`)) return;
  const full = `${module}.${fun}`;
  const found = await lookUp(catalog, 'states', full);
  rendered.tellAll(rulesFor(catalog, found, 'unknown-state', 'state-not-here'), { path });
  if (found.kind !== 'known') return;
  checkArguments(rendered, state, full, found.specs);
  await checkCalls(rendered, state, catalog);
}

function checkArguments(
  rendered: RenderedSource,
  state: Declared,
  full: string,
  specs: readonly FunctionDescription[],
): void {
  const params = new Map(specs.flatMap((spec) => Object.entries(spec.params ?? {})));
  const takesAny = specs.some((spec) => spec.kwargs !== undefined);
  const known = [...params.keys(), ...OF_EVERY_STATE];
  for (const { name, path } of state.args) {
    if (params.has(name) || OF_EVERY_STATE.has(name) || isUncertain(name) || name.startsWith('__')) continue;
    if (!takesAny)
      rendered.tell(
        'unknown-argument',
        { path },
        `${full} has no argument '${name}'.${didYouMean(name, known)}`,
      );
    else if (full !== 'module.run' && isSlip(name, params.keys()))
      rendered.tell(
        'doubtful-argument',
        { path },
        `${full} takes any argument, and does not know '${name}'.${didYouMean(name, params.keys())}`,
      );
  }
  if (rendered.isUncertain) return;
  for (const [name, param] of params) {
    const isGiven = param.default !== undefined || param.keywordOnly === true || OF_EVERY_STATE.has(name);
    if (isGiven || argument(state, name) !== undefined || givenByNames(state, name)) continue;
    rendered.tell('missing-argument', { path: state.path }, `${full} needs the argument '${name}'.`);
  }
}

/** One letter away from a name that is there. */
function isSlip(name: string, known: Iterable<string>): boolean {
  const [closest] = closestNames(name, known, 1);
  return closest !== undefined && name.length > 3 && Math.abs(closest.length - name.length) <= 1;
}

function givenByNames(state: Declared, name: string): boolean {
  const names = argument(state, 'names')?.value;
  if (!Array.isArray(names)) return false;
  return names.some((item) => {
    const own = isDict(item) ? item.values().next().value : undefined;
    return Array.isArray(own) && own.some((one) => isDict(one) && one.has(name));
  });
}

/** The functions that `module.run`, `salt.function` and their like call. */
async function checkCalls(rendered: RenderedSource, state: Declared, catalog: SlsCatalog): Promise<void> {
  const full = `${state.module}.${state.fun ?? ''}`;
  const given = argument(state, 'name');
  const name = given === undefined ? state.id : pyStr(given.value);
  const path = given?.path ?? state.path;
  const kind = { 'salt.function': 'modules', 'salt.runner': 'runners', 'salt.wheel': 'wheel' } as const;
  if (full in kind) await checkCall(rendered, catalog, kind[full as keyof typeof kind], name, path);
  if (full !== 'module.run') return;
  const called = state.args.filter((one) => one.name.includes('.'));
  for (const one of called) await checkCall(rendered, catalog, 'modules', one.name, one.path);
  if (called.length > 0 || !name.includes('.')) return;
  await checkCall(rendered, catalog, 'modules', name, path);
}

async function checkCall(
  rendered: RenderedSource,
  catalog: SlsCatalog,
  kind: 'modules' | 'runners' | 'wheel',
  fun: string,
  path: Declared['path'],
): Promise<void> {
  if (isUncertain(fun)) return;
  const found = await lookUp(catalog, kind, fun);
  rendered.tellAll(rulesFor(catalog, found, 'unknown-function', 'function-not-here'), { path });
}
