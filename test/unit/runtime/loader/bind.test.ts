import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgumentError, SaltInvocationError } from '../../../../src/errors/errors.ts';
import { bindCall, parsePublished } from '../../../../src/runtime/loader/bind.ts';
import type { FunctionDescription } from '../../../../src/runtime/loader/module.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

const described = { doc: 'Does it.', returns: 'it' };
const none: FunctionDescription = described;
const one: FunctionDescription = { ...described, params: { text: {} } };
const three: FunctionDescription = { ...described, params: { a: {}, b: {}, c: {} } };
const optional: FunctionDescription = { ...described, params: { key: {}, other: { default: [1] } } };
const open: FunctionDescription = { ...described, params: { name: {} }, varargs: 'args', kwargs: 'kwargs' };
const keywordOnly: FunctionDescription = {
  ...described,
  params: { tgt_type: { default: 'glob', keywordOnly: true } },
  varargs: 'args',
};

function bind(name: string, spec: FunctionDescription, arg: Value[]): ReturnType<typeof bindCall> {
  return bindCall(name, spec, parsePublished(spec, arg));
}

/** Texts recorded from Salt 3006.16 on Python 3.11. */
const REFUSED: [FunctionDescription, string, Value[], string][] = [
  [one, 'echo', [], "echo() missing 1 required positional argument: 'text'"],
  [three, 'f', [], "f() missing 3 required positional arguments: 'a', 'b', and 'c'"],
  [three, 'f', [1], "f() missing 2 required positional arguments: 'b' and 'c'"],
  [none, 'ping', [1], 'ping() takes 0 positional arguments but 1 was given'],
  [one, 'echo', [1, 2], 'echo() takes 1 positional argument but 2 were given'],
  [optional, 'f', [1, 2, 3], 'f() takes from 1 to 2 positional arguments but 3 were given'],
  [one, 'echo', [1, dict({ __kwarg__: true, text: 2 })], "echo() got multiple values for argument 'text'"],
];

test('bind - wrong arguments are refused in the words of Python', () => {
  for (const [spec, name, arg, message] of REFUSED) {
    assert.throws(
      () => bind(name, spec, arg),
      (error) => error instanceof ArgumentError && error.message === message,
    );
  }
});

test('bind - unknown keywords are refused all at once', () => {
  assert.throws(
    () => parsePublished(one, [dict({ __kwarg__: true, a: 1, b: null }), 'c=True']),
    new SaltInvocationError('The following keyword arguments are not valid: a=1, b=None, c=True'),
  );
});

test('bind - positional arguments, keywords and defaults meet their parameters', () => {
  assert.deepEqual({ ...bind('f', optional, ['x']).args }, { key: 'x', other: [1] });
  const mixed = bind('f', optional, [dict({ __kwarg__: true, other: 'o' }), 7]);
  assert.deepEqual({ ...mixed.args }, { key: 7, other: 'o' });
});

test('bind - a default is copied for each call', () => {
  const first = bind('f', optional, ['x']).args['other'] as Value[];
  first.push(2);
  assert.deepEqual(bind('f', optional, ['x']).args['other'], [1]);
});

test('bind - key=value texts become keywords with values read as YAML', () => {
  assert.deepEqual({ ...bind('echo', one, ['text=[1, 2]']).args }, { text: [1, 2] });
  assert.deepEqual({ ...bind('echo', one, ['text==x']).args }, { text: 'text==x' });
  assert.deepEqual({ ...bind('echo', one, ['text=a\nb']).args }, { text: 'text=a\nb' });
});

test('bind - a mapping without the marker stays an argument', () => {
  const value = dict({ a: 1 });
  assert.equal(bind('echo', one, [value]).args['text'], value);
});

test('bind - functions with keywords take the rest and the publish fields', () => {
  const parsed = parsePublished(
    open,
    ['n', 1, 2, dict({ __kwarg__: true, x: 1 })],
    dict({ jid: '1', tgt: '*' }),
  );
  const bound = bindCall('f', open, parsed);
  assert.deepEqual({ ...bound.args }, { name: 'n' });
  assert.deepEqual(bound.rest, [1, 2]);
  assert.deepEqual(bound.kwargs, dict({ x: 1, __pub_jid: '1', __pub_tgt: '*' }));
});

test('bind - functions without keywords do not see the publish fields', () => {
  assert.equal(parsePublished(one, ['x'], dict({ jid: '1' })).keywords.size, 0);
});

test('bind - keyword-only parameters take no positional argument', () => {
  const bound = bind('f', keywordOnly, [1, 2, dict({ __kwarg__: true, tgt_type: 'list' })]);
  assert.deepEqual(bound.rest, [1, 2]);
  assert.deepEqual({ ...bound.args }, { tgt_type: 'list' });
});

test('bind - names of the prototype are ordinary names', () => {
  assert.throws(() => parsePublished(one, ['constructor=1', 'toString=2']), SaltInvocationError);
  assert.throws(
    () => bindCall('echo', one, { positional: [], keywords: new Map([['__proto__', 1]]) }),
    ArgumentError,
  );
});
