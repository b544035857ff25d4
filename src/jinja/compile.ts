/** Templates compiled to functions, and remembered by their text. */
import { Script } from 'node:vm';
import { generateModule } from './generate.ts';
import type { Requirement } from './generate-expression.ts';
import type { Environment } from './environment.ts';
import { TemplateSyntaxError } from './errors.ts';
import type { TValue } from './model.ts';
import type { JinjaOptions } from './options.ts';
import { parseTemplate } from './parse.ts';
import type { Missing, Runtime } from './runtime.ts';
import type { Context, Template } from './template.ts';

/** A running template: yields promises, and is handed what they give. */
export type TemplateRun<T = unknown> = Generator<Promise<TValue>, T, TValue>;

/** The generated function of a template or a block. */
export type RootFunction = (context: Context) => TemplateRun<string>;

/** A compiled template, which knows no environment yet. */
export interface Compiled {
  readonly requirements: readonly Requirement[];
  instantiate(
    runtime: Runtime,
    env: Environment,
    missing: Missing,
    template: Template,
  ): { readonly root: RootFunction; readonly blocks: ReadonlyMap<string, RootFunction> };
}

/** Characters of a template beyond which it is refused. */
const SOURCE_MAX = 8 * 1024 * 1024;

/** Compiles a template. @throws TemplateSyntaxError */
export function compileTemplate(source: string, options: JinjaOptions): Compiled {
  if (source.length > SOURCE_MAX) throw new TemplateSyntaxError('the template is too large', 1);
  const { source: code, requirements } = generateModule(parseTemplate(source, options));
  const script = new Script(`(function(r,env,M,tpl){"use strict";${code}})`, { filename: 'template' });
  const instantiate = script.runInThisContext() as Compiled['instantiate'];
  return { requirements, instantiate };
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
