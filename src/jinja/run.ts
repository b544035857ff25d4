/** Running generated functions: at once as far as possible, waiting where a promise comes up. */
import type { TemplateRun } from './compile.ts';
import type { TValue } from './model.ts';

/** The outcome of a run: itself, or its promise when something had to be waited for. */
export function run<T>(generator: TemplateRun<T>): T | Promise<T> {
  const first = generator.next();
  return first.done ? first.value : wait(generator, first.value);
}

async function wait<T>(generator: TemplateRun<T>, first: Promise<TValue>): Promise<T> {
  let pending = first;
  for (;;) {
    let step: IteratorResult<Promise<TValue>, T>;
    let value: TValue;
    try {
      value = await pending;
    } catch (error) {
      step = generator.throw(error);
      if (step.done) return step.value;
      pending = step.value;
      continue;
    }
    step = generator.next(value);
    if (step.done) return step.value;
    pending = step.value;
  }
}
