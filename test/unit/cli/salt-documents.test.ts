import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generatedDocuments, REFERENCE_PATH } from '../../../src/cli/generated-docs.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const read = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';

test('documents - man pages, completion and reference are those that the tables give', async () => {
  const documents = await generatedDocuments(read(REFERENCE_PATH));
  const stale = [...documents].filter(([path, content]) => read(path) !== content).map(([path]) => path);
  assert.deepEqual(stale, [], 'write them anew with: node scripts/run-ts.mjs scripts/generate-docs.ts');
  assert.equal(documents.size, 16);
});

test('documents - own options are in the reference, and marked', () => {
  const reference = read(REFERENCE_PATH);
  for (const option of ['--exit-codes', '--canary', '--abort-on', '--watch', '--gather-job-timeout']) {
    assert.match(reference, new RegExp(`^- \`${option}=.*_Not in Salt\\._$`, 'm'));
  }
});
