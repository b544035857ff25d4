import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileGlob, filterNames, fnmatch, GlobCache } from '../../../../src/python/text/fnmatch.ts';
import { vectors } from '../../runtime/targeting/vectors.ts';

test('fnmatch - agrees with Python on every recorded pattern and text', () => {
  const [head, ...rows] = vectors<{ texts: string[]; pattern: string; matches: string[] }>('fnmatch');
  assert.ok(head && rows.length > 600);
  for (const { pattern, matches } of rows) {
    const glob = compileGlob(pattern);
    const found: string[] = head.texts.filter((text) => glob.matches(text));
    assert.deepEqual(found, matches, `pattern ${JSON.stringify(pattern)}`);
  }
});

test('fnmatch - a pattern without wildcards is a literal', () => {
  assert.equal(compileGlob('web1.example.com').literal, 'web1.example.com');
  assert.equal(compileGlob('web[').literal, 'web[');
  assert.equal(compileGlob('').literal, '');
  assert.equal(compileGlob('web*').literal, undefined);
  assert.equal(compileGlob('web?').literal, undefined);
});

test('fnmatch - filters names in their order', () => {
  assert.deepEqual(filterNames(['b1', 'a', 'b2', '__proto__'], 'b*'), ['b1', 'b2']);
  assert.deepEqual(filterNames(['b1', '__proto__'], '__*'), ['__proto__']);
});

test('fnmatch - property: every text matches itself with some characters replaced by wildcards', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('*', '?', 'keep'))),
      (parts) => {
        const plain = parts.map(([text, kind]) => [[...text.replaceAll(/[[*?]/g, 'x')], kind] as const);
        const text = plain.map(([chars]) => chars.join('')).join('');
        const pattern = plain
          .map(([chars, kind]) =>
            kind === 'keep' ? chars.join('') : kind === '*' ? '*' : '?'.repeat(chars.length),
          )
          .join('');
        assert.ok(fnmatch(text, pattern));
      },
    ),
  );
});

test('fnmatch - property: a matcher without stars or sets takes texts of one length only', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.nat(20), (questions, letters) => {
      assert.equal(fnmatch('a'.repeat(letters), '?'.repeat(questions)), questions === letters);
    }),
  );
});

test('fnmatch - hostile patterns do not stall', () => {
  const text = 'a'.repeat(2000);
  const started = performance.now();
  assert.equal(fnmatch(text, `${'*a'.repeat(1000)}b`), false);
  assert.equal(fnmatch(text, `${'a*'.repeat(500)}b*c`), false);
  assert.equal(fnmatch(text, `${'*?'.repeat(1000)}b`), false);
  assert.equal(fnmatch(text, '['.repeat(60_000)), false);
  assert.equal(fnmatch(text, `*${'[ab]'.repeat(500)}c*d`), false);
  assert.equal(
    fnmatch('x', `[${String.fromCodePoint(...Array.from({ length: 30_000 }, (_, i) => 200 + 2 * i))}]`),
    false,
  );
  assert.ok(performance.now() - started < 1000);
});

test('fnmatch - the cache is bounded and counts', () => {
  const cache = new GlobCache(2);
  assert.ok(cache.fnmatch('a', 'a*'));
  assert.ok(cache.fnmatch('ab', 'a*'));
  assert.ok(cache.fnmatch('b', 'b*'));
  assert.ok(cache.fnmatch('c', 'c*'));
  assert.equal(cache.misses, 3);
  assert.equal(cache.evictions, 1);
});
