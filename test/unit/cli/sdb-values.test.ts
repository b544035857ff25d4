/** Values `sdb://…` of configurations, as programs start with them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { withSdbValues } from '../../../src/cli/program/sdb-values.ts';
import { loadMasterConfig } from '../../../src/config/load.ts';
import type { MasterOptions } from '../../../src/config/master-options.ts';
import { createLogger } from '../../../src/host/log.ts';
import { dict } from '../../../src/python/values/value.ts';

interface Loaded {
  readonly opts: MasterOptions;
  readonly logged: string;
}

async function load(t: TestContext, lines: readonly string[]): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'sdb-values-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'secrets.yaml'), 'timeout: 17\nname: sam\nlist: [a, b]\n');
  const profile = `files: {driver: yaml, files: [${folder}/secrets.yaml]}`;
  writeFileSync(join(folder, 'master'), [`root_dir: ${folder}`, 'id: vm', profile, ...lines, ''].join('\n'));
  const logged: string[] = [];
  const log = createLogger('test', [{ level: 0, write: ({ message }) => void logged.push(message) }]);
  const config = loadMasterConfig({ configDir: folder, env: {}, log, program: 'salt-master' });
  return { opts: await withSdbValues(config, log), logged: logged.join('\n') };
}

test('configuration - values of sdb are replaced, in lists and mappings too', async (t) => {
  const { opts } = await load(t, [
    'timeout: sdb://files/timeout',
    'own: {deep: [1, sdb://files/name]}',
    'nodegroups: {n: sdb://files/list}',
  ]);
  assert.equal(opts.get('timeout'), 17);
  assert.deepEqual(opts.raw('own'), dict({ deep: [1, 'sam'] }));
  assert.deepEqual(opts.get('nodegroups'), dict({ n: ['a', 'b'] }));
});

test('configuration - a profile may have values of another one', async (t) => {
  process.env['SDB_VALUES_TABLE'] = 'mine';
  t.after(() => delete process.env['SDB_VALUES_TABLE']);
  const { opts } = await load(t, [
    'lite: {driver: sqlite3, database: /nowhere, table: "sdb://osenv/SDB_VALUES_TABLE"}',
    'osenv: {driver: env}',
  ]);
  assert.deepEqual(opts.raw('lite'), dict({ driver: 'sqlite3', database: '/nowhere', table: 'mine' }));
});

test('configuration - a value of the wrong type is told and not taken', async (t) => {
  const { opts, logged } = await load(t, ['timeout: sdb://files/list']);
  assert.equal(opts.get('timeout'), 5);
  assert.match(logged, /The option timeout has its default: what sdb gives/);
});

test('configuration - what cannot be read keeps the program from starting', async (t) => {
  const lines = ['timeout: sdb://away/a', 'away: {driver: etcd}'];
  await assert.rejects(
    load(t, lines),
    /^ConfigError: The option timeout is sdb:\/\/away\/a, which cannot be read\. .*driver etcd/,
  );
  await assert.rejects(load(t, ['timeout: sdb://nothing/a']), /timeout: there is no sdb profile nothing/);
});

test('configuration - a profile whose driver is not served is told of', async (t) => {
  const { logged } = await load(t, ['old: {driver: consul}']);
  assert.match(logged, /old \(its sdb driver consul is not served: /);
});
