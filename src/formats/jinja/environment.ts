/** The environment of one rendering: templates, filters, tests, globals, limits (jinja2/environment.py 3.1). */
import { PythonError } from '../../python/exceptions.ts';
import { waited, withAnswers } from './asking.ts';
import { LOOSE_LIMITS, RenderBudget } from './budget.ts';
import type { Requirement } from './generate-expression.ts';
import { TemplateNotFoundError, TemplateRuntimeError, TemplateSyntaxError } from './errors.ts';
import type { JinjaOptions } from './options.ts';
import { PyIterator, type Later, type NativeBody, type TValue } from './model.ts';
import { Template, type Compiled, type TemplateEnvironment } from './template.ts';

/** A template as a loader found it. */
export interface LoadedTemplate {
  readonly source: string;
  /** The file, as errors name it. */
  readonly path: string;
  /** Variables that loading sets for what is rendered from now on (`tpldir` and its like). */
  readonly globals?: ReadonlyMap<string, TValue>;
}

/** Finds templates by the names that `include`, `import` and `extends` use; undefined when there is none. */
export type TemplateLoader = (
  name: string,
  globals: ReadonlyMap<string, TValue>,
) => LoadedTemplate | undefined | Promise<LoadedTemplate | undefined>;

/** What an environment is made of. */
export interface EnvironmentDeps {
  readonly options: JinjaOptions;
  readonly filters: ReadonlyMap<string, NativeBody>;
  readonly tests: ReadonlyMap<string, NativeBody>;
  /** Names that every template sees, imported ones too. */
  readonly globals: ReadonlyMap<string, TValue>;
  readonly load: TemplateLoader;
  readonly compile: (source: string, options: JinjaOptions) => Compiled;
  /** The names Jinja's errors give to some objects instead of their type's. */
  readonly titles?: WeakMap<object, string>;
  readonly log?: (level: 'debug' | 'warning' | 'profile', message: string) => void;
  readonly nowMs?: () => number;
  /** A number from 0 to 1. */
  readonly random?: () => number;
  readonly budget?: RenderBudget;
}

/** Templates, macros and loops may be nested this deep; Python stops at about the same. */
const DEPTH_MAX = 200;

/** One rendering's environment. */
export class Environment implements TemplateEnvironment {
  readonly options: JinjaOptions;
  readonly strict: boolean;
  readonly globals: Map<string, TValue>;
  readonly titles: WeakMap<object, string>;
  readonly deps: EnvironmentDeps;
  readonly budget: RenderBudget;
  readonly #templates = new Map<string, Template>();
  #depth = 0;

  constructor(deps: EnvironmentDeps) {
    this.deps = deps;
    this.budget = deps.budget ?? new RenderBudget(LOOSE_LIMITS, () => 0);
    this.options = deps.options;
    this.strict = deps.options.strict;
    this.globals = new Map(deps.globals);
    this.titles = deps.titles ?? new WeakMap<object, string>();
  }

  /** A template of a text. @throws TemplateSyntaxError */
  fromText(source: string, found: { name?: string; path?: string } = {}): Template {
    const compiled = this.deps.compile(source, this.options);
    for (const requirement of compiled.requirements) this.#check(requirement);
    return new Template(this, compiled, source, found);
  }

  #check({ kind, name, line }: Requirement): void {
    const known = kind === 'filter' ? this.deps.filters : this.deps.tests;
    if (!known.has(name)) throw new TemplateSyntaxError(`No ${kind} named '${name}'.`, line);
  }

  /** A filter for generated code; one that does not exist fails when it is used. */
  filter(name: string): NativeBody {
    return this.#limited(this.deps.filters.get(name) ?? absent('filter', name));
  }

  test(name: string): NativeBody {
    return this.#limited(this.deps.tests.get(name) ?? absent('test', name));
  }

  #limited(body: NativeBody): NativeBody {
    const { budget } = this;
    return (args, kwargs, scope) => {
      if (args[0] instanceof PyIterator) return readOnce(budget, body, args, kwargs, scope);
      try {
        return budget.call(body, args, kwargs, scope);
      } catch (error) {
        return waited(error, limited, budget, body, args, kwargs, scope);
      }
    };
  }

  /** One round of a loop. @throws RenderLimitError */
  step(): void {
    this.budget.step();
  }

  /** Loads a template by name. @throws TemplateNotFoundError */
  template(name: string): Template | Promise<Template> {
    const known = this.#templates.get(name);
    if (known) return known;
    const found = this.deps.load(name, this.globals);
    return found instanceof Promise
      ? found.then((one) => this.#loaded(name, one))
      : this.#loaded(name, found);
  }

  #loaded(name: string, found: LoadedTemplate | undefined): Template {
    if (!found) throw new TemplateNotFoundError(name);
    for (const [key, value] of found.globals ?? []) this.globals.set(key, value);
    let template: Template;
    try {
      template = this.fromText(found.source, { name, path: found.path });
    } catch (error) {
      if (error instanceof TemplateSyntaxError)
        error.place ??= { line: error.line, path: found.path, source: found.source };
      throw error;
    }
    this.#templates.set(name, template);
    return template;
  }

  /** Counts one level more. @throws RecursionError */
  enter(): void {
    if (++this.#depth > DEPTH_MAX) {
      this.#depth = 0;
      throw new PythonError('RecursionError', 'maximum recursion depth exceeded');
    }
  }

  log(level: 'debug' | 'warning' | 'profile', message: string): void {
    this.deps.log?.(level, message);
  }

  /** Milliseconds of some clock; 0 where none was handed in. */
  nowMs(): number {
    return this.deps.nowMs?.() ?? 0;
  }

  leave(): void {
    this.#depth--;
  }

  /** @throws RenderLimitError for text beyond the limit */
  checked(text: string): string {
    this.budget.check(text);
    return text;
  }
}

type Limited = Parameters<RenderBudget['call']>;

/** What is begun again counts as work, however often. */
function limited(budget: RenderBudget, ...call: Limited): Later {
  return budget.working(() => budget.call(...call));
}

function readOnce(budget: RenderBudget, ...call: Limited): Later {
  return withAnswers(call[1], () => limited(budget, ...call));
}

function absent(kind: string, name: string): NativeBody {
  return () => {
    throw new TemplateRuntimeError(`No ${kind} named '${name}' found.`);
  };
}
