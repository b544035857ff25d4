/** Folders that a state of `file` cannot make, since a link above leads nowhere: test mode and run say the same. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import test from 'node:test';
import { localMinion, type LocalMinion } from '../../../support/local-minion.ts';

/** Applies an SLS. @returns what each state says, by its id */
async function applied(minion: LocalMinion, ...more: string[]): Promise<Record<string, [unknown, string]>> {
  const { ret } = await minion.run('state.apply', 's', ...more);
  const results = ret as Record<string, { result: unknown; comment: string }>;
  return Object.fromEntries(
    Object.entries(results).map(([tag, { result, comment }]) => [tag.split('_|-')[1], [result, comment]]),
  );
}

const STATES = {
  managed: 'contents: x',
  directory: '',
  symlink: 'target: /x',
  hardlink: 'target: FILE',
  touch: '',
  append: 'text: x',
  copy: 'source: FILE',
  rename: 'source: FILE',
  serialize: 'dataset: {a: 1}',
  recurse: 'source: salt://tree',
};

test('file states - a link above that leads nowhere is named, in test mode as well', async (t) => {
  const minion = localMinion(t);
  minion.write('file', 'x');
  minion.write('srv/tree/one', 'x');
  symlinkSync('nowhere', minion.path('link'));
  const sls = Object.entries(STATES).map(
    ([fun, more]) =>
      `${fun}:\n  file.${fun}:\n    - name: ${minion.path('link/sub', fun)}\n    - makedirs: true\n` +
      (more === '' ? '' : `    - ${more.replace('FILE', minion.path('file'))}\n`),
  );
  minion.write('srv/s.sls', sls.join(''));
  for (const mode of ['test=True', 'test=False']) {
    const said = await applied(minion, mode);
    for (const fun of Object.keys(STATES)) {
      assert.equal(said[fun]?.[0], false, `${fun} with ${mode}: ${said[fun]?.[1] ?? 'nothing'}`);
      assert.match(said[fun][1], /\/link is a link to nowhere, which does not exist/, `${fun} with ${mode}`);
    }
  }
  assert.deepEqual([existsSync(minion.path('nowhere')), existsSync(minion.path('file'))], [false, true]);
});

test('file states - a link above that an earlier state fills is none that leads nowhere', async (t) => {
  const minion = localMinion(t);
  symlinkSync('there', minion.path('link'));
  minion.write(
    'srv/s.sls',
    [
      `first: {file.directory: [{name: ${minion.path('there')}}]}`,
      `second: {file.managed: [{name: ${minion.path('link/sub/f')}}, {contents: x}, {makedirs: true}]}`,
    ].join('\n'),
  );
  const foretold = await applied(minion, 'test=True');
  assert.deepEqual([foretold['first']?.[0], foretold['second']?.[0]], [null, null]);
  const done = await applied(minion);
  assert.deepEqual([done['first']?.[0], done['second']?.[0]], [true, true]);
  assert.deepEqual(readdirSync(minion.path('there/sub')), ['f']);
});
