/** Macros, and the `caller()` of call blocks (jinja2/runtime.py 3.1 `Macro`). */
import { typeError } from './errors.ts';
import {
  MISSING,
  TObject,
  tuple,
  type Callable,
  type CallScope,
  type Kwargs,
  type Later,
  type Missing,
  type TValue,
} from './model.ts';
import { Undefined } from './undefined.ts';
import { runNested, type RunLimits, type TemplateRun } from './run.ts';

/** The generated function of a macro. */
export type MacroBody = (...args: (TValue | Missing)[]) => TemplateRun<string>;

/** What a macro needs of the environment. */
interface MacroEnvironment extends RunLimits {
  readonly strict: boolean;
}

/** What a macro declares. */
export interface MacroSpec {
  readonly name: string | null;
  readonly params: readonly string[];
  readonly takesKwargs: boolean;
  readonly takesVarargs: boolean;
  readonly takesCaller: boolean;
}

/** A macro. */
export class Macro extends TObject implements Callable {
  readonly typeName = 'Macro';
  readonly #env: MacroEnvironment;
  readonly #body: MacroBody;
  readonly #spec: MacroSpec;

  constructor(env: MacroEnvironment, body: MacroBody, spec: MacroSpec) {
    super();
    this.#env = env;
    this.#body = body;
    this.#spec = spec;
  }
  override get typeTitle(): string {
    return 'jinja2.runtime.Macro';
  }
  override repr(): string {
    return `<Macro ${this.#spec.name === null ? 'anonymous' : `'${this.#spec.name}'`}>`;
  }
  override getAttr(name: string): TValue | undefined {
    const { params, takesKwargs, takesVarargs, takesCaller } = this.#spec;
    if (name === 'name') return this.#spec.name;
    if (name === 'arguments') return tuple(params);
    if (name === 'catch_kwargs') return takesKwargs;
    if (name === 'catch_varargs') return takesVarargs;
    return name === 'caller' ? takesCaller : undefined;
  }

  call(args: readonly TValue[], kwargs: Kwargs | undefined, _scope: CallScope): Later {
    return runNested(this.#env, this.#body(...this.#bind(args, kwargs)));
  }

  #bind(args: readonly TValue[], kwargs: Kwargs | undefined): (TValue | Missing)[] {
    const { name, params, takesKwargs, takesVarargs, takesCaller } = this.#spec;
    const title = name === null ? 'None' : `'${name}'`;
    const named = new Map(kwargs);
    const bound: (TValue | Missing)[] = args.slice(0, params.length);
    let foundCaller = params.includes('caller') && bound.length === params.length;
    for (const param of params.slice(bound.length)) {
      const value = named.get(param);
      named.delete(param);
      if (param === 'caller') foundCaller = true;
      bound.push(value === undefined ? MISSING : value);
    }
    if (takesCaller && !foundCaller) {
      bound.push(
        named.get('caller') ??
          new Undefined({ name: 'caller', hint: 'No caller defined', strict: this.#env.strict }),
      );
      named.delete('caller');
    }
    if (takesKwargs) bound.push(new Map<TValue, TValue>(named));
    else if (named.size > 0) {
      if (named.has('caller'))
        throw typeError(
          `macro ${title} was invoked with two values for the special caller argument. This is most likely a bug.`,
        );
      throw typeError(`macro ${title} takes no keyword argument '${[...named.keys()][0] ?? ''}'`);
    }
    if (takesVarargs) bound.push(tuple(args.slice(params.length)));
    else if (args.length > params.length)
      throw typeError(`macro ${title} takes not more than ${params.length} argument(s)`);
    return bound;
  }
}
