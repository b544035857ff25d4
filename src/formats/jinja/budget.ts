/**
 * What rendering one template may cost. Templates are the operator's, but what they work on may be a minion's: grains
 * decide how long texts are, how often a loop runs and how wide a column is, and rendering holds up whoever does it, on
 * the master a worker.
 *
 * Time is that of the renderer itself; while it waits for a function nobody is held up. It is looked at on the way: at
 * every call and every so many rounds of a loop. A single call on a long text, or on many short values, is not seen
 * from here before it is over, so those are run where the engine ends them in their midst.
 */
import { createContext, Script, type Context } from 'node:vm';
import { JinjaError } from './errors.ts';
import type { CallScope, Kwargs, Later, NativeBody, TValue } from './model.ts';
import { Weights } from './weight.ts';

/** The limits of one rendering. */
export interface RenderLimits {
  /** Milliseconds of the renderer's own work. */
  readonly timeMs: number;
  /** Characters of output, and of any text on the way there. */
  readonly characters: number;
}

/** A limit was reached. The template is named by who renders it. */
class RenderLimitError extends JinjaError {
  override readonly name = 'RenderLimitError';
}

/** No limit of time, and one of characters that only keeps the process alive. */
export const LOOSE_LIMITS: RenderLimits = { timeMs: Infinity, characters: 128 * 1024 * 1024 };

/** Rounds and calls between two looks at the clock, which costs more than they do. */
const LOOK_EVERY = 64;

/** The work that one rendering may still do. */
export class RenderBudget {
  readonly limits: RenderLimits;
  readonly #nowMs: () => number;
  #spentMs = 0;
  #sinceMs: number | undefined;
  #untilLook = LOOK_EVERY;
  readonly #weights = new Weights();
  readonly #box: { step: (() => void) | undefined } = { step: undefined };
  #context: Context | undefined;

  /** @param nowMs a clock that only goes forward */
  constructor(limits: RenderLimits, nowMs: () => number) {
    this.limits = limits;
    this.#nowMs = nowMs;
  }

  /** Runs a piece of the rendering, up to where it waits for something. */
  working<T>(work: () => T): T {
    if (this.#sinceMs !== undefined) return work();
    this.#sinceMs = this.#nowMs();
    try {
      return work();
    } finally {
      this.#spentMs += this.#nowMs() - this.#sinceMs;
      this.#sinceMs = undefined;
    }
  }

  /** One round of a loop. @throws RenderLimitError */
  step(): void {
    if (--this.#untilLook > 0) return;
    this.#untilLook = LOOK_EVERY;
    this.#weights.forget();
    if (this.#leftMs() <= 0) this.#late();
  }

  /**
   * A call of a function that takes no rest: a filter, a test, a method.
   * @param read those of its arguments that it may read in their depth
   * @throws RenderLimitError
   */
  call(
    body: NativeBody,
    args: readonly TValue[],
    kwargs: Kwargs | undefined,
    scope: CallScope,
    read: readonly TValue[] = args,
  ): Later {
    this.step();
    const result = this.#isHeavy(read, kwargs)
      ? this.#ended(() => body(args, kwargs, scope))
      : body(args, kwargs, scope);
    if (typeof result === 'string') this.check(result);
    return result;
  }

  /** A list or a mapping has changed, so that it may cost more than it did. */
  changed(): void {
    this.#weights.forget();
  }

  /** @throws RenderLimitError for text that is too long */
  check(text: string): void {
    const { characters } = this.limits;
    if (text.length <= characters) return;
    throw new RenderLimitError(
      `the template makes a text of more than ${characters} characters (option jinja_output_characters_max)`,
    );
  }

  #isHeavy(read: readonly TValue[], kwargs: Kwargs | undefined): boolean {
    return (
      this.#weights.isHeavy(read) || (kwargs !== undefined && this.#weights.isHeavy([...kwargs.values()]))
    );
  }

  #leftMs(): number {
    const running = this.#sinceMs === undefined ? 0 : this.#nowMs() - this.#sinceMs;
    return this.limits.timeMs - this.#spentMs - running;
  }

  #late(): never {
    throw new RenderLimitError(
      `the template took more than ${this.limits.timeMs / 1000} seconds of work (option jinja_seconds_max)`,
    );
  }

  /**
   * Does work that is ended when the time is up, wherever it is: the engine looks for that also within one regular
   * expression.
   */
  #ended<T>(work: () => T): T {
    const timeout = Math.ceil(this.#leftMs());
    if (timeout === Infinity) return work();
    if (timeout <= 0) this.#late();
    let result: T | undefined;
    const outer = this.#box.step;
    this.#box.step = () => {
      result = work();
    };
    // making one costs as much as several calls
    this.#context ??= createContext(this.#box);
    try {
      CALL.runInContext(this.#context, { timeout });
    } catch (error) {
      if (isTimeOut(error)) this.#late();
      throw error;
    } finally {
      this.#box.step = outer;
    }
    return result as T;
  }
}

const CALL = new Script('step()', { filename: 'within-time' });

/** The engine's own error is of another realm, so that it is no `Error` here. */
function isTimeOut(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
