/** The pipe of renderers that a file's first line or the option `renderer` names (3006.16 salt/template.py). */
import type { Clock } from '../../host/clock.ts';
import type { RenderBudget } from '../../formats/jinja/index.ts';
import type { Logger } from '../../host/log.ts';
import type { Value } from '../../python/values/value.ts';
import { furtherRenderer, unknownRenderer } from './further.ts';
import { gpgRenderer } from './gpg.ts';
import { jinjaRenderer, renderBudget, type JinjaRendererDeps } from './jinja.ts';
import { jsonRenderer } from './json.ts';
import type { ParsedTexts } from './parsed-texts.ts';
import { SaltRenderError, type FindRenderer, type RenderContext, type Renderer } from './renderer.ts';
import { textRenderer } from './text.ts';
import { yamlRenderer } from './yaml.ts';

/** Names of Salt 0.9 for pipes, each its format before its template engine. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['yaml_jinja', 'jinja|yaml'],
  ['json_jinja', 'jinja|json'],
]);

/** Which renderers may be used. */
export interface RendererRules {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
}

interface PipeStep {
  readonly renderer: Renderer;
  readonly argument: string;
}

/** Renders files. */
export class RenderPipe {
  readonly #renderers: Map<string, Renderer>;
  readonly #further: FindRenderer;
  readonly #log: Logger;
  readonly #own: FindRenderer | undefined;
  readonly #clock: Clock;

  /**
   * @param own finds custom renderers, which come before those of this program
   * @param texts remembers YAML that comes again and again
   */
  constructor(deps: JinjaRendererDeps, own?: FindRenderer, texts?: ParsedTexts) {
    this.#log = deps.log;
    this.#own = own;
    this.#clock = deps.clock;
    const all = [jinjaRenderer(deps), yamlRenderer(texts), jsonRenderer, textRenderer, gpgRenderer(deps)];
    this.#renderers = new Map(all.map((renderer) => [renderer.name, renderer]));
    this.#further = (name) => furtherRenderer(name, { ...deps, find: (other) => this.#found(other) });
  }

  /** What rendering may cost by some options: one for several files that share it. */
  budget(opt: RenderContext['opt']): RenderBudget {
    return renderBudget(opt, this.#clock);
  }

  /**
   * Renders a text by the pipe that its first line names, else by `fallback`.
   * @returns the data; an empty mapping for a text of nothing but spaces
   * @throws SaltRenderError in Salt's words, and for renderers that do not exist
   */
  async render(text: string, fallback: string, rules: RendererRules, context: RenderContext): Promise<Value> {
    if (text.trim() === '') {
      if (text !== '') this.#log.error(`Template is nothing but whitespace: ${context.path}`);
      return new Map();
    }
    const first = text.slice(0, text.includes('\n') ? text.indexOf('\n') : undefined);
    const isPipe = first.startsWith('#!') && !first.startsWith('#!/');
    const steps = await this.#steps(isPipe ? first.trim().slice(2) : fallback, rules);
    let value: Value = text;
    for (const { renderer, argument } of steps) value = await renderer.render(value, context, argument);
    if (typeof value === 'string' && text.includes('\r\n') && !value.includes('\r\n'))
      return value.replaceAll('\n', '\r\n');
    return value;
  }

  /** Applies one renderer to data. @throws SaltRenderError also for one that does not exist */
  async apply(name: string, value: Value, context: RenderContext): Promise<Value> {
    return (await this.#find(name)).render(value, context, '');
  }

  async #find(name: string): Promise<Renderer> {
    const renderer = await this.#found(name);
    if (renderer === undefined) throw new SaltRenderError(unknownRenderer(name));
    return renderer;
  }

  /** A custom renderer, or one of ours; those that few files use are loaded with the first. */
  async #found(name: string): Promise<Renderer | undefined> {
    const own = (await this.#own?.(name)) ?? this.#renderers.get(name);
    if (own !== undefined) return own;
    const further = await this.#further(name);
    if (further !== undefined) this.#renderers.set(name, further);
    return further;
  }

  /**
   * The steps of a pipe.
   * Salt compat: Salt only logs an unknown renderer and treats the file as empty; here the file fails.
   */
  async #steps(pipe: string, rules: RendererRules): Promise<PipeStep[]> {
    const steps: PipeStep[] = [];
    for (const part of (OLD_NAMES.get(pipe) ?? pipe).split('|').map((one) => one.trim())) {
      const space = part.indexOf(' ');
      const name = space < 0 ? part : part.slice(0, space);
      if ((rules.whitelist.length > 0 && !rules.whitelist.includes(name)) || rules.blacklist.includes(name)) {
        this.#log.warning(`The renderer "${name}" is disallowed by configuration and will be skipped.`);
        continue;
      }
      steps.push({ renderer: await this.#find(name), argument: space < 0 ? '' : part.slice(space).trim() });
    }
    return steps;
  }
}

/** The rules out of the options. */
export function rendererRules(opt: (name: string) => Value | undefined): RendererRules {
  const names = (value: Value | undefined): string[] =>
    Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  return { whitelist: names(opt('renderer_whitelist')), blacklist: names(opt('renderer_blacklist')) };
}
