/** Joining the top files of the states, by each of Salt's strategies (salt/state.py `_merge_tops_*`, 3006.16). */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../values/repr.ts';
import { isDict, type Dict, type Value } from '../../values/value.ts';

/** The top files of each environment, rendered; without their includes. */
export type Tops = ReadonlyMap<string, readonly Dict[]>;

/** Environment to targets, and each target's list. */
export type MergedTops = Map<string, Map<Value, Value>>;

const INCLUDE = 'include';

function add(top: MergedTops, env: string, targets: Value): void {
  if (!isDict(targets)) throw new CommandExecutionError('Unable to render top file. No targets found.');
  const known = top.get(env) ?? new Map<Value, Value>();
  for (const [target, list] of targets) known.set(target, list);
  if (known.size > 0) top.set(env, known);
}

/** `base` decides; of another top file only the section of its own environment counts, unless `base` has it. */
function merge(tops: Tops): MergedTops {
  const top: MergedTops = new Map();
  for (const file of tops.get('base') ?? [])
    for (const [env, targets] of file) if (env !== INCLUDE) add(top, pyStr(env), targets);
  const decided = new Set(top.keys());
  for (const [own, files] of tops) {
    if (own === 'base') continue;
    for (const file of files) {
      const targets = file.get(own);
      if (targets !== undefined && !decided.has(own)) add(top, own, targets);
      if (targets !== undefined) decided.add(own);
    }
  }
  return top;
}

/** Of each top file only the section of its own environment; without a top file that of `default_top`. */
function mergeSame(tops: Tops, defaultTop: string, log: Logger): MergedTops {
  const top: MergedTops = new Map();
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
      const targets = file.get(env);
      if (targets !== undefined) add(top, env, targets);
    }
  }
  return top;
}

/** Every section of every top file; the lists of a target are put one behind the other. */
function mergeAll(tops: Tops): MergedTops {
  const top: MergedTops = new Map();
  for (const files of tops.values())
    for (const file of files)
      for (const [env, targets] of file) {
        if (env === INCLUDE) continue;
        if (!isDict(targets)) throw new CommandExecutionError('Unable to render top file. No targets found.');
        const known = top.get(pyStr(env)) ?? new Map<Value, Value>();
        for (const [target, list] of targets) {
          const before = known.get(target);
          known.set(target, Array.isArray(before) && Array.isArray(list) ? [...before, ...list] : list);
        }
        top.set(pyStr(env), known);
      }
  return top;
}

/** @param strategy `top_file_merging_strategy`; one that does not exist is `merge` */
export function mergeTops(tops: Tops, strategy: string, defaultTop: string, log: Logger): MergedTops {
  if (strategy === 'same') return mergeSame(tops, defaultTop, log);
  if (strategy === 'merge_all') return mergeAll(tops);
  if (strategy !== 'merge')
    log.warning(`Invalid top_file_merging_strategy '${strategy}', falling back to 'merge'`);
  return merge(tops);
}
