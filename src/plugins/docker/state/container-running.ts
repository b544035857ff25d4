/** `docker_container.running` (3006.16 salt/states/docker_container.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { innerDict } from '../module/container-facts.ts';
import { TranslationError } from '../module/translate.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { requiredImage } from './container-image.ts';
import { containerNetworks } from './container-networks.ts';
import { isFormerEmpty, updateConnections, type Connections } from './container-updates.ts';
import { optionDict } from '../../shared/settings.ts';

/** What the state is given. */
export interface RunningOrder {
  readonly name: string;
  readonly image: string | undefined;
  readonly force: boolean;
  readonly start: boolean;
  /** Send this signal to a container that is right. */
  readonly signal: Value | undefined;
  readonly watchAction: Value;
  readonly shutdownTimeout: Value;
  /** The networks as they were given; null: they do not count. */
  readonly networks: Value;
  /** What the container is made with. */
  readonly words: Dict;
}

const HINT =
  '\n\nIf you feel this information is incorrect, the skip_translate argument can be used to skip input translation for the argument(s) identified as invalid. See the documentation for details.';
/** From this version on, the daemon gives each container a hardware address of its own. */
const WITH_ADDRESSES = 25;

/** Ends the state. */
class Ended extends Error {}

/** One run of the state: what is found out and done bit by bit. */
class Running {
  readonly #ctx: StateContext;
  readonly #order: RunningOrder;
  readonly #changes = dict();
  readonly #comments: string[] = [];
  readonly #warnings: string[] = [];
  #result: boolean | null = true;
  #networks: Dict = dict();
  /** The container that is there, and its image. */
  #there: Dict | undefined;
  #imageId: Value = null;
  #former: string | null = null;

  constructor(ctx: StateContext, order: RunningOrder) {
    this.#ctx = ctx;
    this.#order = order;
  }

  async run(): Promise<StateResult> {
    try {
      await this.#steps();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    const text = this.#comments.join('. ');
    return {
      name: this.#order.name,
      changes: this.#changes,
      result: this.#result,
      comment: this.#comments.length > 1 ? `${text}.` : text,
      ...(this.#warnings.length > 0 ? { warnings: this.#warnings } : {}),
    };
  }

  #call(fun: string, args: readonly Value[], words: Dict = dict()): Promise<Value> {
    return this.#ctx.functions.call(`docker.${fun}`, args, words);
  }

  #end(result: boolean | null, comment: string): never {
    this.#result = result;
    this.#comments.push(comment);
    throw new Ended();
  }

  /** Runs something whose failure ends the state with its words. */
  async #orEnd<T>(made: Promise<T>, said = (text: string): string => text): Promise<T> {
    try {
      return await made;
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return this.#end(false, said(error.message));
    }
  }

  async #inspect(name: string): Promise<Dict> {
    const found = await this.#call('inspect_container', [name]);
    return isDict(found) ? found : dict();
  }

  async #steps(): Promise<void> {
    const { image, name, force } = this.#order;
    if (image === undefined) return this.#end(false, "The 'image' argument is required");
    this.#networks = await this.#orEnd(containerNetworks(this.#ctx, this.#order.networks));
    this.#imageId = await this.#orEnd(requiredImage(this.#ctx, image, this.#changes));
    this.#there = await this.#inspect(name).catch((error: unknown) => {
      if (error instanceof CommandExecutionError) return undefined;
      throw error;
    });
    const isOther = this.#there?.get('Image') !== this.#imageId;
    if (this.#there !== undefined) this.#former = pyStr(await this.#call('state', [name]));
    const isNew = force || this.#there === undefined || isOther;
    if (isNew && this.#ctx.state.test) return this.#foretell(isOther);
    const trial = await this.#make(image);
    const isReplaced = await this.#compareAndReplace(trial, isNew);
    await this.#start(isReplaced);
  }

  #foretell(isOther: boolean): never {
    const before = this.#there?.get('Image') ?? null;
    if (this.#order.force) this.#changes.set('forced_update', true);
    else if (isOther) this.#changes.set('image', dict({ old: before, new: this.#imageId }));
    return this.#end(null, this.#wouldBe());
  }

  #wouldBe(): string {
    return `Container '${this.#order.name}' would be ${this.#there === undefined ? 'created' : 'replaced'}`;
  }

  /** Makes the container, under another name where there is one already. */
  async #make(image: string): Promise<{ readonly id: string; readonly name: string }> {
    const own = this.#there === undefined ? dict({ name: this.#order.name }) : dict();
    const networks = this.#networks.size > 0 ? dict({ networks: this.#networks }) : dict();
    try {
      const made = await this.#call('create', [image], new Map([...this.#order.words, ...networks, ...own]));
      const facts = isDict(made) ? made : dict();
      return { id: pyStr(facts.get('Id') ?? null), name: pyStr(facts.get('Name') ?? null) };
    } catch (error) {
      const isInvalid = error instanceof TranslationError && error.hasInvalid;
      return this.#end(false, `${messageOf(error)}${isInvalid ? HINT : ''}`);
    }
  }

  /** @returns whether the container is a new one */
  async #compareAndReplace(trial: { id: string; name: string }, isNew: boolean): Promise<boolean> {
    const { name } = this.#order;
    let isKept = !isNew;
    try {
      const connected = await this.#connectTrial(trial.name);
      if (!isNew) isKept = await this.#compare(trial);
      await this.#settleNetworks(connected, isKept);
    } finally {
      if (isKept) await this.#call('rm', [trial.name]);
    }
    if (isNew) {
      if (this.#there === undefined) this.#comments.push(`Created container '${name}'`);
      else await this.#replace(trial.name);
      this.#added(trial.id);
    }
    return !isKept;
  }

  #added(id: string): void {
    const ids = this.#changes.get('container_id');
    this.#changes.set('container_id', (isDict(ids) ? ids : dict()).set('added', id));
  }

  /** Connects the new container as the SLS says. @returns how the connections differ */
  async #connectTrial(trial: string): Promise<Dict> {
    const before = await this.#inspect(this.#there === undefined ? trial : this.#order.name);
    for (const [network, config] of this.#networks) {
      const words = isDict(config) ? new Map(config) : dict();
      await this.#orEnd(this.#call('connect_container_to_network', [trial, network], words));
    }
    let after = await this.#inspect(trial);
    if (this.#order.networks !== null) {
      const connected = innerDict(after, 'NetworkSettings', 'Networks');
      const extra = [...connected.keys()].filter((network) => !this.#networks.has(network));
      for (const network of extra) await this.#call('disconnect_container_from_network', [trial, network]);
      if (extra.length > 0) after = await this.#inspect(trial);
    }
    const found = await this.#call('compare_container_networks', [before, after]);
    return isDict(found) ? found : dict();
  }

  /** Compares the container with the new one, and takes that where they differ. @returns whether it is kept */
  async #compare(trial: { id: string; name: string }): Promise<boolean> {
    const { name, signal, watchAction } = this.#order;
    const version = innerDict(dict({ facts: await this.#call('version', []) }), 'facts').get('VersionInfo');
    const [major] = Array.isArray(version) ? version : [];
    const ignore = typeof major === 'number' && major >= WITH_ADDRESSES ? 'Hostname,MacAddress' : 'Hostname';
    const found = await this.#call('compare_containers', [name, trial.name], dict({ ignore }));
    const changes = isDict(found) ? found : dict();
    if (changes.size === 0) {
      if (signal === undefined) this.#comments.push(`Container '${name}' is already configured as specified`);
      else await this.#signal(watchAction);
      return true;
    }
    if (isFormerEmpty(changes))
      this.#warnings.push(
        `The detected changes may be due to incorrect handling of arguments in earlier Salt releases. If this warning persists after running the state again${this.#ctx.state.test ? ' without test=True' : ''}, and no changes were made to the SLS file, then please report this.`,
      );
    this.#changes.set('container', new Map(changes));
    if (this.#ctx.state.test) {
      this.#result = null;
      this.#comments.push(this.#wouldBe());
      return true;
    }
    await this.#replace(trial.name);
    this.#added(trial.id);
    return false;
  }

  async #signal(signal: Value): Promise<void> {
    const text = pyStr(signal);
    if (this.#ctx.state.test) return void this.#comments.push(`Signal ${text} would be sent to container`);
    const sent = this.#call('signal', [this.#order.name], dict({ signal }));
    await this.#orEnd(sent, (why) => `Failed to signal container: ${why}`);
    this.#changes.set('signal', signal);
    this.#comments.push(`Sent signal ${text} to container`);
  }

  /** Puts the new container into the place of the old one. */
  async #replace(trial: string): Promise<void> {
    const { name, shutdownTimeout } = this.#order;
    const words = dict({ stop: true, ...(shutdownTimeout === null ? {} : { timeout: shutdownTimeout }) });
    const removed = await this.#call('rm', [name], words);
    this.#changes.set('container_id', dict({ removed }));
    let isRenamed = false;
    try {
      isRenamed = truthy(await this.#call('rename', [trial, name]));
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      this.#comments.push(`Failed to rename temp container: ${error.message}`);
    }
    if (!isRenamed) this.#end(false, `Failed to replace container '${name}'`);
    this.#comments.push(`Replaced container '${name}'`);
  }

  async #settleNetworks(found: Dict, isKept: boolean): Promise<void> {
    if (found.size === 0) return;
    const part = this.#changes.get('container');
    this.#changes.set('container', (isDict(part) ? part : dict()).set('Networks', found));
    if (this.#ctx.state.test) {
      this.#result = null;
      this.#comments.push('Network configuration would be updated');
      return;
    }
    if (!isKept) return;
    const connections: Connections = { container: this.#order.name, wanted: this.#networks, changes: found };
    const { comments, isFailed } = await updateConnections(this.#ctx, connections);
    this.#comments.push(...comments);
    if (isFailed) {
      this.#result = false;
      throw new Ended();
    }
  }

  async #start(isReplaced: boolean): Promise<void> {
    const { name, start } = this.#order;
    const isStarting = isReplaced ? this.#there === undefined || start : start && this.#former !== 'running';
    const { test } = this.#ctx.state;
    if (isStarting && test) return this.#end(null, 'Container would be started');
    const now = isStarting ? await this.#started(name) : await this.#call('state', [name]);
    if (!test && now === 'running') await this.#showAddresses();
    if (this.#former !== now) {
      this.#changes.set('state', dict({ old: this.#former, new: now }));
      if (this.#former !== null)
        this.#comments.push(`State changed from '${this.#former}' to '${pyStr(now)}'`);
    }
    const before = this.#there?.get('Image');
    if (before !== undefined && before !== this.#imageId) {
      this.#comments.push('Container has a new image');
      this.#changes.set('image', dict({ old: before, new: this.#imageId }));
    }
    if (now !== 'running' && start) this.#end(false, 'Container is not running');
  }

  async #started(name: string): Promise<Value> {
    try {
      const done = await this.#call('start', [name]);
      return innerDict(isDict(done) ? done : dict(), 'state').get('new') ?? null;
    } catch (error) {
      return this.#end(false, `Failed to start container '${name}': '${messageOf(error)}'`);
    }
  }

  /** The addresses that the daemon has chosen, in place of the word that it would. */
  async #showAddresses(): Promise<void> {
    const found = innerDict(this.#changes, 'container', 'Networks');
    const option = await optionDict(this.#ctx, ['docker.compare_container_networks']);
    const keys = option?.get('automatic');
    for (const [network, changes] of found) {
      if (!isDict(changes) || innerDict(changes, 'IPConfiguration').get('new') !== 'automatic') continue;
      const facts = innerDict(
        await this.#inspect(this.#order.name),
        'NetworkSettings',
        'Networks',
        pyStr(network),
      );
      for (const key of Array.isArray(keys) ? keys : []) {
        const value = facts.get(key) ?? null;
        if (!truthy(value)) continue;
        changes.set(key, dict({ old: null, new: value }));
        changes.delete('IPConfiguration');
      }
    }
  }
}

/** Makes sure that a container runs as it is described. */
export function running(ctx: StateContext, order: RunningOrder): Promise<StateResult> {
  return new Running(ctx, order).run();
}
