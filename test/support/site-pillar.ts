/** Holds the pillar of a case of test/compare/site-sources against what a real Salt made. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { naclModule } from '../../src/plugins/nacl/module.ts';
import { PillarService } from '../../src/runtime/pillar/service.ts';
import { copyValue, dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { fakeContext } from './module-context.ts';
import { SITE_GRAINS, siteCase, sameAsRecorded, type SiteCase } from './site-sources.ts';

/** Where ours fails the pillar and Salt gives part of it, or has a fault of its own: what ours gives instead. */
const ON_PURPOSE: ReadonlyMap<string, Record<string, Value> | RegExp> = new Map<
  string,
  Record<string, Value> | RegExp
>([
  // it looks for tags below the folder of branches
  ['svn, a tag', { own: 1, where: 'v1' }],
  ['svn, no such branch', /ext_pillar svn: .*\/repo has none of branches\/other, tags\/other/],
  ['gpg, what cannot be decrypted', /ext_pillar gpg: Could not decrypt cipher /],
  ['hiera that fails', /ext_pillar hiera: 'hiera -c .*' ended with exit code 1/],
]);

/** The test of one case. */
export function testPillarSource(entry: SiteCase): void {
  test(`pillar - ${entry.name}: as Salt makes it`, async (t) => {
    const { opts, root } = siteCase(t, entry);
    const pillar = await pillarOf(opts, root, t);
    const recorded = entry.recorded.gave as Dict;
    const other = ON_PURPOSE.get(entry.name);
    if (other instanceof RegExp) assert.match(String(pillar.get('_errors')), other);
    else if (other !== undefined) assert.deepEqual(pillar, dict(other));
    // ours say what is wrong in words of their own, and leave the faulty source out as a whole
    else if (recorded.has('_errors') && String(recorded.get('_errors')).startsWith('Failed'))
      assert.match(String(pillar.get('_errors')), /^Failed to load ext_pillar \w+: ./);
    else sameAsRecorded(pillar, entry, root);
  });
}

async function pillarOf(opts: Dict, root: string, t: TestContext): Promise<Dict> {
  const path = process.env['PATH'];
  process.env['PATH'] = `${join(root, 'bin')}:${path}`;
  t.after(() => (process.env['PATH'] = path));
  const all = new Map([
    ...opts,
    ['renderer', 'jinja|yaml'],
    ['state_top', 'salt://top.sls'],
    ['cachedir', join(root, 'cache')],
    ['python_executable', interpreter(root)],
  ]);
  const service = new PillarService({
    opts: all,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    functions: () => ({
      has: (name) => name === 'nacl.dec',
      call: (name, args) => {
        const run = naclModule.functions['dec']?.run;
        if (name !== 'nacl.dec' || run === undefined) throw new Error(`${name} is not meant`);
        return run(fakeContext({ opts: all }), { data: args[0] ?? null }, [], dict());
      },
    }),
  });
  return service.pillar({
    minionId: 'web01',
    grains: copyValue(SITE_GRAINS),
    saltenv: null,
    pillarenv: null,
    override: dict(),
  });
}

/** An interpreter that finds the case's own libraries. */
function interpreter(root: string): string {
  const path = join(root, 'bin', 'python-of-the-site');
  mkdirSync(join(root, 'bin'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nPYTHONPATH=${join(root, 'python')} exec python3 "$@"\n`, { mode: 0o755 });
  return path;
}
