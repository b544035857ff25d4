import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closestNames, didYouMean, editDistance } from '../../../src/errors/did-you-mean.ts';

test('did-you-mean - counts insertions, deletions, replacements and swaps', () => {
  assert.equal(editDistance('ping', 'ping'), 0);
  assert.equal(editDistance('pign', 'ping'), 1);
  assert.equal(editDistance('pin', 'ping'), 1);
  assert.equal(editDistance('pang', 'ping'), 1);
  assert.equal(editDistance('', 'ping'), 4);
});

test('did-you-mean - nearest names first, far ones left out', () => {
  const known = ['grain', 'grain_pcre', 'glob', 'pillar', 'list'];
  assert.deepEqual(closestNames('grian', known), ['grain']);
  assert.deepEqual(closestNames('GLOB', known), ['glob']);
  assert.deepEqual(closestNames('nodegroup', known), []);
  assert.deepEqual(closestNames('x'.repeat(1_000_000), known), []);
});

test('did-you-mean - words the hint', () => {
  assert.equal(didYouMean('web', []), '');
  assert.equal(didYouMean('grian', ['grain']), " Did you mean 'grain'?");
  assert.equal(didYouMean('cat', ['cap', 'can', 'car']), " Did you mean 'cap', 'can' or 'car'?");
});

test('did-you-mean - property: the distance is symmetric and zero for equal texts only', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.equal(editDistance(a, b) === 0, a === b);
      assert.ok(editDistance(a, b) <= Math.max(a.length, b.length));
    }),
  );
});
