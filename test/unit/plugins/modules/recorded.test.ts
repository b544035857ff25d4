import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  checkVector,
  moduleFixture,
  moduleVectors,
  recordedMinion,
  type Vector,
} from '../../../support/module-vectors.ts';

/** Cases in which we differ on purpose, with the reason. */
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ['test.provider sys', "Salt's minion replaces one function of sys by its own, so Salt answers 'minion'"],
]);

function isDifferent(vector: Vector): boolean {
  return DIFFERENT.has([vector.fun, ...vector.args].join(' '));
}

for (const name of ['test', 'grains', 'config', 'match', 'sys', 'argspec']) {
  test(`modules - ${name}.json: answers are those of Salt 3006.16`, async (t) => {
    const minion = recordedMinion();
    t.after(() => minion.remove());
    for (const vector of moduleVectors(`${name}.json`)) {
      if (!isDifferent(vector)) await checkVector(minion, vector);
    }
    if (name === 'grains') {
      assert.equal(readFileSync(join(minion.folder, 'grains'), 'utf8'), moduleFixture('grains-file.yaml'));
    }
  });
}

test('modules - saltutil.json: without a bus answers are those of Salt 3006.16', async (t) => {
  const minion = recordedMinion({
    services: { fireLocal: () => Promise.resolve(false), refresh: () => Promise.resolve(false) },
  });
  t.after(() => minion.remove());
  for (const vector of moduleVectors('saltutil.json')) await checkVector(minion, vector);
});
