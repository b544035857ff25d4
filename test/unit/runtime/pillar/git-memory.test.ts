/** The external pillar git remembers its remotes from one pillar to the next, which has a copy of the settings. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { gitPillar } from '../../../../src/runtime/pillar/ext/git.ts';
import { repositoriesFolder } from '../../../../src/storage/git/repository.ts';

function commitIn(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
    });
  mkdirSync(folder);
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'top.sls'), 'base: {}\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  return git('rev-parse', 'HEAD').trim();
}

test('git pillar - a commit that is known is not looked for again at the next pillar', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-git-pillar-'));
  try {
    const source = join(folder, 'source');
    const commit = commitIn(source);
    const cachedir = join(folder, 'cache');
    const compiled: Dict[] = [];
    const pillar = gitPillar({
      clock: systemClock,
      random: systemRandom,
      compile: (_context, roots) => {
        compiled.push(roots);
        return Promise.resolve(dict({ a: 1 }));
      },
      merge: (_opts, base, over) => new Map<Value, Value>([...base, ...over]),
    });
    const run = (): Promise<Dict> =>
      pillar([`${commit} file://${source}`], {
        ...{ minionId: 'm1', grains: dict(), pillar: dict(), log: silentLogger, errors: [] },
        opts: dict({ cachedir, __role: 'master' }),
        decrypt: (_renderer, value) => Promise.resolve(value),
      }) as Promise<Dict>;
    assert.deepEqual(await run(), dict({ a: 1 }));
    // what was looked up is in memory, and the files are there: git itself is not needed any more
    const copies = repositoriesFolder(cachedir);
    for (const name of readdirSync(copies)) rmSync(join(copies, name, 'repository.git'), { recursive: true });
    assert.deepEqual(await run(), dict({ a: 1 }));
    assert.deepEqual(compiled[1], compiled[0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
