/** What state modules do once for many states: `mod_init` and `mod_aggregate` (salt/state.py, 3006.16). */
import { ArgumentError, messageOf } from '../../errors/errors.ts';
import { callFunction } from '../loader/registry.ts';
import type { ModuleContext } from '../loader/module.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { RunEnvironment } from './run-environment.ts';
import { textIn } from './result.ts';

/** Calls `mod_init` once for each state module, and `mod_aggregate` where a state asks for it. */
export class ModuleHooks {
  readonly #environment: RunEnvironment;
  readonly #initialised = new Set<string>();
  #asked: { readonly of: ModuleContext; readonly option: Promise<Value> } | undefined;

  constructor(environment: RunEnvironment) {
    this.#environment = environment;
  }

  /** Has a state module prepare itself, before its first state that exists. */
  async init(low: Dict): Promise<void> {
    const state = textIn(low, 'state');
    if (this.#initialised.has(state)) return;
    const states = await this.#environment.states();
    if ((await states.find(`${state}.${textIn(low, 'fun')}`)).spec === undefined) return;
    const { spec } = await states.find(`${state}.mod_init`);
    if (spec === undefined) return;
    const ctx = await this.#context(low, [], new Map());
    if (truthy(await callFunction(`${state}.mod_init`, spec, ctx, [low], new Map())))
      this.#initialised.add(state);
  }

  /** Whether a chunk may be joined with others of its kind: it asks for that, and its module can do it. */
  async mayJoin(low: Dict): Promise<boolean> {
    const state = textIn(low, 'state');
    if (truthy(low.get('__agg__')) || !(await this.#isWanted(low, state))) return false;
    return (await (await this.#environment.states()).find(`${state}.mod_aggregate`)).spec !== undefined;
  }

  /** Whether another chunk may be joined with one of its kind: it need not ask for that, but can refuse it. */
  async mayBeJoined(chunk: Dict): Promise<boolean> {
    if (truthy(chunk.get('__agg__'))) return false;
    return chunk.get('aggregate') === undefined || (await this.#isWanted(chunk, textIn(chunk, 'state')));
  }

  /**
   * The chunk after others were joined with it.
   * @param group itself and those that may be joined with it, in their order
   */
  async join(low: Dict, group: readonly Dict[], running: Dict): Promise<Dict> {
    const state = textIn(low, 'state');
    const full = `${state}.mod_aggregate`;
    const { spec } = await (await this.#environment.states()).find(full);
    if (spec === undefined) return low;
    try {
      const ctx = await this.#context(low, group, running);
      const joined = await callFunction(full, spec, ctx, [low, [...group], running], new Map());
      return isDict(joined) ? joined : low;
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      this.#environment.job.log.error(`Failed to execute aggregate for state ${state}: ${messageOf(error)}`);
      return low;
    }
  }

  async #isWanted(low: Dict, state: string): Promise<boolean> {
    const option = low.get('aggregate') ?? (await this.#option());
    return option === true || (Array.isArray(option) && option.includes(state));
  }

  /** The option `state_aggregate`, looked up once for as long as options, grains and pillar are the same. */
  #option(): Promise<Value> {
    const { context } = this.#environment;
    if (this.#asked?.of !== context)
      this.#asked = { of: context, option: context.functions.call('config.option', ['state_aggregate']) };
    return this.#asked.option;
  }

  #context(low: Dict, lowstate: readonly Dict[], running: Dict): Promise<ModuleContext> {
    return this.#environment.forState({ test: this.#environment.isTest, low, lowstate, running });
  }
}
