import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forecast } from '../../../../src/runtime/targeting/forecast.ts';
import { matchMinion } from '../../../../src/runtime/targeting/match-minion.ts';
import { parseTarget } from '../../../../src/runtime/targeting/parse-target.ts';
import { TargetError, type CompoundTarget } from '../../../../src/runtime/targeting/target.ts';
import { dict } from '../../../../src/python/values/value.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const grainsOf = (id: string) => dict({ k: id < 'd' ? 'low' : 'high', id });
const fleet = { ids, data: (id: string) => ({ grains: grainsOf(id), pillar: dict() }) };
const subject = (id: string) => ({ id, grains: grainsOf(id), pillar: dict() });

/** An expression and what it means. */
interface Meaning {
  readonly text: string;
  readonly holds: (id: string) => boolean;
}

const term: fc.Arbitrary<Meaning> = fc.oneof(
  fc.constantFrom(...ids, 'z').map((id) => ({ text: id, holds: (other: string) => other === id })),
  fc
    .uniqueArray(fc.constantFrom(...ids, 'z'), { minLength: 1, maxLength: 4 })
    .map((list) => ({ text: `L@${list.join(',')}`, holds: (id: string) => list.includes(id) })),
  fc
    .constantFrom('low', 'high')
    .map((k) => ({ text: `G@k:${k}`, holds: (id: string) => id < 'd' === (k === 'low') })),
  fc.constant({ text: '[a-e]', holds: (id: string) => id <= 'e' }),
  fc.constant({ text: 'E@[f-h]', holds: (id: string) => id >= 'f' }),
);

const { expression } = fc.letrec<{ expression: Meaning }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'large' },
    term,
    tie('expression').map((of) => ({ text: `not ( ${of.text} )`, holds: (id: string) => !of.holds(id) })),
    fc.array(tie('expression'), { minLength: 2, maxLength: 6 }).map((of) => ({
      text: of.map(({ text }) => `( ${text} )`).join(' and '),
      holds: (id: string) => of.every(({ holds }) => holds(id)),
    })),
    fc.array(tie('expression'), { minLength: 2, maxLength: 6 }).map((of) => ({
      text: of.map(({ text }) => `( ${text} )`).join(' or '),
      holds: (id: string) => of.some(({ holds }) => holds(id)),
    })),
  ),
}));

test('compound - property: both sides agree with the meaning of the expression', () => {
  fc.assert(
    fc.property(expression, ({ text, holds }) => {
      const target = parseTarget(text, 'compound');
      const expected = ids.filter(holds);
      assert.deepEqual(forecast(target, fleet).minions, expected, text);
      assert.deepEqual(
        ids.filter((id) => matchMinion(target, subject(id))),
        expected,
        text,
      );
    }),
    { numRuns: 600 },
  );
});

test('compound - property: any words give a target or a TargetError, and both sides survive it', () => {
  const word = fc.oneof(
    fc.constantFrom('and', 'or', 'not', '(', ')', 'a', 'G@k:low', 'N@x', 'I@', '[', 'E@(', 'S@1'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      try {
        const target = parseTarget(words.join(' '), 'compound');
        forecast(target, fleet);
        matchMinion(target, subject('a'));
      } catch (error) {
        assert.ok(error instanceof TargetError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

function faultOf(text: string): TargetError {
  try {
    parseTarget(text, 'compound');
  } catch (error) {
    assert.ok(error instanceof TargetError);
    return error;
  }
  assert.fail(`${text} should be refused`);
}

test('compound - errors name the place of the fault', () => {
  const cases: [string, number | undefined, RegExp][] = [
    ['', undefined, /^Empty compound target$/],
    ['and web', 0, /matcher expected instead of 'and'/],
    ['web and', 4, /matcher expected after 'and'/],
    ['web db', 4, /'and' or 'or' expected before 'db'/],
    ['web )', 4, /unexpected right parenthesis/],
    ['( web db )', 6, /'and', 'or' or '\)' expected before 'db'/],
    ['web or  or db', 8, /matcher expected instead of 'or'/],
    ['not not web', 4, /matcher expected instead of 'not'/],
    ['web or E@(', 7, /missing \), unterminated subpattern/],
    ['web or R@x', 7, /range library/],
  ];
  for (const [text, position, message] of cases) {
    const fault = faultOf(text);
    assert.equal(fault.position, position, text);
    assert.match(fault.message, message);
  }
});

test('compound - words that can never match are faults, but no errors', () => {
  const target = parseTarget('not G@k or S@nonsense or ( N@nosuch a )', 'compound') as CompoundTarget;
  assert.deepEqual(
    target.faults.map(({ position }) => position),
    [27, 4, 11],
  );
  assert.deepEqual(forecast(target, fleet).minions, ids);
});

test('compound - an open parenthesis is an error to minions only', () => {
  const target = parseTarget('( a or b', 'compound');
  const reasons: string[] = [];
  assert.deepEqual(forecast(target, fleet).minions, ['a', 'b']);
  assert.equal(
    matchMinion(target, subject('a'), ({ message }) => reasons.push(message)),
    false,
  );
  assert.match(reasons.join(), /parenthesis never closed \(at position 0\)/);
});

test('compound - lists tell who is missing, unless they are excluded', () => {
  const missing = (text: string) => forecast(parseTarget(text, 'compound'), fleet).missing;
  assert.deepEqual(missing('L@a,y or L@x,y'), ['y', 'x']);
  assert.deepEqual(missing('a and not L@x'), []);
  assert.deepEqual(missing('x or not ( L@y )'), ['y']);
});

test('compound - the master leaves minions without data in, access checks leave them out', () => {
  const sparse = { ids, data: (id: string) => (id === 'a' ? { grains: grainsOf('a') } : undefined) };
  const target = parseTarget('G@k:high', 'compound');
  assert.deepEqual(forecast(target, sparse).minions, ids.slice(1));
  assert.deepEqual(forecast(target, sparse, { greedy: false }).minions, []);
  assert.deepEqual(forecast(parseTarget('not G@k:high', 'compound'), sparse, { greedy: false }).minions, ids);
  assert.deepEqual(forecast(target, { ...sparse, cacheEnabled: false }).minions, ids);
});

test('compound - pillar words are compared exactly for access checks', () => {
  const withPillar = { ids, data: (id: string) => ({ pillar: dict({ role: id }) }) };
  const minions = (text: string, type: string) => forecast(parseTarget(text, type), withPillar).minions;
  assert.deepEqual(minions('I@role:[ab]', 'compound'), ['a', 'b']);
  assert.deepEqual(minions('I@role:[ab]', 'compound_pillar_exact'), []);
  assert.deepEqual(minions('J@role:a', 'compound_pillar_exact'), ['a']);
  assert.equal(matchMinion(parseTarget('a', 'compound_pillar_exact'), subject('a')), false);
});
