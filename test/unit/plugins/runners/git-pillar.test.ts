import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

test('runners - git_pillar.update fetches the repositories of pillar, by branch, address and name', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'git-pillar-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const repository = join(folder, 'repo');
  mkdirSync(repository);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', repository, ...args]);
  git('init', '-q', '-b', 'master');
  const commit = (text: string): void => {
    writeFileSync(join(repository, 'a.sls'), text);
    git('add', '.');
    git('commit', '-q', '-m', text);
  };
  commit('a: 1');
  const configure = (...remotes: string[]): void =>
    writeFileSync(
      join(folder, 'master'),
      [
        `root_dir: ${folder}`,
        'user: root',
        `ext_pillar: ${remotes.length === 0 ? '[]' : `[git: [${remotes.join(', ')}]]`}`,
        '',
      ].join('\n'),
    );
  const url = `file://${repository}`;
  const update = async (words = {}): Promise<unknown> => {
    const data = await runMasterFunctionOn(folder, 'runner', 'git_pillar.update', { kwarg: dict(words) });
    const value = data.get('return');
    return value instanceof Map ? Object.fromEntries(value) : value;
  };
  configure(`"master ${url}": [name: first]`, `"dev ${url}"`, `"master file://${folder}/none"`);
  const all = { [`master ${url}`]: true, [`dev ${url}`]: null, [`master file://${folder}/none`]: false };
  assert.deepEqual(await update(), all);
  assert.deepEqual(await update({ branch: 'dev' }), { [`dev ${url}`]: null });
  assert.deepEqual(await update({ repo: 'first' }), { [`master ${url}`]: null });
  commit('a: 2');
  assert.deepEqual(await update({ branch: 'master', repo: url }), { [`master ${url}`]: true });
  // what is said has no traceback of a Python that there is not, and names what was asked for and what there is
  assert.equal(
    String(await update({ branch: 'dev', repo: 'other' })),
    `Exception occurred in runner git_pillar.update: Specified git branch/repo not found in ext_pillar config: branch dev repo other. It has ${Object.keys(all).join(', ')}.`,
  );
  configure();
  assert.match(String(await update()), /update: No git_pillar remotes are configured: add git to ext_pillar/);
});
