/** The pillar made anew on behalf of a function: by the master, or here where files are local. */
import type { TemplateFunctions } from '../renderers/renderer.ts';
import { withoutMinion } from '../loader/no-minion.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { extraMinionData } from './extra-minion-data.ts';

/** What a fresh pillar is made from besides the options of the context. */
export interface FreshPillarOptions {
  readonly pillarenv?: Value;
  readonly saltenv?: Value;
  readonly override?: Value;
  readonly ext?: Value;
}

const textOrNull = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

/** The functions of the context, called with the options, grains and pillar that pillar files see. */
function functionsFor(
  ctx: ModuleContext,
  made: { readonly opts: Dict; readonly grains: Dict; readonly pillar: Dict },
): TemplateFunctions {
  const functions = ctx.functions.within(() => inside, made);
  const inside: ModuleContext = {
    ...ctx,
    ...made,
    functions,
    services: withoutMinion('While pillar is made there is no master to ask.'),
  };
  return {
    has: (name) => functions.has(name),
    find: async (name) => (await functions.find(name)).spec,
    hasModule: async (name) => (await functions.module(name)) !== undefined,
    call: (name, args, kwargs) => functions.call(name, args, new Map<Value, Value>(kwargs)),
  };
}

/** @throws CommandExecutionError when the master gives none */
export async function freshPillar(ctx: ModuleContext, options: FreshPillarOptions): Promise<Dict> {
  const { opts, id } = ctx;
  const follows = truthy(opts.get('pillarenv_from_saltenv'));
  const env =
    options.pillarenv ?? (follows ? (options.saltenv ?? opts.get('saltenv')) : opts.get('pillarenv'));
  const override = isDict(options.override) ? options.override : new Map<Value, Value>();
  const isAlone = opts.get('master_type') === 'disable';
  if (isAlone || (opts.get('file_client') === 'local' && !truthy(opts.get('use_master_when_local')))) {
    const { PillarService } = await import('./service.ts');
    const { clock, random, log } = ctx;
    return new PillarService({
      opts,
      clock,
      random,
      log,
      functions: (made) => functionsFor(ctx, made),
    }).pillar({
      minionId: id,
      grains: ctx.grains,
      saltenv: textOrNull(opts.get('saltenv')),
      pillarenv: textOrNull(env),
      override,
      extraMinionData: extraMinionData(opts),
      ...(options.ext === undefined ? {} : { ext: options.ext }),
    });
  }
  const load: Dict = new Map<Value, Value>([
    ...dict({ cmd: '_pillar', id }),
    ['grains', ctx.grains],
    ['saltenv', opts.get('saltenv') ?? null],
    ['pillarenv', env ?? null],
    ['pillar_override', override],
    ['extra_minion_data', extraMinionData(opts)],
    ['ver', '2'],
  ]);
  if (options.ext !== undefined) load.set('ext', options.ext);
  const pillar = await ctx.services.request(load);
  if (!isDict(pillar)) throw new CommandExecutionError('The master gave no pillar.');
  return pillar;
}
