/** "Did you mean": for functions that minions do not know, and for ids that have no accepted key. Loaded only when needed. */
import type { MasterOptions } from '../../config/master-options.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { MODULE_TABLE } from '../../plugins/modules/table.ts';
import { closestNames, editDistance } from '../../errors/did-you-mean.ts';

/** Names given as the nearest, at most. */
const NAMES_MAX = 3;

/** Every function of this version's modules. */
export async function functionNames(): Promise<string[]> {
  const modules = await Promise.all(
    MODULE_TABLE.map(async ({ name, load }) => ({ name, functions: (await load()).functions })),
  );
  return modules.flatMap(({ name, functions }) => Object.keys(functions).map((fun) => `${name}.${fun}`));
}

/** A line for a function that is not available; undefined when nothing is near. */
export async function functionHint(fun: string): Promise<string | undefined> {
  return hintLine(fun, closestNames(fun, await functionNames(), NAMES_MAX));
}

/** A line for an id that no accepted minion has; undefined when nothing is near. */
export function minionHint(opts: MasterOptions, id: string): string | undefined {
  try {
    return hintLine(id, closestNames(id, new KeyStore(opts.get('pki_dir')).list('accepted'), NAMES_MAX));
  } catch {
    return undefined; // keys that cannot be read are no reason to fail: this is only a hint
  }
}

function hintLine(typed: string, near: readonly string[]): string | undefined {
  const distance = (name: string): number => editDistance(typed.toLowerCase(), name.toLowerCase());
  const best = Math.min(...near.map(distance));
  // names that are further away than the nearest only distract
  const others = near.filter((name) => name !== typed && distance(name) === best).map((name) => `'${name}'`);
  if (others.length === 0) return undefined;
  return `Hint: there is no '${typed}'. Did you mean ${others.join(' or ')}?`;
}

/** The ids that a target names one by one; empty for patterns. */
export function namedIds(tgt: unknown, tgtType: string): string[] {
  if (tgtType === 'list' && Array.isArray(tgt)) return tgt.map(String);
  return tgtType === 'glob' && typeof tgt === 'string' && !/[*?[]/.test(tgt) ? [tgt] : [];
}
