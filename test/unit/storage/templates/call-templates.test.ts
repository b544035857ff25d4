/** Templates of calls: how many there may be, what becomes of files that are none, and who may read them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict } from '../../../../src/python/values/value.ts';
import {
  CallTemplates,
  TEMPLATES_MAX,
  type CallTemplate,
} from '../../../../src/storage/templates/call-templates.ts';

test('templates - are bounded for each owner, unreadable for others, and damaged ones are passed over', (t) => {
  const pki = mkdtempSync(join(tmpdir(), 'brine-templates-'));
  t.after(() => rmSync(pki, { recursive: true, force: true }));
  const templates = new CallTemplates(pki);
  const save = (owner: string, name: string, isShared = false): CallTemplate | string =>
    templates.save({ owner, name, isShared, changed: 1, call: dict({ fun: 'f' }) }, undefined, systemRandom);
  for (let nth = 0; nth < TEMPLATES_MAX.own; nth++) assert.equal(typeof save('pam:a', `t${nth}`), 'object');
  assert.equal(save('pam:a', 'one more'), 'too-many');
  assert.equal(typeof save('pam:a', 'shared', true), 'object');
  assert.equal(save('ldap:a', 'shared', true), 'taken');
  assert.equal(typeof save('ldap:a', 't0'), 'object', 'another one of that name');
  assert.deepEqual(
    templates.list('ldap:a').map(({ name, owner }) => `${owner} ${name}`),
    ['ldap:a t0', 'pam:a shared'],
  );
  const root = join(pki, 'api_templates');
  for (const folder of readdirSync(root)) {
    assert.equal(statSync(join(root, folder)).mode & 0o777, 0o700);
    for (const name of readdirSync(join(root, folder))) {
      assert.match(name, /^[0-9a-f]{32}$/);
      assert.equal(statSync(join(root, folder, name)).mode & 0o777, 0o600);
    }
  }
  const [first] = templates.list('ldap:a');
  const folder = readdirSync(root).find((each) => readdirSync(join(root, each)).includes(first?.id ?? ''));
  writeFileSync(join(root, folder ?? '', first?.id ?? ''), '{"name":');
  assert.deepEqual(
    templates.list('ldap:a').map(({ name }) => name),
    ['shared'],
  );
});
