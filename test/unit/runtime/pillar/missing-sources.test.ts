/** A name in `ext_pillar` that stands for nothing is said at the start of a master. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import type { ExtPillar } from '../../../../src/runtime/pillar/ext/ext-pillar.ts';
import { missingSources } from '../../../../src/runtime/pillar/external.ts';

const nothing: ExtPillar = () => Promise.resolve(dict());

test('ext_pillar - names that are not there are said, each once, with the one that may be meant', async () => {
  const deps = {
    extPillars: new Map([
      ['git', nothing],
      ['stack', nothing],
    ]),
    ownPillar: (_opts: unknown, name: string) => Promise.resolve(name === 'ours' ? nothing : undefined),
  };
  const search = (sources: Value[]): Promise<string[]> =>
    missingSources({ deps, opts: dict({ ext_pillar: sources }) });
  assert.deepEqual(await search([dict({ git: [] }), dict({ ours: 1 }), dict({ stack: '/x' })]), []);
  const said = await search([dict({ gti: [] }), dict({ gti: [] }), dict({ netbox: {} }), 'odd']);
  assert.equal(said.length, 2);
  assert.match(
    said[0] ?? '',
    /^ext_pillar names gti, and no pillar can be made: .* 'git'\?.* Correct ext_pillar/,
  );
  assert.match(said[1] ?? '', /^ext_pillar names netbox, .*salt_python: True/);
});
