/** What a start says of files and folders that its configuration names and that are not there. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadMasterConfig, loadMinionConfig } from '../../../../src/config/load.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { sayMissingOfMaster, sayMissingOfMinion } from '../../../../src/programs/daemon/missing-paths.ts';
import { folder, keptLog } from '../../../support/attacker.ts';

function said(t: TestContext, program: 'master' | 'minion', lines: (at: string) => string[]): string {
  const configDir = folder(t);
  mkdirSync(join(configDir, 'there'));
  writeFileSync(join(configDir, 'file'), '');
  writeFileSync(join(configDir, program), [...lines(configDir), ''].join('\n'));
  const { log, lines: kept } = keptLog();
  const from = { configDir, env: {}, log: silentLogger };
  if (program === 'master') sayMissingOfMaster(loadMasterConfig(from), log);
  else sayMissingOfMinion(loadMinionConfig(from), log);
  return kept.join('\n').replaceAll(configDir, '');
}

test('missing paths - a master says of each what is not done without it, and where to correct it', (t) => {
  const text = said(t, 'master', (at) => [
    `autosign_grains_dir: ${at}/grains`,
    `autosign_file: ${at}/autosign`,
    `autoreject_file: ${at}/there`,
    `file_roots: {base: [${at}/there, ${at}/srv], dev: [${at}/dev, ${at}/__env__]}`,
    `pillar_roots: {base: [${at}/file]}`,
    `runner_dirs: [${at}/runners]`,
  ]);
  for (const line of [
    'option autosign_grains_dir names /grains, and there is no such folder: no minion is accepted by its grains. Make the folder, or correct autosign_grains_dir in /master.',
    'option autosign_file names /autosign, and there is no such file: no minion is accepted by it.',
    'option autoreject_file names /there, and there is no such file: no minion is rejected by it.',
    'option file_roots names /srv, and there is no such folder: no file is served from it.',
    'option file_roots names /dev, and there is no such folder',
    'option pillar_roots names /file, and there is no such folder: no pillar comes from it.',
    'option runner_dirs names /runners, and there is no such folder: no runners come from it.',
  ])
    assert.ok(text.includes(line), `${line}\nis not in\n${text}`);
  assert.equal(text.split('\n').length, 7, text);
});

test('missing paths - what is there, what is not served and what nobody has written is not spoken of', (t) => {
  assert.equal(
    said(t, 'master', (at) => [`autosign_file: ${at}/file`, `module_dirs: [${at}/there]`]),
    '',
  );
  const gitOnly = (at: string): string[] => ['fileserver_backend: [gitfs]', `file_roots: {base: [${at}/x]}`];
  assert.equal(said(t, 'master', gitOnly), '');
  assert.equal(
    said(t, 'minion', (at) => [`file_roots: {base: [${at}/x]}`]),
    '',
  );
});

test('missing paths - a minion without a master says so of its own roots', (t) => {
  const text = said(t, 'minion', (at) => [
    'file_client: local',
    `file_roots: {base: [${at}/x]}`,
    `states_dirs: [${at}/states]`,
  ]);
  assert.match(text, /file_roots names \/x, and there is no such folder: no file is served/);
  assert.match(
    text,
    /states_dirs names \/states, and there is no such folder: no state modules come from it/,
  );
});
