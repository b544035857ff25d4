/** The pillar made anew on behalf of a function: by the master, or here where files are local. */
import { CommandExecutionError } from '../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../values/value.ts';

/** What a fresh pillar is made from besides the options of the context. */
export interface FreshPillarOptions {
  readonly pillarenv?: Value;
  readonly saltenv?: Value;
  readonly override?: Value;
  readonly ext?: Value;
}

const textOrNull = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

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
    return new PillarService({ opts, clock, random, log }).pillar({
      minionId: id,
      grains: ctx.grains,
      saltenv: textOrNull(opts.get('saltenv')),
      pillarenv: textOrNull(env),
      override,
      ...(options.ext === undefined ? {} : { ext: options.ext }),
    });
  }
  const load: Dict = new Map<Value, Value>([
    ...dict({ cmd: '_pillar', id }),
    ['grains', ctx.grains],
    ['saltenv', opts.get('saltenv') ?? null],
    ['pillarenv', env ?? null],
    ['pillar_override', override],
    ['extra_minion_data', new Map()],
    ['ver', '2'],
  ]);
  if (options.ext !== undefined) load.set('ext', options.ext);
  const pillar = await ctx.services.request(load);
  if (!isDict(pillar)) throw new CommandExecutionError('The master gave no pillar.');
  return pillar;
}
