/** Where ours differs from a real Salt in the recorded cases of `queue.*` and `sdb.*`, each with its reason. */

/** One difference. */
export interface QueueSdbDifference {
  readonly why: string;
  readonly code: number;
  readonly stdout: string | RegExp;
}

const QUOTES =
  'an item is what was put in: Salt doubles single quotes in a list, and cannot take out an item with a double quote';
const NO_TEXT = 'Salt says True and keeps nothing; here a sentence says what a queue keeps';

/** By scenario and place in it. */
export const QUEUE_SDB_DIFFERENCES: ReadonlyMap<string, QueueSdbDifference> = new Map([
  ['odd 4', { why: QUOTES, code: 0, stdout: '[\n    "it\'s \\"quoted\\""\n]\n' }],
  ['odd 6', { why: QUOTES, code: 0, stdout: '[\n    "it\'s"\n]\n' }],
  ['odd 8', { why: QUOTES, code: 0, stdout: '[]\n' }],
  [
    'odd 9',
    { why: NO_TEXT, code: 1, stdout: /keeps texts and mappings, and 5 is of type int: put it in quotes/ },
  ],
  ['odd 11', { why: QUOTES, code: 0, stdout: '[]\n' }],
  ['odd 17', { why: NO_TEXT, code: 1, stdout: /keeps texts and mappings, and True is of type bool/ }],
  [
    'odd 18',
    {
      why: 'a function that is not there gets the name that was meant',
      code: 1,
      stdout: "'queue.nope' is not available.\nHint: there is no 'queue.nope'. Did you mean 'queue.pop'?\n",
    },
  ],
  [
    'texts 10',
    {
      why: 'Salt says True of what it has removed in part',
      code: 0,
      stdout: /^Only 1 of 2 items were removed: the queue q/,
    },
  ],
  [
    'texts 9',
    {
      why: 'Salt says True of what it has not removed; the code is 1 without --exit-codes=salt',
      code: 0,
      stdout: /^Nothing was removed: the queue q has none of what was named/,
    },
  ],
  [
    'web 0',
    {
      why: 'Salt fails where no words stand behind the name, also where the address has no place for one',
      code: 0,
      stdout: 'body:\nmethod:\n    GET\npath:\n    /plain\n',
    },
  ],
  [
    'mappings 8',
    {
      why: 'Salt loses a mapping with a quote in one of its texts',
      code: 0,
      stdout: "|_\n  ----------\n  name:\n      it's\n",
    },
  ],
]);
