/** What a minion knows about itself, in one place: options, grains, pillar and the modules that follow from them. */
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import {
  ModuleRegistry,
  createModuleContext,
  type CustomModule,
  type RegistryOptions,
} from '../../runtime/loader/registry.ts';
import type { JobContext, LoadContext, MinionServices, ModuleContext } from '../../runtime/loader/module.ts';
import { sharePython, type OpenPython } from '../../runtime/python-host/of-job.ts';
import { pythonFileNames } from '../../runtime/extensions/folder.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { WaitingRoom } from '../../plugins/registry/returner/run.ts';
import type { OpenStores } from '../../plugins/shared/returner/open-stores.ts';
import type { ReturnerTroubles } from '../../plugins/shared/returner/troubles.ts';
import type { Subject } from '../../runtime/targeting/target.ts';
import { toNumber, type Dict, type Value } from '../../python/values/value.ts';
import type { MasterAddress } from './master-address.ts';
import { masterBeside } from './master-beside.ts';

/** What does not change while a minion runs. */
export interface MinionStateDeps {
  readonly opts: MinionOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Custom modules. */
  readonly custom?: CustomModules;
  /** Modules of an installed Salt (`salt_python`). */
  readonly installed?: InstalledSource;
  /** The process that runs custom modules in Python. */
  readonly python?: OpenPython;
  /** Told that modules are to be loaded anew, so that what is remembered of custom ones is forgotten. */
  readonly onReload?: () => void;
  /** Takes returns that a returner's database cannot take now; without it they are a line in the log. */
  readonly waiting?: WaitingRoom;
}

/** Finds the modules of a name in an installed Salt. */
export type InstalledSource = (
  name: string,
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
) => Promise<readonly CustomModule[]>;

/** Finds custom modules that have functions: all, or those of the file of a name. */
export type CustomModules = (
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
  file?: string,
) => Promise<readonly CustomModule[]>;

/** The minion's knowledge. Grains and pillar are replaced whole, never changed in place. */
export class MinionState {
  readonly deps: MinionStateDeps;
  readonly id: string;
  readonly opts: Dict;
  #grains: Dict;
  #pillar: Dict = new Map();
  #registry: ModuleRegistry;
  #returners: ModuleRegistry | undefined;
  #stores: OpenStores | undefined;
  #troubles: ReturnerTroubles | undefined;
  #master: string | undefined;

  constructor(deps: MinionStateDeps, grains: Dict) {
    this.deps = deps;
    this.id = deps.opts.get('id');
    this.opts = deps.opts.toDict();
    this.#grains = grains;
    this.#registry = this.#newRegistry();
  }

  /** Notes which master this state is for: options and grains name it. */
  serve({ host, port }: MasterAddress): void {
    this.#master = host;
    this.opts.set('master', host);
    this.opts.set('master_port', port);
    if (this.#grains.get('master') !== host) this.grains = new Map(this.#grains);
  }

  get grains(): Dict {
    return this.#grains;
  }

  set grains(grains: Dict) {
    this.#grains =
      this.#master === undefined ? grains : new Map<Value, Value>([...grains, ['master', this.#master]]);
    this.reloadModules();
  }

  get pillar(): Dict {
    return this.#pillar;
  }

  set pillar(pillar: Dict) {
    this.#pillar = pillar;
  }

  /** Forgets the loaded modules; the next call loads them anew. */
  reloadModules(): void {
    this.deps.onReload?.();
    this.#returners = undefined;
    this.#registry = this.#newRegistry();
  }

  /** The minion as targets are tried on it. */
  subject(): Subject {
    return { id: this.id, grains: this.#grains, pillar: this.#pillar };
  }

  /** The modules as they are now. */
  get registry(): ModuleRegistry {
    return this.#registry;
  }

  /** The returners as they are now. */
  async returners(): Promise<ModuleRegistry> {
    const [{ returnerRegistry }, { OpenStores }] = await Promise.all([
      import('../../plugins/registry/returner/run.ts'),
      import('../../plugins/shared/returner/open-stores.ts'),
    ]);
    const keep = toNumber(this.opts.get('keep_jobs_seconds'));
    this.#stores ??= new OpenStores({
      clock: this.deps.clock,
      connectionsMax: 2,
      warn: (text) => this.deps.log.warning(text),
      ...(keep === undefined ? {} : { keepJobsSeconds: keep }),
    });
    return (this.#returners ??= returnerRegistry(this.#registryOptions('returners'), this.#stores));
  }

  /** What is known of returners that fail. */
  async returnerTroubles(): Promise<ReturnerTroubles> {
    const { ReturnerTroubles } = await import('../../plugins/shared/returner/troubles.ts');
    return (this.#troubles ??= new ReturnerTroubles());
  }

  /** Closes the databases that returners have opened. */
  async close(): Promise<void> {
    await this.#stores?.close();
  }

  /** The context of one job. */
  context(job: JobContext, services: MinionServices, signal: AbortSignal): ModuleContext {
    const { clock, random, log, python } = this.deps;
    sharePython(job, python);
    return createModuleContext(this.#registry, {
      id: this.id,
      opts: this.opts,
      grains: this.#grains,
      pillar: this.#pillar,
      job,
      signal,
      services,
      masterBeside: masterBeside({ opts: this.opts, signal, clock, random, log }),
      clock,
      random,
      log,
    });
  }

  #newRegistry(): ModuleRegistry {
    return new ModuleRegistry({
      ...this.#registryOptions('modules'),
      table: MODULE_TABLE,
      states: (context) => this.#stateModules(context),
      returners: () => this.returners(),
      catalogs: {
        returners: async () => (await this.returners()).modules(),
        renderers: async () =>
          (await import('./renderer-descriptions.ts')).rendererDescriptions({
            ...this.deps,
            opts: this.opts,
            grains: this.#grains,
          }),
      },
    });
  }

  async #stateModules(context: LoadContext): Promise<ModuleRegistry> {
    const { STATE_TABLE } = await import('../../plugins/registry/state/table.generated.ts');
    return new ModuleRegistry({
      ...this.#registryOptions('states'),
      ...context,
      table: STATE_TABLE,
      kind: 'states',
    });
  }

  #registryOptions(
    kind: 'modules' | 'states' | 'returners',
  ): Pick<
    RegistryOptions,
    'opts' | 'grains' | 'pillarNow' | 'parts' | 'custom' | 'customFiles' | 'installed' | 'functions'
  > {
    const { clock, random, log } = this.deps;
    return {
      opts: this.opts,
      grains: this.#grains,
      pillarNow: () => this.#pillar,
      parts: { clock, random, log },
      ...(kind === 'returners' ? { functions: this.#registry } : {}),
      ...registrySources(this.deps, kind),
    };
  }
}

/** Where a registry finds the site's own modules of a kind, and those of an installed Salt. */
export function registrySources(
  { custom, installed }: Pick<MinionStateDeps, 'custom' | 'installed'>,
  kind: 'modules' | 'states' | 'returners',
): Pick<RegistryOptions, 'custom' | 'customFiles' | 'installed'> {
  return {
    ...(custom === undefined
      ? {}
      : {
          custom: (context: LoadContext, file?: string) => custom(context, kind, file),
          customFiles: (opts: Dict) => pythonFileNames(opts, kind),
        }),
    ...(installed === undefined
      ? {}
      : { installed: (name: string, context: LoadContext) => installed(name, context, kind) }),
  };
}
