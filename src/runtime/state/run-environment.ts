/**
 * What a state run works in: options, grains and pillar of its own, and the functions that see them. All of it can be
 * loaded anew while the run goes on (salt/state.py `load_modules`, `check_refresh`, 3006.16).
 */
import type { FunctionCaller, FunctionSource, ModuleContext, StateFacts } from '../loader/module.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { hasChanges, textIn } from './result.ts';
import { stateContext } from './state-context.ts';

/** What a run begins with. */
export interface RunEnvironmentDeps {
  /** The context of the job. */
  readonly job: ModuleContext;
  /** The options of the run, `test` and `saltenv` among them. */
  readonly opts: Dict;
  readonly pillar: Dict;
  /** Makes the pillar anew. */
  readonly makePillar: () => Promise<Dict>;
}

/** Endings of files that hold modules. */
const MODULE_FILE = /\.(?:py[xoc]?|so|[cm]?[jt]s)$/;

/** Options, grains, pillar and functions of one run; all of it can be loaded anew on the way. */
export class RunEnvironment {
  readonly job: ModuleContext;
  readonly opts: Dict;
  /** What the states of the run share. */
  readonly memory = new Map<string, Value>();
  readonly #makePillar: () => Promise<Dict>;
  #pillar: Dict;
  #grains: Dict;
  #functions: FunctionCaller;
  #context: ModuleContext;
  #retcode = 0;

  constructor({ job, opts, pillar, makePillar }: RunEnvironmentDeps) {
    this.job = job;
    this.opts = opts;
    this.#pillar = pillar;
    this.#grains = job.grains;
    this.#functions = job.functions;
    this.#makePillar = makePillar;
    this.#context = this.#newContext();
  }

  /** The context in which execution functions run. */
  get context(): ModuleContext {
    return this.#context;
  }

  /** Whether nothing may be changed. */
  get isTest(): boolean {
    return truthy(this.opts.get('test'));
  }

  states(): Promise<FunctionSource> {
    return this.#functions.states();
  }

  /** The context of one state call; the option `provider` of the state puts other files behind the names of modules. */
  async forState(facts: StateFacts): Promise<ModuleContext> {
    const providers = providersOf(facts.low);
    const base = providers === undefined ? this.#context : this.#newContext(providers);
    return stateContext(base, await this.states(), facts, this.memory);
  }

  /** Loads anew what a state that has run asks for, or is known to change. */
  async refreshAfter(low: Dict, result: Dict): Promise<void> {
    const { log, services } = this.job;
    const isReloading = truthy(low.get('reload_grains')) || truthy(low.get('reload_pillar'));
    if (truthy(low.get('reload_grains'))) {
      log.debug('Refreshing grains...');
      this.#grains = (await services.grains?.()) ?? this.#grains;
    }
    if (truthy(low.get('reload_pillar'))) {
      log.debug('Refreshing pillar...');
      this.#pillar = await this.#makePillar();
    }
    if (isReloading) this.#context = this.#newContext();
    const isDue = hasChanges(result)
      ? truthy(low.get('reload_modules')) || isReloading || bringsModules(low)
      : truthy(low.get('force_reload_modules'));
    if (isDue) await this.#reloadModules();
  }

  async #reloadModules(): Promise<void> {
    this.job.log.debug('Refreshing modules...');
    const { opts } = this;
    this.#functions = this.job.functions.within(() => this.#context, { opts, grains: this.#grains });
    this.#context = this.#newContext();
    if (truthy(opts.get('local')) || opts.get('multiprocessing') === false) return;
    await this.#context.functions.call('saltutil.refresh_modules');
  }

  #newContext(providers?: Dict): ModuleContext {
    const { opts } = this;
    const grains = this.#grains;
    const anew =
      providers === undefined
        ? undefined
        : { opts: new Map<Value, Value>([...opts, ['providers', providers]]), grains };
    const retcode = (): number => this.#retcode;
    const context: ModuleContext = {
      ...this.job,
      opts,
      grains,
      pillar: this.#pillar,
      functions: this.#functions.within(() => context, anew),
      get retcode() {
        return retcode();
      },
      setRetcode: (code) => {
        this.#retcode = code;
      },
    };
    return context;
  }
}

/** States whose changes may bring modules. */
function bringsModules(low: Dict): boolean {
  const [state, fun, name] = ['state', 'fun', 'name'].map((key) => textIn(low, key)) as [
    string,
    string,
    string,
  ];
  if (state === 'file')
    return (
      (fun === 'managed' && MODULE_FILE.test(name)) ||
      fun === 'recurse' ||
      (fun === 'symlink' && name.includes('bin'))
    );
  return ['pkg', 'ports', 'pip'].includes(state);
}

/** The option `provider` of a state as the option `providers` of the loader. */
function providersOf(low: Dict): Dict | undefined {
  const given = low.get('provider');
  if (typeof given === 'string' && given !== '') return dict({ [textIn(low, 'state')]: given });
  if (!Array.isArray(given)) return undefined;
  return new Map(given.flatMap((one) => (one instanceof Map ? [...one] : [])));
}
