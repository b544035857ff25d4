/** Long forms, and names that begin with a dot: ids and SLS files near the one at hand. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { SaltRenderError } from '../../renderer.ts';
import { moduleOf, named, requisites, statesOf, type StateconfNames } from './high.ts';

const REQUISITES: ReadonlySet<string> = new Set(
  ['require', 'watch', 'use', 'listen', 'onchanges', 'onfail'].flatMap((name) => [name, `${name}_in`]),
);

/** `id: state.func` becomes `id: {state.func: []}`. */
export function longForms(high: Dict): void {
  for (const [id, states] of high) if (typeof states === 'string') high.set(id, new Map([[states, []]]));
}

/** SLS files with a dot in front, in `include` and `exclude`. @throws SaltRenderError beyond the top */
export function absoluteIncludes(high: Dict, sls: string, saltenv: string): void {
  const includes = high.get('include');
  if (Array.isArray(includes))
    for (const [at, one] of includes.entries()) {
      const pair = isDict(one) ? one.entries().next().value : ([saltenv, one] as const);
      const [env, name] = pair ?? [];
      if (typeof name === 'string' && name.startsWith('.'))
        includes[at] = new Map([[env ?? saltenv, absolute(name, sls)]]);
    }
  const excludes = high.get('exclude');
  if (!Array.isArray(excludes)) return;
  for (const one of excludes) {
    const name = isDict(one) ? one.get('sls') : undefined;
    if (isDict(one) && typeof name === 'string' && name.startsWith('.')) one.set('sls', absolute(name, sls));
  }
}

/** Gives ids with a dot in front the name of their SLS, also where requisites name them. @throws SaltRenderError */
export function renameIds(high: Dict, sls: string, names: StateconfNames, isExtend = false): void {
  const extend = high.get('extend');
  if (!isExtend && isDict(extend)) renameIds(extend, sls, names, true);
  for (const { args } of statesOf(high))
    for (const [item, state, id] of requisites(args, REQUISITES))
      if (id.startsWith('.')) item.set(state, absoluteId(id, sls));
  for (const id of [...high.keys()]) {
    if (typeof id !== 'string' || !id.startsWith('.')) continue;
    const whole = absoluteId(id, sls);
    if (high.has(whole))
      throw new SaltRenderError(
        `Can't rename state id(${id}) into ${whole} because the later already exists!`,
      );
    const states = high.get(id) as Value;
    if (isDict(states)) nameAfterId(states, id, names);
    high.set(whole, states);
    high.delete(id);
  }
}

/** States without a name of their own have the id without its dot. */
function nameAfterId(states: Dict, id: string, names: StateconfNames): void {
  for (const [state, args] of states) {
    if (moduleOf(pyStr(state)) === moduleOf(names.settings) || !Array.isArray(args)) continue;
    const hasName = [...named(args)].some(([, name]) => name === 'name');
    if (!hasName) args.unshift(new Map([['name', id.slice(1)]]));
  }
}

function absoluteId(id: string, sls: string): string {
  if (id.includes('::')) return absolute(id, sls);
  const whole = absolute(id, `${sls}.`);
  const dot = whole.lastIndexOf('.');
  return dot < 0 ? whole : `${whole.slice(0, dot)}::${whole.slice(dot + 1)}`;
}

function absolute(relative: string, sls: string): string {
  const [, dots = '', rest = ''] = /^(\.+)([^]*)$/.exec(relative) ?? [];
  const parts = sls.split('.');
  if (dots.length > parts.length)
    throw new SaltRenderError('Attempted relative include goes beyond top level package');
  return [...parts.slice(0, parts.length - dots.length), rest].join('.');
}
