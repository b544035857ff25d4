import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionMatch } from '../../../../src/python/text/expression-match.ts';

test('expression match - the text itself, a glob, or a regular expression for all of it', () => {
  assert.ok(expressionMatch('web1', 'web1'));
  assert.ok(expressionMatch('web1', 'web*'));
  assert.ok(expressionMatch('web1', 'web\\d'));
  assert.ok(expressionMatch('web1', '(web|db)[0-9]+'));
});

test('expression match - nothing else', () => {
  assert.ok(!expressionMatch('web1', 'db*'));
  assert.ok(!expressionMatch('web1', 'web'));
  assert.ok(!expressionMatch('web1', 'eb\\d'));
  assert.ok(!expressionMatch('web1', '('));
  assert.ok(!expressionMatch('web1', ''));
});
