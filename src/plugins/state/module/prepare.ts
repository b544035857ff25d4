/** What every function of `state` begins with: the options, the pillar and the compiler of its run. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { SaltInvocationError } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { mergeDicts, type MergeStrategy } from '../../../formats/data/dict-merge.ts';
import { freshPillar } from '../../../runtime/pillar/fresh.ts';
import { runOptions } from '../../../runtime/state/options.ts';
import { StateCompiler } from '../../../runtime/state/compile.ts';
import { decryptOverride } from '../../pillar/module/override.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** What a run works with. */
export interface PreparedRun {
  readonly opts: Dict;
  readonly pillar: Dict;
  readonly compiler: StateCompiler;
  /** Why the pillar cannot be used; empty with `force`. */
  readonly pillarErrors: readonly Value[];
}

/**
 * Prepares a run.
 * @param kwargs the keywords of the function: `saltenv`, `pillarenv`, `pillar`, `force`
 * @param options further options of this run; with `saltenv` that one holds where none is configured or named
 * @throws SaltInvocationError when `pillar` is no mapping; CommandExecutionError when `lock_saltenv` forbids the
 *   environment
 */
export async function prepareRun(
  ctx: ModuleContext,
  kwargs: Dict,
  options: { readonly saltenv?: string; readonly opts?: Dict } = {},
): Promise<PreparedRun> {
  const opts = runOptions(ctx.opts, kwargs);
  for (const [name, value] of options.opts ?? []) opts.set(name, value);
  if ((opts.get('saltenv') ?? null) === null) opts.set('saltenv', options.saltenv ?? null);
  const pillar = await runPillar(ctx, opts, kwargs);
  const faults = truthy(kwargs.get('force')) ? [] : pillar.get('_errors');
  return {
    opts,
    pillar,
    compiler: new StateCompiler(ctx, opts, pillar),
    pillarErrors: Array.isArray(faults) ? faults : [],
  };
}

/** What the caller gives over the pillar; null without it. */
async function givenPillar(ctx: ModuleContext, kwargs: Dict): Promise<Dict | null> {
  const given = kwargs.get('pillar') ?? null;
  const renderer = kwargs.get('pillar_enc') ?? null;
  if (given !== null && truthy(renderer))
    return decryptOverride(ctx, given, { renderer, fault: (message) => new SaltInvocationError(message) });
  if (given !== null && !isDict(given))
    throw new SaltInvocationError(
      'Pillar data must be formatted as a dictionary, unless pillar_enc is specified.',
    );
  return given;
}

/** The pillar of a run: made anew, unless `salt-call` has just made it. */
async function runPillar(ctx: ModuleContext, opts: Dict, kwargs: Dict): Promise<Dict> {
  const override = await givenPillar(ctx, kwargs);
  const isMade =
    ctx.opts.get('__cli') === 'salt-call' &&
    (opts.get('pillarenv') ?? null) === optionOf(ctx.opts, 'pillarenv');
  if (isMade && !truthy(override)) return ctx.pillar;
  const pillar = await freshPillar({ ...ctx, opts }, { override });
  if (override === null || override.size === 0) return pillar;
  const strategy = pyStr(opts.get('pillar_source_merging_strategy') ?? 'smart') as MergeStrategy;
  return mergeDicts(pillar, override, strategy, truthy(opts.get('pillar_merge_lists')));
}
