/**
 * Execution functions on the master's own machine, with the master's options and files (salt/minion.py `MasterMinion`,
 * 3006.16): for runners that call one, and for files that the master renders for itself.
 */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { executionModules } from '../../plugins/registry/module/on-demand.ts';
import { stateModules } from '../../plugins/registry/state/on-demand.ts';
import type { Dict } from '../../python/values/value.ts';
import type { MasterForFunctions } from '../../runtime/loader/master-services.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import type { RegistryOptions } from '../../runtime/loader/registry.ts';
import { pythonFileNames } from '../../runtime/extensions/folder.ts';
import { sharePython } from '../../runtime/python-host/of-job.ts';
import { ownModules } from '../../runtime/extensions/own-modules.ts';
import { withoutMinion } from '../../runtime/loader/no-minion.ts';

/** What such functions are made with. */
export interface MasterMinionDeps {
  /** The master's options by Salt's names. */
  readonly opts: Dict;
  readonly id: string;
  readonly jid: string;
  /** The function that is run, as the job that is under way names it. */
  readonly fun: string;
  readonly pillar?: Dict;
  /** What the master does for the functions; absent where they are only to render files. */
  readonly master?: MasterForFunctions;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What functions of the master's own machine work with; `find` of its functions says what is missing. */
export async function masterMinion(deps: MasterMinionDeps): Promise<ModuleContext> {
  const { opts, id, jid, fun, pillar = new Map(), master, signal, clock, random, log } = deps;
  const [{ ModuleRegistry, createModuleContext }, { masterGrains }, table] = await Promise.all([
    import('../../runtime/loader/registry.ts'),
    import('./master-grains.ts'),
    executionModules(),
  ]);
  const grains = await masterGrains({ opts, log });
  const { custom: own, installed, python } = ownModules(log);
  const kindOf = (
    kind: 'modules' | 'states',
  ): Pick<RegistryOptions, 'custom' | 'customFiles' | 'installed'> => ({
    custom: (context, file) => own(context, kind, file),
    customFiles: (of) => pythonFileNames(of, kind),
    installed: (name, context) => installed(name, context, kind),
  });
  const registry = new ModuleRegistry({
    ...{ opts, grains, table },
    ...kindOf('modules'),
    states: async (context) =>
      new ModuleRegistry({ ...context, ...kindOf('states'), table: await stateModules(), kind: 'states' }),
  });
  const job = { jid, fun, pub: new Map() };
  sharePython(job, python);
  return createModuleContext(registry, {
    id,
    opts,
    grains,
    pillar,
    ...(master === undefined ? {} : { master }),
    job,
    signal,
    services: withoutMinion('There is no master to ask: this is the master.'),
    clock,
    random,
    log,
  });
}
