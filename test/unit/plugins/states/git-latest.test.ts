/** `git.latest` with a repository of this machine. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

test('git.latest - a new branch starts at a commit that has yet to be fetched', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-git-latest-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [origin, target] = [join(folder, 'origin'), join(folder, 'clone')];
  const git = (where: string, ...words: string[]): string =>
    execFileSync('git', ['-C', where, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const commit = (text: string): string => {
    writeFileSync(join(origin, 'file'), text);
    git(origin, 'add', 'file');
    git(origin, 'commit', '-q', '-m', text);
    return git(origin, 'rev-parse', 'HEAD');
  };
  execFileSync('git', ['init', '-q', '-b', 'main', origin]);
  const first = commit('one');
  const latest = (more: Record<string, string>) =>
    callState('git.latest', dict({ name: origin, target, ...more }), { random: systemRandom });
  const cloned = await latest({ rev: 'main' });
  assert.equal(cloned.get('result'), true, String(cloned.get('comment')));
  assert.equal(git(target, 'rev-parse', 'HEAD'), first);
  const second = commit('two');
  for (const expected of ['changed', 'same']) {
    const done = await latest({ rev: second, branch: 'deploy' });
    assert.equal(done.get('result'), true, String(done.get('comment')));
    assert.equal(git(target, 'rev-parse', 'HEAD'), second);
    assert.equal(git(target, 'symbolic-ref', '--short', 'HEAD'), 'deploy');
    if (expected === 'same') assert.deepEqual(done.get('changes'), dict());
  }
  assert.equal(git(target, 'rev-parse', 'main'), first);
});
