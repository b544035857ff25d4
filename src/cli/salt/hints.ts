/**
 * "Did you mean": for functions that minions do not know, and for ids that have no accepted key. Loaded only when
 * needed.
 */
import type { MasterOptions } from '../../config/master-options.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import { BrineError } from '../../errors/errors.ts';
import { publishAndWatch, type WatchJobDeps } from '../../runtime/client/watch-job.ts';
import { hintAmong } from '../program/hint.ts';

/** So long a minion that has just returned is waited for. */
const ASKED_MS = 1_000;

/** Every function of this version's modules. */
export async function functionNames(): Promise<string[]> {
  const modules = await Promise.all(
    MODULE_TABLE.map(async ({ name, load }) => ({ name, functions: (await load()).functions })),
  );
  return modules.flatMap(({ name, functions }) => Object.keys(functions).map((fun) => `${name}.${fun}`));
}

/**
 * A line for a function that is not available; undefined when nothing is near.
 * @param own functions of the site, as a minion lists them
 */
export async function functionHint(fun: string, own: readonly string[] = []): Promise<string | undefined> {
  return hintAmong(fun, [...(await functionNames()), ...own]);
}

/** The functions that a minion has; none when it does not say. */
export async function functionsOf(watch: WatchJobDeps, id: string): Promise<string[]> {
  const question = { tgt: [id], tgtType: 'list', fun: 'sys.list_functions', arg: [], timeoutMs: ASKED_MS };
  try {
    const { news } = await publishAndWatch(watch, question, { timeoutMs: ASKED_MS, gatherMs: ASKED_MS });
    for await (const item of news) {
      const known = item.kind === 'return' ? item.load.get('return') : undefined;
      if (Array.isArray(known)) return known.map(String);
    }
  } catch (error) {
    if (!(error instanceof BrineError)) throw error; // who may not ask gets no hint
  }
  return [];
}

/** A line for an id that no accepted minion has; undefined when nothing is near. */
export function minionHint(opts: MasterOptions, id: string): string | undefined {
  try {
    return hintAmong(id, new KeyStore(opts.get('pki_dir')).list('accepted'));
  } catch {
    return undefined; // keys that cannot be read are no reason to fail: this is only a hint
  }
}

/** The ids that a target names one by one; empty for patterns. */
export function namedIds(tgt: unknown, tgtType: string): string[] {
  if (tgtType === 'list' && Array.isArray(tgt)) return tgt.map(String);
  return tgtType === 'glob' && typeof tgt === 'string' && !/[*?[]/.test(tgt) ? [tgt] : [];
}
