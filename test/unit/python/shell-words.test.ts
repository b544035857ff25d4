import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageOf } from '../../../src/errors/errors.ts';
import { quoteWord, splitWords } from '../../../src/python/shell-words.ts';

interface WordCase {
  readonly text: string;
  readonly words?: string[];
  readonly error?: string;
  readonly quoted: string;
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules');
// recorded from Python 3.11's shlex.split and shlex.quote
const CASES = JSON.parse(readFileSync(join(FOLDER, 'cmd-words.json'), 'utf8')) as WordCase[];

test('shell words - splitting and quoting give what Python gives', () => {
  for (const { text, words, error, quoted } of CASES) {
    if (error === undefined) assert.deepEqual(splitWords(text), words, text);
    else
      assert.throws(
        () => splitWords(text),
        (thrown) => messageOf(thrown) === error,
        text,
      );
    assert.equal(quoteWord(text), quoted);
  }
});

test('shell words - a quoted word is one word again', () => {
  for (const { text } of CASES) assert.deepEqual(splitWords(quoteWord(text)), [text]);
});
