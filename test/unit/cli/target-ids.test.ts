/** The ids behind `-L`, of `salt` and of `salt-cp`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitIds } from '../../../src/cli/command-line/arguments.ts';

test('target ids - commas or blanks separate, and blanks beside commas mean nothing', () => {
  for (const text of ['web1,db1', 'web1, db1', ' web1 ,,db1 ', 'web1 db1', '  web1\tdb1 '])
    assert.deepEqual(splitIds(text), ['web1', 'db1'], text);
});
