/**
 * Templates, their contexts and their modules while they are rendered (jinja2/runtime.py, jinja2/environment.py 3.1).
 */
import type { AccessEnvironment } from './access.ts';
import type { Requirement } from './generate-expression.ts';
import { MISSING, TObject, type Missing, type NativeBody, type TValue } from './model.ts';
import type { RunLimits, TemplateRun } from './run.ts';

/** The generated function of a template or a block. */
export type RootFunction = (context: Context) => TemplateRun<string>;

/** A compiled template, which knows no environment yet. */
export interface Compiled {
  readonly requirements: readonly Requirement[];
  /** Its functions, bound to an environment and to the template that they are the body of. */
  instantiate(
    env: TemplateEnvironment,
    template: Template,
  ): { readonly root: RootFunction; readonly blocks: ReadonlyMap<string, RootFunction> };
}

/** What templates, and the code generated of them, need of the environment they are rendered in. */
export interface TemplateEnvironment extends RunLimits, AccessEnvironment {
  /** Names that every template sees. */
  readonly globals: ReadonlyMap<string, TValue>;
  /** A template by name. @throws TemplateNotFoundError */
  template(name: string): Template | Promise<Template>;
  filter(name: string): NativeBody;
  test(name: string): NativeBody;
  /** One round of a loop. @throws RenderLimitError */
  step(): void;
  /** The text itself. @throws RenderLimitError for text beyond the limit */
  checked(text: string): string;
  log(level: 'debug' | 'warning' | 'profile', message: string): void;
  nowMs(): number;
}

/** The variables a template sees, and those it sets. */
export class Context {
  readonly env: TemplateEnvironment;
  readonly template: Template;
  readonly parent: ReadonlyMap<string, TValue>;
  readonly vars = new Map<string, TValue>();
  readonly exported = new Set<string>();
  /** The functions of each block, the child's first. */
  readonly blocks = new Map<string, RootFunction[]>();

  constructor(template: Template, parent: ReadonlyMap<string, TValue>) {
    this.env = template.env;
    this.template = template;
    this.parent = parent;
    for (const [name, block] of template.blocks) this.blocks.set(name, [block]);
  }

  resolve(name: string): TValue | Missing {
    const value = this.vars.get(name);
    if (value !== undefined) return value;
    const outer = this.parent.get(name);
    return outer === undefined ? MISSING : outer;
  }

  /** Sets a variable that importers do not see. */
  setVar(name: string, value: TValue): void {
    this.vars.set(name, value);
    this.exported.delete(name);
  }

  /** Sets a variable that importers see. */
  export(name: string, value: TValue): void {
    this.vars.set(name, value);
    this.exported.add(name);
  }

  /** All variables in reach. */
  all(): ReadonlyMap<string, TValue> {
    return this.vars.size === 0 ? this.parent : new Map([...this.parent, ...this.vars]);
  }

  /** A context for a block that sees local variables as well. */
  derived(locals: readonly (readonly [string, TValue | Missing])[]): Context {
    const out = new Context(this.template, withLocals(this.all(), locals));
    for (const [name, functions] of this.blocks) out.blocks.set(name, [...functions]);
    return out;
  }
}

/** Variables with local ones over them; those not set yet are left out. */
export function withLocals(
  vars: ReadonlyMap<string, TValue>,
  locals: readonly (readonly [string, TValue | Missing])[],
): ReadonlyMap<string, TValue> {
  if (locals.length === 0) return vars;
  const out = new Map(vars);
  for (const [name, value] of locals) if (value !== MISSING) out.set(name, value);
  return out;
}

/** A template in an environment. */
export class Template {
  readonly env: TemplateEnvironment;
  readonly source: string;
  /** The name it was loaded by, and its file; undefined for the text that was handed in. */
  readonly name: string | undefined;
  readonly path: string | undefined;
  readonly root: RootFunction;
  readonly blocks: ReadonlyMap<string, RootFunction>;
  /** The module that imports without context share. */
  defaultModule: TemplateModule | undefined;

  constructor(
    env: TemplateEnvironment,
    compiled: Compiled,
    source: string,
    found: { name?: string; path?: string },
  ) {
    this.env = env;
    this.source = source;
    this.name = found.name;
    this.path = found.path;
    const { root, blocks } = compiled.instantiate(env, this);
    this.root = root;
    this.blocks = blocks;
  }

  /** A context with the environment's globals under some variables. */
  context(vars: ReadonlyMap<string, TValue> = new Map()): Context {
    return new Context(this, new Map([...this.env.globals, ...vars]));
  }

  /** A context that has exactly some variables. */
  sharedContext(vars: ReadonlyMap<string, TValue>): Context {
    return new Context(this, vars);
  }

  /** Renders with a context; yields promises to be waited for. */
  *run(context: Context): TemplateRun<string> {
    this.env.enter();
    const text = yield* this.root(context);
    this.env.leave();
    return this.env.checked(text);
  }
}

/** What an imported template exports. */
export class TemplateModule extends TObject {
  readonly typeName = 'TemplateModule';
  readonly template: Template;
  readonly #text: string;
  readonly #exported: ReadonlyMap<string, TValue>;

  constructor(template: Template, context: Context, text: string) {
    super();
    this.template = template;
    this.#text = text;
    this.#exported = new Map([...context.exported].map((name) => [name, context.vars.get(name) as TValue]));
  }
  override get typeTitle(): string {
    return 'jinja2.environment.TemplateModule';
  }
  override getAttr(name: string): TValue | undefined {
    return this.#exported.get(name);
  }
  override str(): string {
    return this.#text;
  }
  override repr(): string {
    return `<TemplateModule ${this.template.name === undefined ? '' : `'${this.template.name}'`}>`;
  }
}
