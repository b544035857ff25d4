/** Holding of packages as a part of `pkg.installed` (3006.16 salt/states/pkg.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** What holding gave: what became of each package, or why it failed as a whole. */
export type Held =
  { readonly failed: string; readonly isError: boolean } | { readonly entries: readonly Dict[] };

/** Holds packages or sets them free, when the state's keyword `hold` is there. */
export async function holdAsAsked(
  ctx: StateContext,
  hold: Value | undefined,
  words: Dict,
): Promise<Held | undefined> {
  if (hold === undefined || !(await ctx.functions.has('pkg.hold'))) return undefined;
  try {
    const answer = await ctx.functions.call(truthy(hold) ? 'pkg.hold' : 'pkg.unhold', [], words);
    const held = isDict(answer) ? answer : dict();
    if (held.has('result') && !truthy(held.get('result')))
      return {
        failed: `An error was encountered while holding/unholding package(s): ${pyStr(held.get('comment') ?? '')}`,
        isError: false,
      };
    return { entries: [...held.values()].filter(isDict) };
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    return { failed: error.message, isError: true };
  }
}

/** Entries by what became of them: changed ones, those that were so already, failed ones. */
export function sortHeld(entries: readonly Dict[]): {
  readonly changed: readonly Dict[];
  readonly same: readonly Dict[];
  readonly failed: readonly Dict[];
} {
  const isChanged = (entry: Dict): boolean => truthy(entry.get('changes'));
  const isGood = (entry: Dict): boolean => truthy(entry.get('result'));
  return {
    changed: entries.filter(isChanged),
    same: entries.filter((entry) => !isChanged(entry) && isGood(entry)),
    failed: entries.filter((entry) => !isGood(entry)),
  };
}

/** Lays the changes of holding over those of installing. */
export function addHeldChange(changes: Dict, entry: Dict): void {
  const name = entry.get('name') ?? '';
  const held = entry.get('changes');
  const part = (key: string): string => pyStr((isDict(held) ? held.get(key) : undefined) ?? '');
  const known = changes.get(name);
  if (!isDict(known)) {
    changes.set(name, dict({ new: part('new') }));
    return;
  }
  for (const key of ['new', 'old']) {
    const before = pyStr(known.get(key) ?? '');
    known.set(key, `${before}${before === '' ? '' : '\n'}${part(key)}`);
  }
}
