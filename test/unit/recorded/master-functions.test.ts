/** Runners and wheel functions against recorded calls of Salt 3006.16 on the same folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
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

const root = mkdtempSync(join(tmpdir(), 'brine-functions-'));
after(() => rmSync(root, { recursive: true, force: true }));

for (const { call, salt, differs, ours } of cases)
  test(`functions of the master - ${JSON.stringify(call)}: as with Salt 3006.16, or differs for a reason`, async () => {
    assert.notEqual(differs, '', 'why does it differ?');
    makeMasterFunctionFolder(root, keys);
    assert.deepEqual(comparable(await outcomeOfOurs(root, call), root), ours ?? salt);
  });
