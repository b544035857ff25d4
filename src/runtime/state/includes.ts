/** What stands under `include` of an SLS. */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, isInt, type Dict, type Value } from '../../python/values/value.ts';
import type { SlsPlace } from './declarations.ts';

/**
 * One include: a name, which may be relative and have wildcards, and the environment when it is not that of the file.
 */
export interface Include {
  readonly name: string;
  readonly env: string | undefined;
}

/** Takes the list under `include` out; items that name nothing are told. */
export function takeIncludes(state: Dict, { sls, errors }: SlsPlace): readonly Include[] {
  const includes = state.get('include');
  if (includes === undefined) return [];
  if (!Array.isArray(includes)) {
    errors.push(`Include Declaration in SLS ${sls} is not formed as a list`);
    return [];
  }
  state.delete('include');
  return includes.flatMap((item) => {
    const include = readInclude(item);
    if (typeof include !== 'string') return [include];
    errors.push(`Include Declaration in SLS ${sls} ${include}`);
    return [];
  });
}

/** Reads one item. @returns the include, or what is wrong with it: the rest of a sentence that begins with the list */
export function readInclude(item: Value): Include | string {
  return isDict(item) ? inEnvironment(item) : named(item);
}

function named(item: Value, env?: string): Include | string {
  if (typeof item === 'string' || isInt(item)) return { name: pyStr(item), env };
  return `has ${item === null ? 'an empty item' : pyRepr(item)} where the name of an SLS has to stand`;
}

/** `{environment: name}`. */
function inEnvironment(item: Dict): Include | string {
  const [first] = item;
  if (first === undefined) return 'has an empty mapping where the name of an SLS has to stand';
  const [env, name] = [pyStr(first[0]), first[1]];
  if (item.size > 1)
    return `has ${[...item.keys()].map(pyRepr).join(' and ')} in one item: each include is an item of its own`;
  if (name === null) return `has a colon behind '${env}': write '- ${env}', or '- environment: ${env}'`;
  if (isDict(name))
    return (
      `has a mapping below '${env}': what is behind the colon of an environment is the name of one SLS. ` +
      '(key and defaults are for includes of pillar.)'
    );
  return named(name, env);
}
