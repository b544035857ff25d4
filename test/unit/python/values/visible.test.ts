import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import {
  hasUnseen,
  visible,
  visibleButColors,
  visibleEntry,
  visibleName,
  visibleValue,
} from '../../../../src/python/values/visible.ts';

test('visible - what steers a terminal, hides, turns round or ends lines is escaped; text in any script is left alone', () => {
  for (const [char, shown] of [
    ['\x1b', '\\x1b'],
    ['\r', '\\x0d'],
    ['\x00', '\\x00'],
    ['\x7f', '\\u007f'],
    ['\x9b', '\\u009b'],
    ['\u202e', '\\u202e'],
    ['\u2066', '\\u2066'],
    ['\u200b', '\\u200b'],
    ['\u200f', '\\u200f'],
    ['\u2028', '\\u2028'],
    ['\ufeff', '\\ufeff'],
    ['\u{e0041}', '\\udb40\\udc41'],
  ] as const) {
    assert.equal(visible(`a${char}b`), `a${shown}b`);
    assert.ok(hasUnseen(char));
  }
  const innocent = 'Zoë, Ωmega, веб, 日本語, 🙂, naïve\tcolumn\r\nnext line\n';
  assert.equal(visible(innocent), innocent);
  assert.equal(visibleName('a\tb\r\nc'), 'a\\x09b\\x0d\\x0ac');
  assert.equal(
    visibleButColors('\x1b[0;31mred\x1b[0;0m \x1b[2K\x1b]0;title\x07'),
    '\x1b[0;31mred\x1b[0;0m \\x1b[2K\\x1b]0;title\\x07',
  );
  assert.equal(visibleEntry('one\r\ntwo\n[CRITICAL] three'), 'one\n    two\n    [CRITICAL] three');
});

test('visible - values keep their lines, keys are names, and two keys never become one', () => {
  const shown = visibleValue(
    dict({
      'a\nweb2:': 'x\n\x1b[2Ky',
      'k\x00': 1,
      'k\\x00': 2,
      list: ['\u202e', Buffer.from('\x1b[1A')],
      n: 1.5,
    }),
  );
  assert.deepEqual(
    shown,
    dict({ 'a\\x0aweb2:': 'x\n\\x1b[2Ky', 'k\\x00': 1, 'k\\x00 ': 2, list: ['\\u202e', '\\x1b[1A'], n: 1.5 }),
  );
});
