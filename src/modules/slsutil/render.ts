/** Rendering files on a minion as states render them: through a pipe of renderers, with functions, grains and pillar at hand. */
import { readFileSync } from 'node:fs';
import { openFileClient } from '../../fileclient/open.ts';
import { TemplateCache } from '../../jinja/index.ts';
import type { ModuleContext } from '../../loader/module.ts';
import { findOwn } from '../../pillar/find-own.ts';
import { RenderPipe, rendererRules } from '../../renderers/pipe.ts';
import { pyStr } from '../../values/repr.ts';
import { decodeUtf8 } from '../../values/text.ts';
import type { Dict, Value } from '../../values/value.ts';

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
}

/** See the file's comment. */
export class SlsRenderer {
  readonly #ctx: ModuleContext;
  readonly #opts: Dict;
  readonly #pipe: RenderPipe;

  /** @param opts where they differ from those of the job */
  constructor(ctx: ModuleContext, opts: Dict = ctx.opts) {
    this.#ctx = ctx;
    this.#opts = opts;
    const { clock, random, log } = ctx;
    const own = findOwn({ opts: ctx.opts, clock, log });
    this.#pipe = new RenderPipe({ cache: new TemplateCache(), clock, random, log }, own);
  }

  /** @throws SaltRenderError */
  render(text: string, { saltenv, sls, path, pipe, variables }: SlsUse): Promise<Value> {
    const { grains, pillar, functions } = this.#ctx;
    const opt = (name: string): Value | undefined => this.#opts.get(name);
    return this.#pipe.render(text, pipe ?? pyStr(opt('renderer') ?? 'jinja|yaml'), rendererRules(opt), {
      opt,
      saltenv,
      sls,
      path,
      variables: new Map<string, Value>([
        ['grains', grains],
        ['pillar', pillar],
        ['opts', this.#opts],
        ...(variables ?? []),
      ]),
      functions: {
        has: (name) => functions.has(name),
        call: (name, args, kwargs) => functions.call(name, args, new Map(kwargs)),
      },
      readTemplate: (name) => this.#included(name, saltenv),
    });
  }

  async #included(name: string, saltenv: string): Promise<{ text: string; path: string } | undefined> {
    const path = await openFileClient(this.#ctx).cacheFile(`salt://${name}`, { saltenv });
    const text = path === false ? undefined : decodeUtf8(readFileSync(path));
    return text === undefined || path === false ? undefined : { text, path };
  }
}
