import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { TEMP_PREFIX } from '../../../../src/host/file-operations.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { systemRandom, type Random } from '../../../../src/host/random.ts';
import { callState, type FakeStateOptions } from '../../../support/state-context.ts';

/** A template, the file that it is to become, and the names of temporary files that were thought of. */
function place(t: TestContext): { args: Dict; name: string; random: Random; temporary: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-managed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, 'motd.jinja');
  writeFileSync(source, 'This is {{ who }}.\n');
  const temporary: string[] = [];
  const bytes = (count: number): Buffer => {
    const made = systemRandom.bytes(count);
    temporary.push(join(tmpdir(), TEMP_PREFIX + made.toString('base64url')));
    return made;
  };
  const name = join(folder, 'motd');
  const args = dict({ name, source, template: 'jinja', context: dict({ who: 'web1' }), mode: '0640' });
  return { args, name, random: { ...systemRandom, bytes }, temporary };
}

test('file.managed - what a template gives goes into its place without a file of its own', async (t) => {
  const { args, name, random, temporary } = place(t);
  let looked = 0;
  const options: FakeStateOptions = {
    random,
    functions: {
      'config.backup_mode': () => {
        looked++;
        for (const path of temporary) assert.ok(!existsSync(path), path);
        return '';
      },
    },
  };
  const made = await callState('file.managed', args, options);
  assert.deepEqual([made.get('result'), made.get('comment')], [true, `File ${name} updated`]);
  assert.equal(readFileSync(name, 'utf8'), 'This is web1.\n');
  assert.equal(statSync(name).mode & 0o7777, 0o640);
  const again = await callState('file.managed', args, options);
  assert.equal(again.get('comment'), `File ${name} is in the correct state`);
  writeFileSync(name, 'This was web1.\n');
  const foretold = await callState('file.managed', args, { ...options, test: true });
  const diff = '--- \n+++ \n@@ -1 +1 @@\n-This was web1.\n+This is web1.\n';
  assert.deepEqual([foretold.get('result'), foretold.get('changes')], [null, dict({ diff })]);
  const mended = await callState('file.managed', args, options);
  assert.deepEqual(mended.get('changes'), dict({ diff }));
  assert.equal(readFileSync(name, 'utf8'), 'This is web1.\n');
  assert.equal(looked, 2);
  assert.ok(temporary.length >= 4);
});

test('file.managed - a command that checks the new file is given what the template gave', async (t) => {
  const { args, name } = place(t);
  const refused = await callState('file.managed', new Map([...args, ['check_cmd', 'grep web2']]));
  assert.equal(refused.get('result'), false);
  assert.ok(!existsSync(name));
  const taken = await callState('file.managed', new Map([...args, ['check_cmd', 'grep web1']]));
  assert.equal(taken.get('result'), true);
  assert.equal(readFileSync(name, 'utf8'), 'This is web1.\n');
});

for (const fun of ['file.get_managed', 'file.manage_file'])
  test(`file.managed - with a site's own ${fun} the other one works with a file`, async (t) => {
    const { args, name } = place(t);
    const given = join(tmpdir(), `${TEMP_PREFIX}${systemRandom.bytes(6).toString('hex')}`);
    t.after(() => rmSync(given, { force: true }));
    let content = '';
    const doubles: Record<string, (args: readonly Value[], kwargs: Dict) => Value> = {
      'file.get_managed': () => {
        writeFileSync(given, 'by the site');
        return [given, dict(), ''];
      },
      'file.manage_file': (_args, kwargs) => {
        const sfn = String(kwargs.get('sfn'));
        content = readFileSync(sfn, 'utf8');
        rmSync(sfn);
        return dict({ name, changes: {}, comment: '', result: true });
      },
    };
    const { [fun]: double } = doubles;
    assert.ok(double !== undefined);
    const ended = await callState('file.managed', args, { functions: { [fun]: double } });
    assert.equal(ended.get('result'), true);
    if (fun === 'file.manage_file') assert.equal(content, 'This is web1.\n');
    else assert.equal(readFileSync(name, 'utf8'), 'by the site');
  });
