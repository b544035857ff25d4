import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BrineError } from '../../../../src/errors/errors.ts';
import {
  compilePattern,
  PatternBudgetError,
  PatternError,
  StepAllowance,
  type PyMatch,
} from '../../../../src/python/regex/pattern.ts';
import { vectors } from '../../runtime/targeting/vectors.ts';

type Span = [number, number];

/** A match as it is recorded: the spans of all groups. */
function spansOf(match: PyMatch | undefined, groups: number): Span[] | null {
  if (!match) return null;
  return Array.from({ length: groups + 1 }, (_, i) => [...(match.span(i) ?? [-1, -1])] as Span);
}

test('pcre - match, search, fullmatch and finditer agree with Python, groups included', () => {
  type Row = {
    texts: string[];
    pattern: string;
    found: { [i: string]: (Span[] | null)[] };
    all: { [i: string]: Span[] };
  };
  const [head, ...rows] = vectors<Row>('pcre');
  assert.ok(head && rows.length > 150);
  for (const { pattern, found, all } of rows) {
    const compiled = compilePattern(pattern);
    head.texts.forEach((text, i) => {
      const what = `${JSON.stringify(pattern)} on ${JSON.stringify(text)}`;
      const [start, anywhere, whole] = found[i] ?? [null, null, null];
      assert.deepEqual(spansOf(compiled.matchStart(text), compiled.groupCount), start, `match ${what}`);
      assert.deepEqual(spansOf(compiled.search(text), compiled.groupCount), anywhere, `search ${what}`);
      assert.deepEqual(spansOf(compiled.fullMatch(text), compiled.groupCount), whole, `fullmatch ${what}`);
      assert.equal(compiled.test(text), start !== null, `test ${what}`);
      assert.equal(compiled.test(text, 'anywhere'), anywhere !== null, `test anywhere ${what}`);
      assert.equal(compiled.test(text, 'whole'), whole !== null, `test whole ${what}`);
      const every = [...compiled.findAll(text)].map((match) => [match.start, match.end]);
      assert.deepEqual(every, all[i] ?? [], `finditer ${what}`);
    });
  }
});

test('pcre - agrees with Python on random patterns', () => {
  type Row = { texts: string[]; pattern: string; match: (Span[] | null)[]; search: (Span[] | null)[] };
  const [head, ...rows] = vectors<Row>('pcre-random');
  assert.ok(head);
  for (const { pattern, match, search } of rows) {
    const compiled = compilePattern(pattern);
    head.texts.forEach((text, i) => {
      const what = `${JSON.stringify(pattern)} on ${JSON.stringify(text)}`;
      assert.deepEqual(spansOf(compiled.matchStart(text), compiled.groupCount), match[i], `match ${what}`);
      assert.deepEqual(spansOf(compiled.search(text), compiled.groupCount), search[i], `search ${what}`);
      assert.equal(compiled.test(text), match[i] !== null, `test ${what}`);
      assert.equal(compiled.test(text, 'anywhere'), search[i] !== null, `test anywhere ${what}`);
    });
  }
});

test('pcre - refuses what Python refuses, with its words and the position', () => {
  for (const { pattern, message, position } of vectors<{
    pattern: string;
    message: string | null;
    position: number | null;
  }>('pcre-errors')) {
    let error: unknown;
    try {
      compilePattern(pattern);
    } catch (caught) {
      error = caught;
    }
    if (message === null) {
      assert.equal(error, undefined, pattern);
      continue;
    }
    assert.ok(
      error instanceof PatternError && error instanceof BrineError,
      `${pattern} should be refused: ${message}`,
    );
    if (pattern.includes('\\N') || message.includes('repetition number')) continue;
    assert.deepEqual([error.reason, error.position ?? null], [message, position], JSON.stringify(pattern));
  }
});

test('pcre - the error names the pattern and the place', () => {
  assert.throws(() => compilePattern('web(1'), {
    name: 'PatternError',
    message: "Invalid regular expression 'web(1': missing ), unterminated subpattern at position 3",
  });
});

test('pcre - groups by number and name', () => {
  const match = compilePattern('(?P<name>[a-z]+)(\\d)?(x)?').matchStart('web1');
  assert.equal(match?.group('name'), 'web');
  assert.equal(match?.group(2), '1');
  assert.deepEqual(match?.groups(), ['web', '1', undefined]);
  assert.equal(match?.group('__proto__'), undefined);
});

test('pcre - flags may be handed in', () => {
  assert.ok(compilePattern('WEB', { ignoreCase: true }).test('web'));
  assert.ok(compilePattern('^b', { multiline: true }).test('a\nb', 'anywhere'));
});

test('pcre - property: text escaped character by character matches itself only', () => {
  const escape = (text: string): string =>
    [...text].map((c) => (/[A-Za-z0-9]/.test(c) ? c : `\\${c}`)).join('');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
      const pattern = compilePattern(escape(text));
      assert.ok(pattern.test(text, 'whole'));
      assert.equal(pattern.test(other, 'whole'), text === other);
      assert.equal(pattern.test(other, 'anywhere'), other.includes(text));
    }),
  );
});

test('pcre - property: any text is either a pattern or a PatternError', () => {
  const piece = fc.constantFrom(
    ...'ab()[]{}*+?|^$.\\-:=!<>P#,1i \n'.split(''),
    '(?',
    '(?P<',
    '\\d',
    '[^',
    '{1,2}',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.string(), (pieces, text) => {
      try {
        compilePattern(pieces.join('')).search(text);
      } catch (error) {
        assert.ok(error instanceof BrineError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

const HOSTILE = [
  '^(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*)*(.*)*(.*)*x',
  '(a*)*(a*)*(a*)*b',
  '(?:a?){30}a{30}$',
  '([a-z]+)*[A-Z]',
  '((((a+)+)+)+)+b',
  '(\\w+\\s?)*$!',
];

test('pcre - testing hostile patterns takes linear time', () => {
  const started = performance.now();
  for (const source of HOSTILE) {
    const pattern = compilePattern(source);
    for (const text of [`${'a'.repeat(40)}!`, `${'a'.repeat(5000)}!`, `${'a'.repeat(200)}é!`]) {
      pattern.test(text);
      pattern.test(text, 'whole');
    }
  }
  assert.ok(performance.now() - started < 4000, `${performance.now() - started} ms`);
});

test('pcre - hostile patterns with look-around or references end with an error', () => {
  const text = `${'a'.repeat(60)}!`;
  for (const source of ['(?=a)(a+)+$', '(a+)+\\1$', '(?!b)(a|a)*$', '((a+)+)\\2+$', '(?:(?=(a+))a)*(a+)+$']) {
    const started = performance.now();
    assert.throws(() => compilePattern(source).test(text), PatternBudgetError);
    assert.ok(performance.now() - started < 2000);
  }
});

test('pcre - a pattern whose repetitions multiply ends soon, with an answer or an error', () => {
  const pattern = compilePattern('(a{0,50}){0,50}b');
  assert.equal(pattern.test(`${'a'.repeat(40)}!`), false);
  const started = performance.now();
  assert.throws(() => pattern.test(`${'a'.repeat(20_000)}!`), PatternBudgetError);
  assert.ok(performance.now() - started < 3000);
});

test('pcre - an allowance bounds many matches together', () => {
  const pattern = compilePattern('(?=a)(?:a|b)+$');
  const allowance = new StepAllowance(500);
  assert.throws(() => {
    for (let i = 0; i < 100; i++) pattern.test('abababababab', 'start', allowance);
  }, PatternBudgetError);
});

test('pcre - limits', () => {
  assert.throws(() => compilePattern('a'.repeat(70_000)), /longer than/);
  assert.throws(() => compilePattern('('.repeat(5000)), /nested groups/);
  assert.throws(() => compilePattern('a{4294967295}'), /too large/);
  assert.ok(
    compilePattern(`(?:${Array.from({ length: 2000 }, (_, i) => `host${i}`).join('|')})$`).test('host1999'),
  );
  const started = performance.now();
  compilePattern('(?:(?:(?:a{1000}){1000}){1000}){1000}').test('a'.repeat(100));
  assert.ok(performance.now() - started < 1000);
});

test('pcre - long texts need no deep stack', () => {
  const text = `${'ab'.repeat(200_000)}c`;
  assert.ok(compilePattern('(?:ab)*c').test(text, 'whole'));
  assert.equal(compilePattern('(a|b)*c').matchStart(text)?.end, text.length);
  assert.equal(compilePattern('.*c').matchStart(text)?.end, text.length);
});
