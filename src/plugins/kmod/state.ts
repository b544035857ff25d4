/** `kmod`: modules of the kernel (3006.16 salt/states/kmod.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

/** What a state is asked for. */
interface WantedModules {
  readonly name: string;
  readonly mods: readonly Value[];
  readonly persist: boolean;
}

const listOf = (value: Value): Value[] => (Array.isArray(value) ? value : []);
const names = (mods: readonly Value[]): string => mods.map(pyStr).join(', ');
const some = (mods: readonly Value[], one: string, many: string): string =>
  mods.length === 1 ? `Kernel module ${names(mods)} ${one}` : `Kernel modules ${names(mods)} ${many}`;

/** The modules that are loaded, and with `persist` those that are kept. */
async function loadedModules(
  ctx: StateContext,
  persist: boolean,
): Promise<{ loaded: Value[]; kept: Value[] | undefined }> {
  const loaded = listOf(await ctx.functions.call('kmod.mod_list'));
  if (!persist) return { loaded, kept: undefined };
  return { loaded, kept: listOf(await ctx.functions.call('kmod.mod_list', [true])) };
}

/** What came of loading or removing modules one by one. */
class Outcomes {
  readonly changes: Dict = dict();
  readonly good: Value[] = [];
  readonly idle: Value[] = [];
  readonly failed: [Value, Value][] = [];

  /** @param answer the modules that were changed with it, or what was said against it */
  add(mod: Value, answer: Value, word: string): void {
    if (!Array.isArray(answer)) this.failed.push([mod, answer]);
    else if (answer.length === 0) this.idle.push(mod);
    else {
      for (const changed of answer) this.changes.set(changed, word);
      this.good.push(mod);
    }
  }

  /** Sentences such as `Loaded kernel module x`. */
  sentences(done: string, undone: string): string[] {
    const plural = (mods: readonly Value[]): string => (mods.length === 1 ? 'module' : 'modules');
    return [
      ...(this.good.length > 0 ? [`${done} kernel ${plural(this.good)} ${names(this.good)}`] : []),
      ...(this.idle.length > 0
        ? [`Failed to ${undone} kernel ${plural(this.idle)} ${names(this.idle)}`]
        : []),
      ...this.failed.map(([mod, why]) => `Failed to ${undone} kernel module ${pyStr(mod)}: ${pyStr(why)}`),
    ];
  }

  get isGood(): boolean {
    return this.idle.length + this.failed.length === 0;
  }
}

async function present(ctx: StateContext, { name, mods, persist }: WantedModules): Promise<StateResult> {
  const { loaded, kept } = await loadedModules(ctx, persist);
  const isThere = (mod: Value): boolean => loaded.includes(mod) && (kept?.includes(mod) ?? true);
  const there = mods.filter(isThere);
  const missing = mods.filter((mod) => !isThere(mod));
  const said = there.length > 0 ? [some(there, 'is already present', 'are already present')] : [];
  if (missing.length === 0) return outcomeResultFirst(name, true, said.join('\n'));
  const available = listOf(await ctx.functions.call('kmod.available'));
  const unavailable = missing.filter((mod) => !available.includes(mod));
  // Salt compat: there, test mode promises a module that is none
  if (ctx.state.test && (unavailable.length === 0 || mayBeMade(ctx)))
    return outcomeResultFirst(
      name,
      null,
      [...said, some(missing, 'is set to be loaded', 'are set to be loaded')].join('\n'),
    );
  if (unavailable.length > 0) said.push(some(unavailable, 'is unavailable', 'are unavailable'));
  if (ctx.state.test) return outcomeResultFirst(name, false, said.join('\n'));
  const outcomes = new Outcomes();
  for (const mod of missing.filter((one) => !unavailable.includes(one))) {
    if (outcomes.changes.has(mod)) outcomes.good.push(mod);
    else outcomes.add(mod, await ctx.functions.call('kmod.load', [mod, persist]), 'loaded');
  }
  const isGood = unavailable.length === 0 && outcomes.isGood;
  return outcomeResultFirst(
    name,
    isGood,
    [...said, ...outcomes.sentences('Loaded', 'load')].join('\n'),
    outcomes.changes,
  );
}

async function absent(
  ctx: StateContext,
  { name, mods, persist }: WantedModules,
  comment: Value,
): Promise<StateResult> {
  const { loaded, kept } = await loadedModules(ctx, persist);
  const there = mods.filter((mod) => loaded.includes(mod) || (kept?.includes(mod) ?? false));
  if (there.length === 0)
    return outcomeResultFirst(name, true, some(mods, 'is already removed', 'are already removed'));
  if (ctx.state.test)
    return outcomeResultFirst(name, null, some(there, 'is set to be removed', 'are set to be removed'));
  const outcomes = new Outcomes();
  for (const mod of there)
    outcomes.add(mod, await ctx.functions.call('kmod.remove', [mod, persist, comment]), 'removed');
  return outcomeResultFirst(
    name,
    outcomes.isGood,
    outcomes.sentences('Removed', 'remove').join('\n'),
    outcomes.changes,
  );
}

const NAME = param.text({ doc: 'The module.' });
const PERSIST = param.flag({ default: false, doc: 'Also after the next start.' });
const MODS = param.listIfGiven({
  default: null,
  doc: 'Several modules, in place of the one that is the name.',
});

/** The states of `kmod`. */
export const kmodStates = defineModule({
  name: 'kmod',
  file: 'kmod',
  doc: 'Modules of the kernel.',
  needs: { fun: 'kmod.available', otherwise: 'kmod module could not be loaded' },
  words: {},
  functions: {
    present: defineState({
      doc: 'Makes sure that modules of the kernel are loaded.',
      params: { name: NAME, persist: PERSIST, mods: MODS },
      run: (ctx, { name, persist, mods }) => present(ctx, { name, persist, mods: mods ?? [name] }),
    }),
    absent: defineState({
      doc: 'Makes sure that modules of the kernel are not loaded.',
      params: {
        name: NAME,
        persist: PERSIST,
        comment: param.value({
          default: true,
          type: 'bool',
          doc: 'Comment the line of the module out, and do not remove it.',
        }),
        mods: MODS,
      },
      run: (ctx, { name, persist, comment, mods }) =>
        absent(ctx, { name, persist, mods: mods ?? [name] }, comment),
    }),
  },
});
