/** The checker of clusters under faults, with a planted fault of each kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violationsOf, type Evidence } from '../../support/cluster/evidence.ts';

const SOUND: Evidence = {
  jobs: [
    { token: 'a-0', master: 'a', isRefused: false, returned: ['one', 'two', 'gone'] },
    { token: 'b-0', master: 'b', isRefused: true, returned: [] },
    { token: 'a-1', master: 'a', isRefused: false, returned: ['one'] },
  ],
  ran: new Map([
    ['one', ['a-0', 'a-1']],
    ['two', ['a-0', 'a-1']],
    ['gone', ['a-0']],
  ]),
  caches: new Map(
    ['a', 'b'].map((master) => [
      master,
      new Map([
        ['a-0', ['one', 'two', 'gone']],
        ['a-1', ['two', 'one']],
      ]),
    ]),
  ),
  deleted: new Map([['gone', 'a-1']]),
  accepted: new Map([
    ['a', ['one', 'two']],
    ['b', ['one', 'two']],
  ]),
};

test('evidence of a cluster - nothing is wrong where nothing is', () => {
  assert.deepEqual(violationsOf(SOUND), []);
});

test('evidence of a cluster - what a simulated minion ran counts as returned when it was acknowledged', () => {
  const ran = new Map([...SOUND.ran, ['sim', ['a-0', 'a-1']]]);
  assert.deepEqual(violationsOf({ ...SOUND, ran, acknowledged: new Map([['sim', []]]) }), []);
  const violations = violationsOf({ ...SOUND, ran, acknowledged: new Map([['sim', ['a-0']]]) });
  assert.match(violations[0] ?? '', /lacks what sim returned of a-0/);
});

const PLANTED: readonly [string, Partial<Evidence>, RegExp][] = [
  [
    'a job that ran twice',
    { ran: new Map([...SOUND.ran, ['one', ['a-0', 'a-1', 'a-0']]]) },
    /one ran a-0 2 times/,
  ],
  [
    'a refused job that ran',
    { ran: new Map([...SOUND.ran, ['one', ['a-0', 'a-1', 'b-0']]]) },
    /one ran b-0, which had been refused/,
  ],
  [
    'a return that one job cache lost',
    {
      caches: new Map([
        ...SOUND.caches,
        [
          'b',
          new Map([
            ['a-0', ['one', 'two', 'gone']],
            ['a-1', ['one']],
          ]),
        ],
      ]),
    },
    /the job cache of b lacks what two returned of a-1/,
  ],
  [
    'a job that one job cache lost',
    { caches: new Map([...SOUND.caches, ['b', new Map([['a-0', ['one', 'two', 'gone']]])]]) },
    /the job cache of b lacks what one returned of a-1/,
  ],
  [
    'job caches that differ in what nobody waited for',
    {
      caches: new Map([
        ...SOUND.caches,
        ['b', new Map([...(SOUND.caches.get('a') ?? []), ['x-9', ['one']]])],
      ]),
    },
    /the job caches of a and b differ: x-9: one/,
  ],
  ['no job cache at all', { caches: new Map() }, /no job cache was looked at/],
  [
    'a deleted key that was served',
    { ran: new Map([...SOUND.ran, ['gone', ['a-0', 'a-1']]]) },
    /gone ran a-1 after its key was deleted/,
  ],
  [
    'a deleted key that came back',
    { accepted: new Map([['a', ['gone']]]) },
    /a has a key of gone again, which was deleted/,
  ],
];

for (const [what, planted, sentence] of PLANTED)
  test(`evidence of a cluster - ${what} is found`, () => {
    assert.match(violationsOf({ ...SOUND, ...planted }).join('\n'), sentence);
  });
