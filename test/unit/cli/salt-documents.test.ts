import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generatedDocuments, REFERENCE_PATH } from '../../../src/cli/documents/generated-docs.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const read = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';

test('documents - man pages, completion and reference are those that the tables give', async () => {
  const documents = await generatedDocuments(read(REFERENCE_PATH));
  const stale = [...documents].filter(([path, content]) => read(path) !== content).map(([path]) => path);
  assert.deepEqual(stale, [], 'write them anew with: node scripts/run-ts.mjs scripts/generate-docs.ts');
  assert.equal(documents.size, 28);
});

test('documents - they are the same on every machine', () => {
  const env = {
    PATH: process.env['PATH'],
    BRINE_ROOT: ROOT,
    SHELL: '/bin/other',
    HOME: '/nonexistent',
    TZ: 'Asia/Tokyo',
  };
  const args = [join(ROOT, 'scripts/run-ts.mjs'), join(ROOT, 'scripts/generate-docs.ts'), '--check'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  assert.deepEqual({ stdout, stderr, status }, { stdout: '', stderr: '', status: 0 });
});

test('documents - own options are in the reference, and marked', () => {
  const reference = read(REFERENCE_PATH);
  for (const option of ['--exit-codes', '--canary', '--abort-on', '--watch', '--gather-job-timeout']) {
    assert.match(reference, new RegExp(`^- \`${option}=.*_Not in Salt\\._$`, 'm'));
  }
});
