/**
 * Parameters of the states that are used most, each together with each other: a second run changes nothing, and test
 * mode tells the truth.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Value } from '../../../../src/python/values/value.ts';
import { OwnMachine } from '../../../support/machine-calls.ts';
import { pairFaults, pairScenes, pairwise } from '../../../support/pairs.ts';
import { applyTwice, keepingMachine } from '../../../support/twice.ts';

const skip = process.getuid?.() === 0 ? false : 'only root may do this';
/** Applications of one function. */
const MOST_CASES = 60;
let shared: OwnMachine | undefined;

after(() => shared?.remove());

for (const [fun, scenes] of pairScenes())
  test(
    `states in pairs - ${fun}: a second time changes nothing, and test mode foretells it`,
    { skip },
    async () => {
      assert.ok(scenes.length <= MOST_CASES, `${scenes.length} applications`);
      shared ??= new OwnMachine(keepingMachine());
      const faults: string[] = [];
      for (const scene of scenes)
        faults.push(...(await applyTwice(shared, scene, (_, outcomes) => pairFaults(outcomes))));
      assert.equal(faults.join('\n'), '');
    },
  );

test('states in pairs - each two values come together, as far as they may', () => {
  const cases = pairwise({
    values: new Map<string, Value[]>([
      ['a', [1, 2]],
      ['b', [1, 2]],
      ['c', [1]],
      ['d', [1]],
    ]),
    apart: [['a', 'c']],
    beside: new Map([['d', 'b']]),
  });
  const seen = new Set(
    cases.map((one) => ['a', 'b', 'c', 'd'].map((name) => String(one.get(name) ?? '-')).join('')),
  );
  const has = (pattern: RegExp): boolean => [...seen].some((one) => pattern.test(one));
  for (const a of '12-')
    for (const b of '12-') assert.ok(has(new RegExp(`^${a}${b}`)), `a=${a} b=${b} in ${[...seen].join()}`);
  assert.equal(has(/^[12].1/), false);
  assert.equal(has(/^.-.1/), false);
  assert.ok(seen.size <= 12, [...seen].join());
});
