/** Joining the top files of the states, by each of Salt's strategies (salt/state.py `_merge_tops_*`, 3006.16). */
import type { Logger } from '../../host/log.ts';
import { SaltRenderError } from '../renderers/renderer.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { dictAt } from './high-data.ts';

/** The top files of each environment, rendered; without their includes. */
export type Tops = ReadonlyMap<string, readonly Dict[]>;

const INCLUDE = 'include';

/** The targets of one section. @throws SaltRenderError */
function targetsOf(section: Value): Dict {
  if (isDict(section)) return section;
  throw new SaltRenderError('Unable to render top file. No targets found.');
}

function add(top: Dict, env: Value, section: Value): void {
  for (const [target, list] of targetsOf(section)) dictAt(top, env).set(target, list);
}

/** `base` decides; of another top file only the section of its own environment counts, unless there is one already. */
function merge(tops: Tops): Dict {
  const top: Dict = new Map();
  for (const file of tops.get('base') ?? [])
    for (const [env, section] of file) if (env !== INCLUDE) add(top, env, section);
  for (const [env, files] of tops) {
    if (env === 'base') continue;
    for (const file of files) {
      const section = file.get(env);
      if (section !== undefined && !top.has(env)) add(top, env, section);
    }
  }
  return top;
}

/** Of each top file only the section of its own environment; without a top file that of `default_top`. */
function mergeSame(tops: Tops, defaultTop: string, log: Logger): Dict {
  const top: Dict = new Map();
  const isEmpty = (files: readonly Dict[]): boolean => files.every((file) => file.size === 0);
  for (const [env, files] of tops) {
    const counts = isEmpty(files) ? (tops.get(defaultTop) ?? []) : files;
    if (isEmpty(counts)) {
      log.error(
        `The '${env}' saltenv has no top file, and the fallback saltenv specified by default_top (${defaultTop}) also has no top file`,
      );
      continue;
    }
    for (const file of counts) {
      const section = file.get(env);
      if (section !== undefined) add(top, env, section);
    }
  }
  return top;
}

/** Every section of every top file; the lists of a target are joined, each SLS once. */
function mergeAll(tops: Tops): Dict {
  const top: Dict = new Map();
  for (const file of [...tops.values()].flat())
    for (const [env, section] of file) {
      if (env === INCLUDE) continue;
      for (const [target, list] of targetsOf(section)) {
        const targets = dictAt(top, env);
        const before = targets.get(target);
        targets.set(target, before === undefined ? list : joinLists(before, list));
      }
    }
  return top;
}

/** How a target is meant, from the last list that says so, then the SLS of both. */
function joinLists(before: Value, after: Value): Value[] {
  const [first, second] = [before, after].map((list) => (Array.isArray(list) ? list : []));
  const kind = second?.findLast(isDict) ?? first?.findLast(isDict);
  const isText = (item: Value): boolean => typeof item === 'string';
  const merged: Value[] = [...(kind === undefined ? [] : [kind]), ...(first?.filter(isText) ?? [])];
  const known = [...merged];
  for (const item of second?.filter(isText) ?? [])
    if (!known.some((other) => valuesEqual(other, item))) merged.push(item);
  return merged;
}

/**
 * @param strategy `top_file_merging_strategy`; one that does not exist is `merge`
 * @returns environment to targets, and each target's list
 * @throws SaltRenderError when the section of an environment is no mapping
 */
export function mergeTops(tops: Tops, strategy: Value, defaultTop: string, log: Logger): Dict {
  if (strategy === 'same') return mergeSame(tops, defaultTop, log);
  if (strategy === 'merge_all') return mergeAll(tops);
  if (strategy !== 'merge')
    log.warning(`Invalid top_file_merging_strategy '${pyStr(strategy)}', falling back to 'merge'`);
  return merge(tops);
}
