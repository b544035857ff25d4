import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { toJson } from '../../../../src/formats/json/text.ts';
import { dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

const CONFIG = [
  'publisher_acl_blacklist: {modules: [cmd.exec_code]}',
  'external_auth:',
  '  pam:',
  '    alice:',
  '      - test.ping',
  "      - web1: [cmd.run: {args: ['systemctl restart .*']}, test.arg: {args: ['id'], kwargs: {tgt_of: me}}]",
  "      - '@runner': [test.arg: {args: [allowed]}]",
  "    ops%: ['@jobs']",
  'roles:',
  "  deployers: {users: [alice], rules: [{'*': [state.apply: {args: [web]}]}]}",
];

async function folder(t: TestContext): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'auth-can-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const made = { pki_dir: 'pki', cachedir: 'cache', sock_dir: 'run' };
  for (const name of Object.values(made)) mkdirSync(join(root, name));
  mkdirSync(join(root, 'pki', 'minions'));
  for (const id of ['web1', 'db1']) writeFileSync(join(root, 'pki', 'minions', id), 'a key');
  const folders = Object.entries(made).map(([option, name]) => `${option}: ${join(root, name)}`);
  writeFileSync(join(root, 'master'), [...folders, 'log_file: /dev/null', ...CONFIG, ''].join('\n'));
  return Promise.resolve(root);
}

test('auth.can - what stands behind the target are the arguments of the function', async (t) => {
  const root = await folder(t);
  const can = async (arg: Value[], kwarg: DictInit = {}): Promise<Record<string, unknown>> => {
    const data = await runMasterFunctionOn(root, 'runner', 'auth.can', {
      arg,
      kwarg: dict({ groups: [], ...kwarg }),
    });
    return JSON.parse(toJson(data.get('return') ?? null)) as Record<string, unknown>;
  };
  const rules = async (arg: Value[], kwarg?: DictInit): Promise<unknown> => (await can(arg, kwarg))['rules'];
  assert.deepEqual(await rules(['alice', 'test.ping', '*']), [
    { rule: 'test.ping', from: 'external_auth pam alice' },
  ]);
  assert.equal((await can(['alice', 'cmd.run', 'web1', 'systemctl restart nginx']))['allowed'], true);
  assert.equal((await can(['alice', 'test.arg', 'web1', 'id'], { tgt_of: 'me' }))['allowed'], true);
  assert.deepEqual(await rules(['alice', 'state.apply', 'db1', 'web']), [
    { rule: { '*': [{ 'state.apply': { args: ['web'] } }] }, from: 'role deployers' },
  ]);
  assert.equal((await can(['alice', 'test.arg', 'allowed'], { client: 'runner' }))['allowed'], true);
  assert.equal(
    (await can(['bob', 'jobs.list_jobs'], { client: 'runner', groups: ['ops'] }))['allowed'],
    true,
  );
  assert.equal((await can(['alice', 'test.ping', ['web1', 'db1']], { tgt_type: 'list' }))['allowed'], true);

  const refused = await can(['alice', 'cmd.run', 'web1', 'id']);
  assert.equal(refused['allowed'], false);
  assert.match(String(refused['reason']), /no rule allows cmd\.run with these arguments/);
  assert.equal((refused['his_rules'] as unknown[]).length, 4);
  for (const arg of [
    ['alice', 'cmd.run', 'db1', 'systemctl restart nginx'],
    ['alice', 'cmd.run', '*', 'systemctl restart nginx'],
    ['alice', 'test.arg', 'web1', 'id'],
    ['alice', 'cmd.exec_code', '*'],
    ['bob', 'test.ping', '*'],
  ])
    assert.equal((await can(arg))['allowed'], false, arg.join(' '));
});
