/** JSON5 and Hjson: what is read, and what is refused with its place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHjson } from '../../../../src/formats/json/hjson.ts';
import { parseJson5 } from '../../../../src/formats/json/json5.ts';
import { dict, float } from '../../../../src/python/values/value.ts';

test('json5 - comments, bare keys, single quotes, trailing commas and its numbers', () => {
  const text = `// one
{ a: 'x\\'y', "b": [+1, .5, 5., 0xFF, -Infinity,], /* two */ $c_1: null, 'd': "l1\\
l2\\x41", }`;
  const value = dict({ a: "x'y", b: [1, 0.5, float(5), 255, -Infinity], $c_1: null, d: 'l1l2A' });
  assert.deepEqual(parseJson5(text), value);
});

test('json5 - what is none is refused with its place', () => {
  assert.throws(() => parseJson5('{a 1}'), /Expecting ':' delimiter: line 1 column 4/);
  assert.throws(() => parseJson5('[1 2]'), /Expecting ',' delimiter/);
  assert.throws(() => parseJson5('{} x'), /Extra data/);
  assert.throws(() => parseJson5("'a\nb'"), /Unterminated string/);
  assert.throws(() => parseJson5('01'), /Expecting value/);
  assert.throws(() => parseJson5('['.repeat(1000)), /Too many levels/);
});

test('hjson - members without braces, texts without quotes and texts of several lines', () => {
  const text = `# a comment
first: all of this line # is text
num: 5 // five
neg: -1.5
flag: true
list: [
  one two
  3, 4
]
inner: { a: "q\\n", b: 'x"y' }
text:
  '''
  l1
    l2
  '''
`;
  const value = dict({
    first: 'all of this line # is text',
    num: 5,
    neg: -1.5,
    flag: true,
    list: ['one two', 3, 4],
    inner: { a: 'q\n', b: 'x"y' },
    text: 'l1\n  l2',
  });
  assert.deepEqual(parseHjson(text), value);
  assert.deepEqual(parseHjson('{\n}'), dict());
  assert.deepEqual(parseHjson('[]'), []);
});

test('hjson - what is none is refused', () => {
  assert.throws(() => parseHjson('{a: [1'), /did you forget a closing ']'/);
  assert.throws(() => parseHjson("{a: '''x}"), /Bad multiline string/);
  assert.throws(() => parseHjson('{a b}'), /Expecting ':' delimiter/);
  assert.throws(() => parseHjson('{a: {}} x'), /Extra data/);
});
