import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadMasterConfig } from '../../../../src/config/load.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { checkExternalAuth } from '../../../../src/programs/master/auth/start-check.ts';

/** Checks a configuration. @returns the warnings */
async function checked(t: TestContext, lines: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'auth-start-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'master'), [`pki_dir: ${folder}`, ...lines, ''].join('\n'));
  const opts = loadMasterConfig({ configDir: folder, env: {}, log: silentLogger });
  const warnings: string[] = [];
  await checkExternalAuth(opts, { ...silentLogger, warning: (text) => void warnings.push(text) });
  return warnings;
}

test('external authentication - what cannot work stops the master, with the reason', async (t) => {
  const auto = 'external_auth: {auto: {alice: [test.ping]}}';
  for (const [lines, wanted] of [
    [
      ['external_auth: {kerberos: {}}'],
      /kerberos: there is no authentication system kerberos; there are auto, file.*, and files in auth_dirs or/,
    ],
    [['external_auth: {ldap: {}}'], /ldap: auth\.ldap\.binddn does not say whom to bind as/],
    [['external_auth: {mysql: {}}'], /mysql: mysql_auth:hostname is not set/],
    [[auto, 'eauth_tokens: etcd'], /there is no store etcd; there are localfs, rediscluster/],
    [[auto, 'eauth_acl_module: file'], /no authentication system file that keeps rules/],
    [['roles: {a: {users: [b]}}'], /roles:a: it has no list of rules/],
    [["roles: {a: {rules: ['x(']}}"], /roles:a: the rule 'x\(' allows nothing: x\( is no regular expression/],
  ] as const)
    await assert.rejects(checked(t, lines), (error: Error) => {
      assert.match(error.message, wanted);
      return true;
    });
});

test('external authentication - a rule that nothing fits is warned about', async (t) => {
  const lines = [
    'external_auth: {auto: {^setting: [1], alice: [test.ping, {web*: [test.ping, {cmd.run: {args: [ls]}}]}, "@jobs"]}}',
    'publisher_acl: {bob: [{a: [x], b: [y]}], carl: ["["], dora: {"web*": [test.ping]}}',
  ];
  assert.deepEqual(
    (await checked(t, lines)).map((line) => line.slice(0, 24)),
    ['In publisher_acl:bob, th', 'In publisher_acl:carl, t'],
  );
});

test('peer - entries that allow nothing are warned about at the start', async (t) => {
  const warnings = await checked(t, [
    "peer: {'.*': [test.*], web1: {'db*': [test.ping]}, '*': [test.ping], web2: [], web3: [5]}",
    "peer_run: {web1: [jobs.*], web2: [{'db*': [jobs.*]}]}",
  ]);
  assert.deepEqual(
    warnings.map((line) => line.replace(/ names.*|, and.*|, the.*|, what.*/, '')),
    ['peer:* is no regular expression', 'peer:web2', 'In peer:web3', 'In peer_run:web2'],
  );
});
