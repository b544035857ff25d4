/** Templates compiled to functions, and remembered by their text. */
import { Script } from 'node:vm';
import type { Body } from './ast.ts';
import { generateModule } from './generate.ts';
import { TemplateSyntaxError } from './errors.ts';
import { MISSING, type Missing } from './model.ts';
import type { JinjaOptions } from './options.ts';
import { parseTemplate } from './parse.ts';
import { runtime, type Runtime } from './runtime.ts';
import type { Compiled, Template, TemplateEnvironment } from './template.ts';

/** What the generated function of a whole template is called with: `r`, `env`, `M` and `tpl` in its code. */
type Generated = (
  runtime: Runtime,
  env: TemplateEnvironment,
  missing: Missing,
  template: Template,
) => ReturnType<Compiled['instantiate']>;

/** Characters of a template beyond which it is refused. */
const SOURCE_MAX = 8 * 1024 * 1024;

/** Compiles a template. @throws TemplateSyntaxError */
export function compileTemplate(source: string, options: JinjaOptions): Compiled {
  if (source.length > SOURCE_MAX) throw new TemplateSyntaxError('the template is too large', 1);
  return compileBody(parseTemplate(source, options));
}

/** Compiles a template that has been read. @throws TemplateSyntaxError for what only shows when the whole is known */
export function compileBody(body: Body): Compiled {
  const { source: code, requirements } = generateModule(body);
  const script = new Script(`(function(r,env,M,tpl){"use strict";${code}})`, { filename: 'template' });
  const generated = script.runInThisContext() as Generated;
  return {
    requirements,
    instantiate: (env, template) => generated(runtime, env, MISSING, template),
  };
}

/** Remembers compiled templates by source and options, up to a number of characters. */
export class TemplateCache {
  readonly #entries = new Map<string, Compiled>();
  readonly #charactersMax: number;
  #characters = 0;
  hits = 0;

  constructor(charactersMax = 4 * 1024 * 1024) {
    this.#charactersMax = charactersMax;
  }

  readonly compile = (source: string, options: JinjaOptions): Compiled => {
    const key = `${JSON.stringify(options)}\n${source}`;
    const known = this.#entries.get(key);
    if (known) {
      this.hits++;
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const compiled = compileTemplate(source, options);
    this.#entries.set(key, compiled);
    this.#characters += key.length;
    for (const [oldest] of this.#entries) {
      if (this.#characters <= this.#charactersMax || oldest === key) break;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
    return compiled;
  };
}
