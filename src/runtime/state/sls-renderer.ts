/**
 * Rendering files on a minion as states render them: through a pipe of renderers, with functions, grains and pillar at
 * hand.
 */
import { TemplateCache } from '../../formats/jinja/index.ts';
import { functionsForTemplates } from '../loader/for-templates.ts';
import type { ModuleContext } from '../loader/module.ts';
import { findOwn } from '../pillar/find-own.ts';
import { RenderPipe, rendererRules } from '../renderers/pipe.ts';
import type { FindRenderer, StateCompilation } from '../renderers/renderer.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, type Value } from '../../python/values/value.ts';
import { isAbsoluteTemplate, readAbsoluteTemplate } from './absolute-template.ts';
import { SlsFiles } from './sls-files.ts';

/** What is rendered, and where it is from. */
export interface SlsUse {
  readonly saltenv: string;
  /** The SLS by its name; empty for other files. */
  readonly sls: string;
  /** As errors name it. */
  readonly path: string;
  /** The pipe of a file without one in its first line; default: the option `renderer`. */
  readonly pipe?: string;
  /** Further variables. */
  readonly variables?: ReadonlyMap<string, Value>;
  /** Of a file of states. */
  readonly compilation?: StateCompilation;
}

/** What finds the custom renderers of a run. */
export function customRenderers({ opts, clock, log, job }: ModuleContext): FindRenderer {
  return findOwn({ opts, clock, log }, job);
}

/** Renders files through a pipe of renderers, with the context of a run. */
export class SlsRenderer {
  readonly #ctx: ModuleContext;
  readonly #files: SlsFiles;
  readonly #pipe: RenderPipe;
  #seen: readonly (readonly [string, Value])[] | undefined;

  /**
   * @param ctx whose options, grains, pillar and functions templates see
   * @param files where imported templates come from
   * @param find finds custom renderers; default: looks on the disk each time, because a run may sync some
   */
  constructor(ctx: ModuleContext, files: SlsFiles = new SlsFiles(ctx), find = customRenderers(ctx)) {
    this.#ctx = ctx;
    this.#files = files;
    const { clock, random, log } = ctx;
    this.#pipe = new RenderPipe({ cache: new TemplateCache(), clock, random, log }, find);
  }

  /** @throws SaltRenderError */
  render(text: string, { saltenv, sls, path, pipe, variables, compilation }: SlsUse): Promise<Value> {
    const { functions, opts } = this.#ctx;
    const opt = (name: string): Value | undefined => opts.get(name);
    return this.#pipe.render(text, pipe ?? pyStr(opt('renderer') ?? 'jinja|yaml'), rendererRules(opt), {
      opt,
      saltenv,
      sls,
      path,
      variables: new Map<string, Value>([...this.#variables(), ...(variables ?? [])]),
      functions: functionsForTemplates(functions),
      run: this,
      compilation,
      readTemplate: (name) =>
        isAbsoluteTemplate(name) ? readAbsoluteTemplate(name) : this.#files.read(name, saltenv),
    });
  }

  /**
   * What all SLS of a run see: one may change it for those that come after it, while functions and states see what it
   * was (Salt's loader gives renderers mappings of their own).
   */
  #variables(): readonly (readonly [string, Value])[] {
    const { grains, pillar, opts } = this.#ctx;
    this.#seen ??= Object.entries({ grains, pillar, opts }).map(([name, value]) => [name, copyValue(value)]);
    return this.#seen;
  }
}
