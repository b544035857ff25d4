/**
 * Rendering as Salt does it: the environment with all filters, and errors as Salt words them (3006.16
 * salt/utils/templates.py `render_jinja_tmpl`).
 */
import { PythonError } from '../../python/exceptions.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import type { RenderBudget } from './budget.ts';
import { Environment, type TemplateLoader } from './environment.ts';
import {
  CalledFailure,
  JinjaError,
  SecurityError,
  TemplateRuntimeError,
  TemplateSyntaxError,
  UndefinedError,
} from './errors.ts';
import { excerpt } from './excerpt.ts';
import { SELECTION_FILTERS, SEQUENCE_FILTERS } from './filters-sequence.ts';
import { filterTable, TEXT_FILTERS } from './filters-text.ts';
import { standardGlobals } from './globals.ts';
import { TFunction, type NativeBody, type TDict, type TValue } from './model.ts';
import type { JinjaOptions } from './options.ts';
import { run } from './run.ts';
import { DATA_FILTERS, ITERTOOLS } from './salt-filters-data.ts';
import { NETWORK_FILTERS } from './salt-filters-network.ts';
import { SALT_TEXT_FILTERS } from './salt-filters-text.ts';
import { SERIALIZER_FILTERS } from './serializers.ts';
import { TESTS } from './tests.ts';
import type { Compiled, Context } from './template.ts';

/** Every filter that needs nothing from outside. Salt's replace Jinja's of the same name. */
export const PURE_FILTERS: ReadonlyMap<string, NativeBody> = new Map([
  ...filterTable(TEXT_FILTERS, true),
  ...filterTable(SEQUENCE_FILTERS, true),
  ...SELECTION_FILTERS,
  ...filterTable(SERIALIZER_FILTERS),
  ...filterTable(DATA_FILTERS),
  ...ITERTOOLS,
  ...filterTable(SALT_TEXT_FILTERS),
  ...filterTable(NETWORK_FILTERS),
]);

/** What to render, and with what. */
export interface RenderRequest {
  readonly source: string;
  /** The variables of the template; imported templates see them too. */
  readonly context: ReadonlyMap<string, TValue>;
  readonly options: JinjaOptions;
  readonly load: TemplateLoader;
  readonly compile: (source: string, options: JinjaOptions) => Compiled;
  /** Filters that need the machine: files, network, randomness, time. */
  readonly filters?: ReadonlyMap<string, NativeBody>;
  readonly titles?: WeakMap<object, string>;
  readonly log?: (level: 'debug' | 'warning' | 'profile', message: string) => void;
  readonly nowMs?: () => number;
  readonly random?: () => number;
  /** What rendering may cost; without it only the process is kept alive. */
  readonly budget?: RenderBudget;
}

/** A template could not be rendered. The message is Salt's: what is wrong, the line, and the lines around it. */
export class RenderError extends BrineError {
  static override readonly errorCode: ErrorCode = 'template-failed';
  override readonly name = 'RenderError';
  /** The line in the template that was handed in, when it is there. */
  readonly line: number | undefined;
  /** What is wrong, without the excerpt. */
  readonly reason: string;
  constructor(reason: string, line: number | undefined, source: string, options?: ErrorOptions) {
    super(
      line === undefined || source === '' ? reason : `${reason}; line ${line}\n\n${excerpt(source, line)}`,
      options,
    );
    this.reason = reason;
    this.line = line;
  }
}

/** `show_full_context()`: the variables in reach, those of simple types. */
function fullContext(context: Context): TDict {
  const simple = (value: TValue): boolean =>
    value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof Map;
  return new Map([...context.all()].filter(([, value]) => simple(value)));
}

/**
 * Renders a template.
 * @returns the text; its last newline is kept
 * @throws RenderError in Salt's words; errors that are none of the template's pass through
 */
export function renderJinja(request: RenderRequest): string | Promise<string> {
  const globals = standardGlobals();
  globals.set(
    'show_full_context',
    new TFunction('show_full_context', (_args, _kwargs, scope) => fullContext(scope as Context)),
  );
  for (const [name, value] of request.context) globals.set(name, value);
  const env = new Environment({
    options: request.options,
    filters: request.filters ? new Map([...PURE_FILTERS, ...request.filters]) : PURE_FILTERS,
    tests: TESTS,
    globals,
    load: request.load,
    compile: request.compile,
    ...(request.titles ? { titles: request.titles } : {}),
    ...(request.log ? { log: request.log } : {}),
    ...(request.nowMs ? { nowMs: request.nowMs } : {}),
    ...(request.random ? { random: request.random } : {}),
    ...(request.budget ? { budget: request.budget } : {}),
  });
  const { source } = request;
  const newline = source.endsWith('\n') ? '\n' : '';
  try {
    const template = env.fromText(source);
    const out = run(template.run(template.context(request.context)), env.budget);
    if (typeof out === 'string') return out + newline;
    return out.then(
      (text) => text + newline,
      (error: unknown) => {
        throw explained(error, source);
      },
    );
  } catch (error) {
    throw explained(error, source);
  }
}

/** Salt's sentence about what a template raised. */
function explained(error: unknown, source: string): unknown {
  if (error instanceof PythonError) return explained(new CalledFailure(error), source);
  if (!(error instanceof JinjaError)) return error;
  if (error instanceof TemplateSyntaxError) error.place ??= { line: error.line, path: undefined, source };
  const { place } = error;
  let inner = '';
  let line = place?.line;
  if (place?.path !== undefined) {
    inner = `\n${place.path}(${place.line}):\n${excerpt(place.source, place.line)}`;
    line = undefined;
  }
  return new RenderError(sentence(error) + inner, line, source, { cause: error });
}

function sentence(error: JinjaError): string {
  const { message } = error;
  if (error instanceof UndefinedError) return `Jinja variable ${message}`;
  if (
    error instanceof TemplateRuntimeError ||
    error instanceof TemplateSyntaxError ||
    error instanceof SecurityError
  )
    return `Jinja syntax error: ${message}`;
  if (error instanceof CalledFailure) {
    if (error.cause instanceof SaltInvocationError || error.cause instanceof CommandExecutionError)
      return `Problem running salt function in Jinja template: ${message}`;
  }
  return `Jinja error: ${message}`;
}
