/**
 * Wheel functions that read and write files of the master: nothing outside of their folders, by no path and through no
 * link.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

function masterFolder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'brine-roots-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['srv', 'pillar', 'etc', 'elsewhere']) mkdirSync(join(root, name));
  const lines = [
    'id: vm_master',
    `root_dir: ${root}`,
    'pki_dir: /pki',
    'cachedir: /cache',
    'sock_dir: /s',
    'log_file: /log',
    `file_roots: {base: [${root}/srv]}`,
    `pillar_roots: {base: [${root}/pillar]}`,
  ];
  writeFileSync(join(root, 'etc', 'master'), `${lines.join('\n')}\n`);
  writeFileSync(join(root, 'elsewhere', 'secret'), 'secret\n');
  for (const name of ['srv', 'pillar']) {
    writeFileSync(join(root, name, 'a.sls'), 'a: 1\n');
    symlinkSync(join(root, 'elsewhere'), join(root, name, 'way-out'));
    symlinkSync(join(root, 'elsewhere', 'new'), join(root, name, 'to-nothing'));
  }
  return root;
}

async function returned(root: string, fun: string, ...arg: Value[]): Promise<Value> {
  return (await runMasterFunctionOn(join(root, 'etc'), 'wheel', fun, { arg })).get('return') ?? null;
}

for (const [option, folder] of [
  ['file_roots', 'srv'],
  ['pillar_roots', 'pillar'],
] as const)
  test(`wheel - ${option} keeps to its folders (CVE-2020-11652)`, async (t) => {
    const root = masterFolder(t);
    const own = join(root, folder, 'a.sls');
    assert.deepEqual(await returned(root, `${option}.read`, 'a.sls'), [dict({ [own]: 'a: 1\n' })]);
    assert.deepEqual(await returned(root, `${option}.find`, 'a.sls'), [dict({ [own]: 'txt' })]);
    const secret = join(root, 'elsewhere', 'secret');
    for (const path of [
      '../elsewhere/secret',
      secret,
      'way-out/secret',
      'x/../../elsewhere/secret',
      '../etc/master',
    ])
      for (const fun of ['find', 'read'])
        assert.deepEqual(await returned(root, `${option}.${fun}`, path), [], path);
    for (const path of [
      '../elsewhere/new',
      'way-out/new',
      'to-nothing',
      'a/../../elsewhere/new',
      'way-out/x/new',
    ])
      assert.match(String(await returned(root, `${option}.write`, 'x', path)), /^Invalid path/, path);
    assert.match(String(await returned(root, `${option}.write`, 'x', secret)), /is not relative to/);
    assert.ok(!existsSync(join(root, 'elsewhere', 'new')));
    assert.equal(readFileSync(secret, 'utf8'), 'secret\n');
    const made = await returned(root, `${option}.write`, 'x\n', 'deep/er/new.txt');
    assert.equal(made, `Wrote data to file ${join(root, folder, 'deep/er/new.txt')}`);
    assert.equal(readFileSync(join(root, folder, 'deep/er/new.txt'), 'utf8'), 'x\n');
  });

test('wheel - config writes into its own folder, and an option leaves the others', async (t) => {
  const root = masterFolder(t);
  assert.equal(await returned(root, 'config.update_config', 'gui', dict({ timeout: 7 })), 'Wrote gui.conf');
  assert.equal(readFileSync(join(root, 'etc/master.d/gui.conf'), 'utf8'), 'timeout: 7\n');
  for (const name of ['../gui', '/tmp/gui', 'a/b', '..'])
    assert.equal(
      await returned(root, 'config.update_config', name, dict({ timeout: 7 })),
      name === '..' ? 'Wrote ...conf' : 'Invalid path',
    );
  await returned(root, 'config.apply', 'timeout', 9);
  const text = readFileSync(join(root, 'etc/master'), 'utf8');
  assert.match(text, /^timeout: 9$/m);
  assert.match(text, /^id: vm_master$/m);
});
