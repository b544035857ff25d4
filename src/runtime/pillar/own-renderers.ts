/** Custom renderers (`_renderers`), each in a process of its own, which ends when it has nothing to do. */
import { messageOf } from '../../errors/errors.ts';
import { extensionsVersion } from '../extensions/folder.ts';
import { ExtensionHost } from '../extensions/host-process.ts';
import {
  given,
  describeSingles,
  OwnFaultError,
  serveSingles,
  type OwnSingle,
} from '../extensions/singles.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { SaltRenderError, type RenderContext, type Renderer } from '../renderers/renderer.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** A process without work ends after this time. */
const IDLE_MS = 10_000;

/** What they need. */
export interface OwnRendererDeps {
  /** The options of the program that renders. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly log: Logger;
  /** The program of the process, when it does not lie beside this one. */
  readonly hostScript?: string;
}

/** Custom renderers, each in a process that ends when it has nothing to do. */
export class OwnRenderers {
  readonly #deps: OwnRendererDeps;
  #version = '';
  #known: Promise<ReadonlyMap<string, OwnRenderer>> = Promise.resolve(new Map());

  constructor(deps: OwnRendererDeps) {
    this.#deps = deps;
  }

  /** The renderer of a name; undefined when there is no custom one. Files are looked at anew when one has changed. */
  async find(name: string): Promise<Renderer | undefined> {
    const version = extensionsVersion(this.#deps.opts, ['renderers', 'utils']);
    if (version !== this.#version) {
      this.#version = version;
      this.#known = this.#describe();
    }
    return (await this.#known).get(name);
  }

  async #describe(): Promise<ReadonlyMap<string, OwnRenderer>> {
    const { opts, clock, log, hostScript } = this.#deps;
    const grains = opts.get('grains');
    const report = (fault: string): void => log.error(fault);
    const parts = { opts, grains: isDict(grains) ? grains : new Map(), clock, report, hostScript };
    const found = await describeSingles(parts, 'renderers');
    return new Map([...found].map(([name, own]) => [name, new OwnRenderer(own, this.#deps)]));
  }
}

/** One renderer. Files are rendered one after the other, so that one that hangs is the only one that is blamed. */
class OwnRenderer implements Renderer {
  readonly name: string;
  readonly #own: OwnSingle;
  readonly #deps: OwnRendererDeps;
  readonly #host: ExtensionHost;
  #last: Promise<unknown> = Promise.resolve();
  #idle: Timer | undefined;
  /** Whose template is being rendered: its functions are called. */
  #context: RenderContext | undefined;

  constructor(own: OwnSingle, deps: OwnRendererDeps) {
    this.name = own.name;
    this.#own = own;
    this.#deps = deps;
    const call = (fun: string, args: readonly Value[], kwargs: Dict): Value | Promise<Value> => {
      if (this.#context === undefined) throw new Error('nothing is being rendered');
      const named = [...kwargs].map(([key, value]) => [String(key), value] as const);
      return this.#context.functions.call(fun, [...args], new Map(named));
    };
    this.#host = new ExtensionHost(deps.clock, {
      script: deps.hostScript,
      serve: serveSingles(deps.log, call),
    });
  }

  render(input: Value, context: RenderContext, argument: string): Promise<Value> {
    const done = this.#last.then(() => this.#render(input, context, argument));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #render(input: Value, context: RenderContext, argument: string): Promise<Value> {
    const { sls, saltenv, path, variables } = context;
    const part = (name: string): Value => {
      const value = variables.get(name);
      return value instanceof Map ? (value as Dict) : new Map();
    };
    const [opts, grains, pillar] = ['opts', 'grains', 'pillar'].map(part) as [Dict, Dict, Dict];
    this.#idle?.cancel();
    this.#context = context;
    const id = String(opts.get('id') ?? '');
    const file = { path: this.#own.path, input, argument, sls: sls ?? '', saltenv, file: path };
    try {
      await this.#host.asks.surroundings({ id, opts, grains: new Map(grains), pillar });
      return await given(this.#host.asks.render(file));
    } catch (error) {
      const verb = error instanceof OwnFaultError ? 'failed' : 'was ended';
      throw new SaltRenderError(`The renderer ${this.name} ${verb}: ${messageOf(error)}`, { cause: error });
    } finally {
      this.#context = undefined;
      this.#idle = this.#deps.clock.after(IDLE_MS, () => this.#host.close(), { background: true });
    }
  }
}
