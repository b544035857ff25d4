/** How often Slack is asked for names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlackNames } from '../../../../src/plugins/slack/engine/names.ts';

function names(lists: readonly Record<string, string>[]): {
  book: SlackNames;
  asked: () => number;
  pass: (ms: number) => void;
} {
  let nowMs = 0;
  let asked = 0;
  const ask = (): Promise<Map<string, string>> =>
    Promise.resolve(new Map(Object.entries(lists[Math.min(asked++, lists.length - 1)] ?? {})));
  const book = new SlackNames(ask, { monotonicMs: () => nowMs });
  return { book, asked: () => asked, pass: (ms) => (nowMs += ms) };
}

test('slack_bolt - a stranger who writes a lot does not have all names asked for each time', async () => {
  const { book, asked, pass } = names([{ U1: 'alice' }, { U1: 'alice', U2: 'bob' }]);
  const first = await Promise.all([book.nameOf('U1'), book.nameOf('U2'), book.nameOf('U2')]);
  assert.deepEqual([first, asked()], [['alice', undefined, undefined], 1]);
  pass(59_999);
  assert.deepEqual([await book.nameOf('U2'), asked()], [undefined, 1]);
  pass(1);
  assert.deepEqual([await book.nameOf('U2'), await book.nameOf('U1'), asked()], ['bob', 'alice', 2]);
});

test('slack_bolt - names stay when Slack cannot be asked', async () => {
  let nowMs = 0;
  let fails = false;
  const ask = (): Promise<Map<string, string>> =>
    fails ? Promise.reject(new Error('away')) : Promise.resolve(new Map([['U1', 'alice']]));
  const book = new SlackNames(ask, { monotonicMs: () => nowMs });
  assert.equal(await book.nameOf('U1'), 'alice');
  fails = true;
  nowMs = 60_000;
  await assert.rejects(book.nameOf('U2'), /away/);
  assert.equal(await book.nameOf('U1'), 'alice');
});
