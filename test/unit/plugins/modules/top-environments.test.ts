/**
 * Where `saltutil.sync_*` looks. The expectations were recorded from `salt-call --local saltutil.sync_modules` of
 * 3006.16.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

const TOPS = {
  'base/top.sls':
    "base:\n  'os:*':\n    - match: grain\n    - x\ndev:\n  'w*': [a]\nunused:\n  'nobody': [a]\n",
  'prod/top.sls': "include: [extra.top]\nprod:\n  'nobody': [a]\ndev:\n  '*': [b]\n",
  'prod/extra/top.sls': "prod:\n  'w1': [c]\n",
};
const ENVIRONMENTS = ['base', 'dev', 'prod', 'unused'];

async function synced(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  options: Parameters<typeof dict>[0] = {},
  kwargs: Parameters<typeof dict>[0] = {},
): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-top-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const env of ENVIRONMENTS) {
    mkdirSync(join(folder, env, '_modules'), { recursive: true });
    for (const name of [`m_${env}`, 'shared'])
      writeFileSync(join(folder, env, '_modules', `${name}.js`), `// ${env}`);
  }
  const opts = dict({
    id: 'w1',
    file_client: 'local',
    cachedir: join(folder, 'cache'),
    extension_modules: join(folder, 'ext'),
    file_roots: Object.fromEntries(ENVIRONMENTS.map((env) => [env, [join(folder, env)]])),
    hash_type: 'sha256',
    ...options,
  });
  const ctx = fakeContext({ id: 'w1', opts, grains: dict({ os: 'Debian', id: 'w1' }) });
  return ctx.functions.call('saltutil.sync_modules', [], dict(kwargs));
}

const of = (...environments: string[]): string[] =>
  environments.flatMap((env) => [`modules.m_${env}`, 'modules.shared']);

test('saltutil.sync_modules - looks at the environments in which the top file means this minion', async (t) => {
  assert.deepEqual(await synced(t, TOPS), of('base', 'dev'));
  assert.deepEqual(
    await synced(t, TOPS, { top_file_merging_strategy: 'merge_all' }),
    of('base', 'dev', 'prod'),
  );
  assert.deepEqual(await synced(t, TOPS, { top_file_merging_strategy: 'same' }), of('base', 'dev', 'prod'));
  assert.deepEqual(await synced(t, TOPS, { saltenv: 'dev' }), of('base'));
});

test('saltutil.sync_modules - without a top file, and with one that fails, looks at base', async (t) => {
  assert.deepEqual(await synced(t, {}), of('base'));
  assert.deepEqual(await synced(t, { 'base/top.sls': '{{ nothing.here }}' }), of('base'));
  assert.deepEqual(await synced(t, { 'base/top.sls': "base: {'nobody': [a]}" }), of('base'));
});

test('saltutil.sync_modules - saltenv and the lists of names decide', async (t) => {
  assert.deepEqual(await synced(t, TOPS, {}, { saltenv: 'dev,prod' }), of('dev', 'prod'));
  assert.deepEqual(await synced(t, TOPS, {}, { extmod_whitelist: 'm_dev' }), ['modules.m_dev']);
  assert.deepEqual(await synced(t, TOPS, {}, { extmod_blacklist: 'shared,m_base' }), ['modules.m_dev']);
  const configured = { extmod_blacklist: { modules: ['shared'] } };
  assert.deepEqual(await synced(t, TOPS, configured), ['modules.m_base', 'modules.m_dev']);
});
