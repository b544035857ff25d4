/**
 * The pillar of a minion without a master: what it says of includes that fail (recorded from 3006.16), and the site's
 * own modules in it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { localPillar, type LocalPillarDeps } from '../../../../src/programs/minion/local-pillar.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { defineFunction } from '../../../../src/runtime/loader/module.ts';

/** The pillar of a minion whose roots have these files. */
function pillarOf(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  own?: LocalPillarDeps['own'],
): Promise<Dict> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-local-pillar-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'pillar'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'pillar', name), text);
  const opts = dict({
    ...{ id: 'm1', file_client: 'local', cachedir: join(folder, 'cache') },
    pillar_roots: { base: [join(folder, 'pillar')] },
  });
  return localPillar({
    ...{ opts, id: 'm1', grains: () => Promise.resolve(new Map()) },
    ...{ clock: systemClock, random: systemRandom, log: silentLogger },
    ...(own === undefined ? {} : { own }),
  });
}

test('local pillar - what an include says is said again with later ones that are there already', async (t) => {
  const pillar = await pillarOf(t, {
    'top.sls': "base: {'*': [one, three]}\n",
    'one.sls': 'include: [bad, good, bad2, .good, missing, good]\none: 1\n',
    'three.sls': 'include: [bad, good]\n',
    'bad.sls': '{{ nope.x }}\n',
    'bad2.sls': '{{ nope.y }}\n',
    'good.sls': 'good: 1\n',
  });
  const failed = (sls: string): string => `Rendering SLS '${sls}' failed. Please see master log for details.`;
  const missing = "Specified SLS 'missing' in environment 'base' is not available on the salt master";
  assert.equal(pillar.get('good'), 1);
  assert.deepEqual(pillar.get('_errors'), [
    ...Array.from({ length: 2 }, () => failed('bad')),
    ...Array.from({ length: 4 }, () => failed('bad2')),
    ...Array.from({ length: 3 }, () => missing),
  ]);
});

test("local pillar - files call the site's own modules", async (t) => {
  const hello = defineFunction({ doc: 'Says hello.', params: {}, returns: 'text', run: () => 'hello' });
  const custom = {
    file: 'mysite',
    name: 'mysite',
    load: () => Promise.resolve({ file: 'mysite', name: 'mysite', doc: 'The site.', functions: { hello } }),
  };
  const files = {
    'top.sls': "{{ salt.mysite.hello() and 'base' }}: {'*': [a]}\n",
    'a.sls': "x: {{ salt['mysite.hello']() }}\n",
  };
  const pillar = await pillarOf(t, files, {
    custom: (_context, kind) => Promise.resolve(kind === 'modules' ? [custom] : []),
  });
  assert.equal(pillar.get('x'), 'hello');
});
