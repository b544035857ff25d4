import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

test('runners - cache.clear_git_lock removes the locks of gitfs and of pillar, by the address', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'git-locks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'master'),
    [
      `root_dir: ${folder}`,
      'user: root',
      'fileserver_backend: [git]',
      `gitfs_remotes: ['file://${folder}/one', 'file://${folder}/two']`,
      `ext_pillar: [git: ['master file://${folder}/pillar', 'master file://${folder}/one']]`,
      '',
    ].join('\n'),
  );
  const call = async (fun: string, words = {}): Promise<unknown> => {
    const data = await runMasterFunctionOn(folder, 'runner', fun, { kwarg: dict(words) });
    const value = data.get('return');
    return value instanceof Map ? Object.fromEntries(value) : value;
  };
  const clear = (words: object): Promise<unknown> => call('cache.clear_git_lock', words);
  const removed = (role: string, id: string): string => `Removed update lock for ${role} remote '${id}'`;

  assert.equal(await clear({ role: 'gitfs' }), 'No locks were removed');
  await call('fileserver.lock');
  assert.equal(await clear({ role: 'gitfs', type: 'checkout,mountpoint' }), 'No locks were removed');
  assert.deepEqual(await clear({ role: 'gitfs', remote: 'two', type: ['update'] }), {
    cleared: [removed('gitfs', `file://${folder}/two`)],
  });
  // a copy of a repository is one, whoever uses it
  assert.deepEqual(await clear({ role: 'git_pillar' }), {
    cleared: [removed('git_pillar', `master file://${folder}/one`)],
  });
  assert.equal(await clear({ role: 'gitfs' }), 'No locks were removed');
  assert.equal(await clear({ role: 'winrepo' }), 'No locks were removed');
  assert.match(String(await clear({ role: 'svn' })), /Invalid role 'svn'/);
  assert.match(String(await clear({ role: 'gitfs', type: 'updte' })), /no locks of the type 'updte'/);
  assert.match(String(await clear({ role: 'gitfs', nosuch: 1 })), /nosuch/);
});
