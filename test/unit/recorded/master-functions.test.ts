/** Runners and wheel functions against recorded calls of Salt 3006.16 on the same folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import {
  comparable,
  makeMasterFunctionFolder,
  type RecordedCase,
} from '../../support/master-function-cases.ts';
import { outcomeOfOurs } from '../../support/master-functions.ts';
import type { RecordedKeys } from '../../support/salt-key-folder.ts';

const FIXTURES = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures');
const read = <T>(path: string): T => JSON.parse(readFileSync(join(FIXTURES, path), 'utf8')) as T;
const { keys } = read<{ keys: RecordedKeys }>('keys/salt-key-3006.16.json');
const { cases } = read<{ cases: RecordedCase[] }>('runners/master-functions-3006.16.json');

test('functions of the master - every recorded call comes to the same, or differs for a reason', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'brine-functions-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const { call, salt, differs, ours } of cases) {
    const words = JSON.stringify(call);
    assert.notEqual(differs, '', `why does ${words} differ?`);
    makeMasterFunctionFolder(root, keys);
    const got = comparable(await outcomeOfOurs(root, call), root);
    assert.deepEqual(got, ours ?? salt, words);
  }
});
