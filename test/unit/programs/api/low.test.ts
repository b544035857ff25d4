/** Low data that cannot be called is the client's mistake: 400, and the sentence says which field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from '../../../../src/programs/api/failures.ts';
import {
  functionOf,
  functionsOf,
  jobArguments,
  keywordsOf,
  targetOf,
} from '../../../../src/programs/api/low.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';

/** What a client is told. */
function fault(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    const found = faultOf(error);
    assert.equal(found?.status, 400, String(error));
    return found.message;
  }
  return assert.fail('it was taken');
}

test('API low data - a job without tgt, or with one that is none, is refused with a sentence', () => {
  assert.match(
    fault(() => targetOf(dict({ fun: 'test.ping' }))),
    /^The low data has no tgt\. Say whom/,
  );
  assert.match(
    fault(() => targetOf(dict({ tgt: null }))),
    /^The low data has no tgt\./,
  );
  for (const [tgt, what] of [
    [5, '5 \\(int\\)'],
    [true, 'True \\(bool\\)'],
    [dict({ a: 1 }), "\\{'a': 1\\} \\(dict\\)"],
  ] as const)
    assert.match(
      fault(() => targetOf(dict({ tgt }))),
      new RegExp(`^tgt is a text .* not ${what}`),
    );
  assert.equal(targetOf(dict({ tgt: '*' })), '*');
  assert.deepEqual(targetOf(dict({ tgt: ['a', 'b'] })), ['a', 'b']);
});

test('API low data - fun is a name or a list of names', () => {
  assert.match(
    fault(() => functionsOf(dict({ tgt: '*' }))),
    /^The low data has no fun\./,
  );
  for (const fun of ['', [], ['test.ping', '']])
    assert.match(
      fault(() => functionsOf(dict({ fun }))),
      /^fun is empty\./,
    );
  for (const fun of [5, ['test.ping', 5], dict({ 'test.ping': [] })])
    assert.match(
      fault(() => functionsOf(dict({ fun }))),
      /^fun is the name of a function or a list/,
    );
  assert.match(
    fault(() => functionOf(dict({ fun: 5 }), 'runner')),
    /^fun is the name of a function, .* 5 \(int\)/,
  );
  assert.deepEqual(functionsOf(dict({ fun: ['test.ping', 'grains.items'] })), ['test.ping', 'grains.items']);
});

test('API low data - kwarg is a mapping, and none of it is none', () => {
  const wrong: Value[] = [[1], 'a=1', 5, false];
  for (const kwarg of wrong) {
    assert.match(
      fault(() => keywordsOf(dict({ kwarg }))),
      /^kwarg is a mapping of names to values/,
    );
    assert.match(
      fault(() => jobArguments(dict({ arg: ['x'], kwarg }))),
      /^kwarg is a mapping/,
    );
  }
  for (const low of [dict({}), dict({ kwarg: null }), dict({ kwarg: '' })] satisfies Dict[])
    assert.deepEqual(keywordsOf(low), new Map());
  assert.deepEqual(jobArguments(dict({ arg: 'x', kwarg: dict({ a: 1 }) })), [
    'x',
    dict({ __kwarg__: true, a: 1 }),
  ]);
});

test('API low data - no more of a long value is repeated than helps', () => {
  const message = fault(() => targetOf(dict({ tgt: dict({ a: 'x'.repeat(10_000) }) })));
  assert.ok(message.length < 200, message);
});
