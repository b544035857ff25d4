/** The execution functions that pillar files may call (`salt['grains.get'](…)`), run where pillar is made. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { TemplateFunctions } from '../renderers/renderer.ts';
import type { Dict } from '../../python/values/value.ts';
import type { MasterBeside } from '../loader/master-services.ts';
import type { FunctionCaller } from '../loader/module.ts';
import type { RegistryOptions } from '../loader/registry.ts';
import type { ModuleEntry } from '../loader/module-entry.ts';
import { functionsForTemplates } from '../loader/for-templates.ts';
import { withoutMinion } from '../loader/no-minion.ts';

/** What functions are made with. */
export interface FunctionCallerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The execution modules behind `salt`, asked for at the first call. */
  readonly modules: () => Promise<readonly ModuleEntry[]>;
  /** The site's own modules, and those of an installed Salt. */
  readonly own?: Pick<RegistryOptions, 'custom' | 'customFiles' | 'installed'>;
  /** The master for whom, or beside whom, pillar is made. */
  readonly masterBeside?: MasterBeside;
}

/** Functions of the loader, with a minion's options, grains and pillar. Nothing is loaded before the first call. */
export function loadedFunctions(
  context: { readonly opts: Dict; readonly grains: Dict; readonly pillar: Dict },
  deps: FunctionCallerDeps,
): TemplateFunctions {
  let caller: Promise<FunctionCaller> | undefined;
  const functions = (): Promise<FunctionCaller> => (caller ??= makeCaller(context, deps));
  return functionsForTemplates(functions);
}

async function makeCaller(
  { opts, grains, pillar }: { readonly opts: Dict; readonly grains: Dict; readonly pillar: Dict },
  { clock, random, log, modules, own = {}, masterBeside }: FunctionCallerDeps,
): Promise<FunctionCaller> {
  const { ModuleRegistry, createModuleContext } = await import('../loader/registry.ts');
  const registry = new ModuleRegistry({
    ...{ opts, grains, table: await modules() },
    parts: { clock, random, log },
    ...own,
  });
  return createModuleContext(registry, {
    id: String(opts.get('id')),
    opts,
    grains,
    pillar,
    job: { jid: '', fun: 'pillar', pub: new Map() },
    signal: new AbortController().signal,
    services: withoutMinion('While pillar is made there is no master to ask.'),
    clock,
    random,
    log,
    ...(masterBeside === undefined ? {} : { masterBeside }),
  }).functions;
}
