import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { ApiTokens } from '../../../../src/storage/tokens/api-tokens.ts';
import { faultsOfRoles } from '../../../../src/runtime/access/roles.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

test('auth.token_* - made once, listed without the secret, revoked', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'auth-tokens-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folders = { pki_dir: 'pki', cachedir: 'cache', sock_dir: 'run' };
  for (const name of Object.values(folders)) mkdirSync(join(root, name));
  const lines = Object.entries(folders).map(([option, name]) => `${option}: ${join(root, name)}`);
  const roles = "roles: {deployers: {tokens: [given], rules: [{'*': [state.apply]}]}}";
  writeFileSync(join(root, 'master'), [...lines, 'log_file: /dev/null', roles, ''].join('\n'));
  const run = async (fun: string, arg: Value[], kwarg: DictInit = {}): Promise<Value> =>
    (await runMasterFunctionOn(root, 'runner', `auth.${fun}`, { arg, kwarg: dict(kwarg) })).get('return') ??
    null;

  const made = await run('token_create', ['ci'], { roles: 'deployers', rules: ['test.ping'], expire: '2h' });
  assert.ok(isDict(made));
  const token = String(made.get('token'));
  assert.match(token, /^brine\.ci\.[0-9a-f]{64}$/);
  const path = join(root, 'pki', 'api_tokens', 'ci');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(root, 'pki', 'api_tokens')), ['ci']);
  const secret = token.split('.')[2] ?? '';
  assert.ok(!readFileSync(path, 'utf8').includes(secret));
  assert.ok(!pyStr(await run('token_list', [])).includes(secret));

  const tokens = new ApiTokens(join(root, 'pki'));
  const now = Date.now() / 1000;
  assert.deepEqual(tokens.check(token, now)?.roles, ['deployers']);
  assert.equal(tokens.check(token, now + 7300), undefined, 'over');
  for (const wrong of [
    `brine.ci.${'0'.repeat(64)}`,
    `brine.other.${secret}`,
    `brine.../ci.${secret}`,
    `brine.ci.${secret.toUpperCase()}x`,
    secret,
    '',
  ])
    assert.equal(tokens.check(wrong, now), undefined, wrong);
  const can = async (user: string, fun: string): Promise<unknown> => {
    const answer = await run('can', [user, fun, '*']);
    return isDict(answer) ? answer.get('allowed') : answer;
  };
  // no minions are known, so that rules with a target allow nothing
  assert.equal(await can('token:ci', 'test.ping'), true);
  assert.equal(await can('token:ci', 'cmd.run'), false);

  const refused: [Value[], DictInit, RegExp][] = [
    [['ci'], { rules: ['test.ping'] }, /There is an API token ci already/],
    [['x'], { roles: ['admins'] }, /There is no role admins; there are deployers/],
    [['x'], {}, /without roles and rules/],
    [['x'], { rules: '[test.ping' }, /^rules is a list, such as '\[test\.ping\]', and not '\[test\.ping'\.$/],
    [['../x'], { rules: ['test.ping'] }, /cannot be the name/],
    [['x'], { rules: ['test.('] }, /is no regular expression/],
    [['x'], { rules: [dict({ '*': [dict({ 'cmd.run': ['ls'] })] })] }, /no mapping of args and kwargs/],
    [['x'], { rules: ['test.ping'], expire: 'tomorrow' }, /is no time/],
  ];
  for (const [arg, kwarg, wanted] of refused)
    assert.match(String(await run('token_create', arg, kwarg)), wanted);
  assert.equal(await run('token_revoke', ['ci']), true);
  assert.equal(await run('token_revoke', ['ci']), false);
  assert.equal(await run('token_revoke', ['../../master']), false);
  assert.equal(tokens.check(token, now), undefined);
});

test('roles - what is wrong with them is told, by role', () => {
  const faults = faultsOfRoles(
    dict({
      fine: dict({
        users: ['a'],
        groups: [],
        tokens: ['t'],
        rules: ['test.*', '@jobs', dict({ '@runner': 'jobs.*' })],
      }),
      list: ['a'],
      none: dict({ users: ['a'] }),
      odd: dict({ user: ['a'], rules: [] }),
      text: dict({ users: 'alice', rules: [] }),
      pattern: dict({ rules: ['test.['] }),
      form: dict({ rules: [7] }),
    }),
  );
  assert.deepEqual(
    [...faults.keys()],
    ['roles:list', 'roles:none', 'roles:odd', 'roles:text', 'roles:pattern', 'roles:form'],
  );
});
