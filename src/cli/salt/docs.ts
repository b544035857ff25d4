/**
 * `salt -d` and `salt '*' sys.doc`: the documentation of all minions together, each function once (salt/cli/salt.py
 * `_print_docs`).
 */
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import type { ExitCodes } from '../program/exit-codes.ts';
import type { Display } from '../terminal/display.ts';

/**
 * Prints them.
 * @param asked the function or module that was asked for; '' for all
 * @returns the exit code
 */
export async function printDocs(
  news: AsyncIterable<JobNews>,
  display: Display,
  codes: ExitCodes,
  asked: string,
): Promise<number> {
  const docs = new Map<string, Value>();
  const silent: string[] = [];
  for await (const item of news) {
    if (item.kind === 'silent') {
      silent.push(item.id);
      continue;
    }
    const value = item.load.get('return');
    if (value === undefined || !isDict(value)) continue;
    for (const [fun, doc] of value) if (typeof fun === 'string' && doc && !docs.has(fun)) docs.set(fun, doc);
  }
  for (const fun of [...docs.keys()].sort()) {
    if (display.chosen !== undefined) await display.value(new Map([[fun, docs.get(fun) ?? null]]));
    else for (const line of [`${fun}:`, String(docs.get(fun)), '']) display.line(line);
  }
  if (silent.length > 0) display.error(`No answer from: ${silent.sort().join(', ')}`);
  if (docs.size > 0) return codes.of(silent.length > 0 ? 'some silent' : 'done');
  display.error(`ERROR: No minion has documentation of ${asked === '' ? 'anything' : `'${asked}'`}.`);
  return codes.of(silent.length > 0 ? 'some silent' : 'nothing documented');
}
