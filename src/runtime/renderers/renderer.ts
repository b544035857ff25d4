/** What a renderer is: one step of the way from a file to data (3006.16 salt/renderers/). */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { RenderBudget, TValue } from '../../formats/jinja/index.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Value } from '../../python/values/value.ts';
import type { FoundFile } from '../../formats/jinja/index.ts';

/** The functions behind `salt` in templates. */
export interface TemplateFunctions {
  has(name: string): boolean | Promise<boolean>;
  /** What the loader knows of a function, for files in Python, which call those in Python with the very values. */
  find?(name: string): Promise<object | undefined>;
  /** Whether there is a module of this name that could be loaded; without it there is one of every name. */
  hasModule?(name: string): Promise<boolean>;
  /** The full names of all. */
  names?(): Promise<string[]>;
  /** The state modules, for renderers that make states of them; absent where no states are. */
  states?(): Promise<StateModules>;
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value> | Value;
}

/** The state modules as a renderer looks at them. */
export interface StateModules {
  find(fun: string): Promise<{ readonly spec?: object | undefined }>;
  module(name: string): Promise<object | undefined>;
  /** All of them, loaded. */
  modules(): Promise<ReadonlyMap<string, { readonly name: string; readonly functions: object }>>;
}

/** The run of the state compiler that a file of states is rendered in. */
export interface StateCompilation {
  /** Tells it from others of the same job. */
  readonly name: string;
  /**
   * Renders another SLS before the one that is being rendered goes on; its states are joined to those of that one.
   * @returns its full name, and what is wrong with it
   */
  include(
    saltenv: string,
    sls: string,
  ): Promise<{ readonly sls: string; readonly errors: readonly string[] }>;
}

/** What renderers need of the one who renders. */
export interface RenderContext {
  /** Options by Salt's names: the jinja, renderer and yaml options are read. */
  readonly opt: (name: string) => Value | undefined;
  readonly saltenv: string;
  /**
   * The SLS by its name (`a.b`); '' for what is rendered like one; undefined for templates of files, which are told
   * nothing of an SLS.
   */
  readonly sls: string | undefined;
  /** The file that is rendered, as errors and `tplpath` name it. */
  readonly path: string;
  /** Variables of the template besides those of the SLS: grains, pillar, opts, what the caller adds. */
  readonly variables: ReadonlyMap<string, TValue>;
  readonly functions: TemplateFunctions;
  /** What a minion has sent and variables may contain; a master decrypts none of it. */
  readonly sentByMinion?: readonly Value[];
  /** What rendering may still cost, where several files share it; without it each has the whole. */
  readonly budget?: RenderBudget;
  /** The same object for all files of a run, which share the settings of stateconf. */
  readonly run?: object;
  /** Of a file of states: what may be asked for while it is rendered. */
  readonly compilation?: StateCompilation | undefined;
  /** Reads a template that is included or imported, by its path below the roots. */
  readonly readTemplate: (path: string) => FoundFile | undefined | Promise<FoundFile | undefined>;
}

/** One renderer. */
export interface Renderer {
  readonly name: string;
  /**
   * @param input the file's text, or what the renderer before gave
   * @param argument what stands behind the name in the pipe
   */
  render(input: Value, context: RenderContext, argument: string): Value | Promise<Value>;
}

/** Finds a renderer by its name. */
export type FindRenderer = (name: string) => Promise<Renderer | undefined>;

/** What renderers may need besides a text. */
export interface RendererDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Another renderer, also a custom one. */
  readonly find: FindRenderer;
}

/** The definition of a renderer that few files use: its file is loaded with the first of them. */
export interface RendererSpec {
  readonly name: string;
  /** What `sys.renderer_doc` says. */
  readonly doc: string;
  make(deps: RendererDeps): Renderer['render'];
}

/** A file could not be rendered; the message is Salt's. */
export class SaltRenderError extends BrineError {
  static override readonly errorCode: ErrorCode = 'render-failed';
  override readonly name = 'SaltRenderError';
}

/** The text a renderer works on. */
export function textOf(input: Value, renderer: string): string {
  if (typeof input === 'string') return input;
  throw new SaltRenderError(
    `The renderer ${renderer} needs text, and got data: it cannot stand behind a renderer that makes data.`,
  );
}
