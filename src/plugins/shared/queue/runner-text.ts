/**
 * Mappings as texts of a SQLite queue: JSON with single quotes (salt/queues/sqlite_queue.py, 3006.16). Salt turns them
 * back by replacing each quote, which loses an item with a quote in one of its texts; here those are written as
 * `\u0027` and `\u0022`, which Salt reads too.
 */
import { JsonSyntaxError, parseJson, toJson } from '../../../formats/json/text.ts';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isDict, pyTypeName, type Value } from '../../../python/values/value.ts';
import { QueueError } from './queue-backend.ts';

/** The text that a mapping is kept as. */
function runnerText(item: Value): string {
  const json = toJson(item, { fallback: pyRepr });
  return json
    .replaceAll("'", '\\u0027')
    .replaceAll(/\\./g, (escape) => (escape === '\\"' ? '\\u0022' : escape))
    .replaceAll('"', "'");
}

/** The mapping of a text. @throws QueueError for a text that is none */
export function runnerOfText(text: string, queue: string): Value {
  try {
    return parseJson(text.replaceAll("'", '"'));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new QueueError(
      `The item ${text} of the queue ${queue} is no call of a runner. All items are still in the queue; remove this one with: ` +
        `salt-run queue.delete ${queue} ITEM`,
      { cause: error },
    );
  }
}

/**
 * What items are kept as, one or a list of them.
 * @throws SaltInvocationError for what Salt cannot keep either; QueueError for what it passes over in silence
 */
export function sqliteTexts(items: Value): string[] {
  if (typeof items === 'string') return [items];
  if (isDict(items)) return [runnerText(items)];
  if (!Array.isArray(items))
    throw new QueueError(
      `A queue of the backend sqlite keeps texts and mappings, and ${pyStr(items)} is of type ${pyTypeName(items)}: put it in quotes.`,
    );
  return items.map((item) => {
    if (typeof item === 'string') return item;
    throw new SaltInvocationError(`expected string or bytes-like object, got '${pyTypeName(item)}'`);
  });
}
