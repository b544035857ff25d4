/** Running generated functions: at once as far as possible, waiting where a promise comes up. */
import type { RenderBudget } from './budget.ts';
import type { Later, TValue } from './model.ts';

/** A running template: yields promises, and is handed what they give. */
export type TemplateRun<T = unknown> = Generator<Promise<TValue>, T, TValue>;

/** What runs count against. */
export interface RunLimits {
  readonly budget: RenderBudget;
  /** Counts one level of nesting more. @throws RecursionError */
  enter(): void;
  leave(): void;
}

/** The outcome of a run: itself, or its promise when something had to be waited for. */
export function run<T>(generator: TemplateRun<T>, budget: RenderBudget): T | Promise<T> {
  const first = budget.working(() => generator.next());
  return first.done ? first.value : wait(generator, first.value, budget);
}

/** The outcome of a run inside another: that of a macro, or of one round deeper in a recursive loop. */
export function runNested(limits: RunLimits, generator: TemplateRun<string>): Later {
  limits.enter();
  const text = run(generator, limits.budget);
  if (text instanceof Promise) return text.finally(() => limits.leave());
  limits.leave();
  return text;
}

async function wait<T>(generator: TemplateRun<T>, first: Promise<TValue>, budget: RenderBudget): Promise<T> {
  let pending = first;
  for (;;) {
    let step: IteratorResult<Promise<TValue>, T>;
    let value: TValue;
    try {
      value = await pending;
    } catch (error) {
      step = budget.working(() => generator.throw(error));
      if (step.done) return step.value;
      pending = step.value;
      continue;
    }
    step = budget.working(() => generator.next(value));
    if (step.done) return step.value;
    pending = step.value;
  }
}
