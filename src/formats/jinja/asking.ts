/**
 * Answers of objects in Python for code that cannot wait for them: operators, filters, tests, methods. What needs an
 * answer that is not there yet breaks off; it is asked for, and the work is done from the beginning, with the answers
 * in the order of its questions. So plain values cost nothing, and whatever compares or reckons, at any depth, can do
 * so with objects.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PyObject, type Value } from '../../python/values/value.ts';
import { TemplateRuntimeError } from './errors.ts';
import { PyIterator, type Later, type TValue } from './model.ts';
import { toValue } from './plain.ts';

/** Questions of one filter, test or operator: each wants a way to the process and back. */
const QUESTIONS_MAX = 2_000;

type Answer = { readonly value: TValue | undefined } | { readonly error: unknown };

/** The answers that a piece of work has had, and at which it is. */
interface Answers {
  readonly had: Answer[];
  at: number;
}

/** The work goes on when this is answered. It is no error, and nobody but {@link waited} catches it. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly ask: () => Promise<TValue | undefined>;
  constructor(ask: () => Promise<TValue | undefined>) {
    super('an answer is waited for');
    this.ask = ask;
  }
}

const current = new AsyncLocalStorage<Answers>();
/** What is promised by work that has been begun again; outer work can do the same. */
const promised = new WeakSet<Promise<unknown>>();

/** The object among operands, if there is one that can be asked. */
export function asksFor(...operands: readonly TValue[]): PyObject | undefined {
  return operands.find((one): one is PyObject => one instanceof PyObject && one.isKept);
}

function answer(ask: () => Promise<TValue | undefined>): TValue | undefined {
  const answers = current.getStore();
  const known = answers?.had[answers.at];
  if (answers === undefined || known === undefined) throw new Unanswered(ask);
  answers.at++;
  if ('error' in known) throw known.error;
  return known.value;
}

/**
 * What an operator gives, of which an operand is an object; undefined where that is nothing.
 * @throws Unanswered, what Python raises
 */
export function operated(object: PyObject, name: string, ...operands: readonly TValue[]): TValue | undefined {
  return answer(() => object.ask('operator', [name, ...operands.map(toValue)]));
}

/** An attribute or an item. @throws Unanswered */
export function lookedUp(
  object: PyObject,
  question: 'attribute' | 'item' | 'contains',
  key: TValue,
): TValue | undefined {
  return answer(() => object.ask(question, [toValue(key)]));
}

/**
 * What work inside other work gives.
 * @throws Unanswered, TemplateRuntimeError when it waits for something else than an answer
 */
export function atOnce(value: Later): TValue {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  if (promised.has(value)) throw new Unanswered(() => Promise.resolve(undefined));
  throw new TemplateRuntimeError('a function that takes its time cannot be called from inside a filter');
}

/**
 * Goes on with work that has been broken off. Its arguments are handed on as they are: what a function closes over
 * costs it memory at each call, and few calls come here.
 * @param error what it threw; anything but a question that nobody around it waits for is thrown on
 */
export function waited<A extends readonly unknown[], T>(
  error: unknown,
  work: (...args: A) => T | Promise<T>,
  ...args: A
): Promise<T> {
  if (!(error instanceof Unanswered) || current.getStore() !== undefined) throw error;
  const once = iteratorsAmong(args);
  const done = again(() => {
    for (const iterator of once) iterator.rewind();
    return work(...args);
  });
  promised.add(done);
  return done;
}

/** What gives its items once, among arguments and lists of such. */
function iteratorsAmong(args: readonly unknown[]): PyIterator[] {
  return args.flat(1).filter((one): one is PyIterator => one instanceof PyIterator);
}

async function again<T>(work: () => T | Promise<T>): Promise<T> {
  const answers: Answers = { had: [], at: 0 };
  for (;;) {
    answers.at = 0;
    try {
      return await current.run(answers, work);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (answers.had.length >= QUESTIONS_MAX)
        throw new TemplateRuntimeError(
          `it asks objects in Python more than ${QUESTIONS_MAX} questions at once`,
        );
      answers.had.push(await settled(error.ask));
    }
  }
}

async function settled(ask: () => Promise<TValue | undefined>): Promise<Answer> {
  try {
    return { value: await current.exit(ask) };
  } catch (error) {
    return { error };
  }
}

/** Does work on a value that may be read but once, and in part has been. */
export function withAnswers(args: readonly TValue[], work: () => Later): Later {
  const source = args[0] instanceof PyIterator ? args[0] : undefined;
  source?.mark();
  try {
    return work();
  } catch (error) {
    return waited(error, () => {
      source?.rewind();
      return work();
    });
  }
}

/** True for what a question may come from: an object, or a list or mapping with one in it. */
export function holdsObject(value: TValue | Value, depth = 2): boolean {
  if (value instanceof PyObject) return true;
  if (depth === 0 || value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some((item) => holdsObject(item, depth - 1));
  if (!(value instanceof Map)) return false;
  for (const item of value.values()) if (holdsObject(item, depth - 1)) return true;
  return false;
}
