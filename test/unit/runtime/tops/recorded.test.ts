/**
 * Top data and pillar of a site's sources, as a real Salt 3006.16 makes them (test/compare/site-sources): ours are the
 * same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../../../src/errors/errors.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { MasterTops } from '../../../../src/runtime/tops/master-tops.ts';
import { SITE_GRAINS, siteCase, siteCases, sameAsRecorded } from '../../../support/site-sources.ts';

for (const entry of siteCases((one) => one.has('tops')))
  test(`tops - ${entry.name}: as Salt makes them`, async (t) => {
    const { opts, root } = siteCase(t, entry);
    const tops = new MasterTops({ opts, clock: systemClock, random: systemRandom, log: silentLogger });
    const made = tops.of({ minionId: 'web01', opts: dict({ id: 'web01' }), grains: SITE_GRAINS });
    if (entry.recorded.raised !== undefined) {
      await assert.rejects(made, (error) => /^master_tops \w+ failed: /.test(messageOf(error)));
      return;
    }
    sameAsRecorded(await made, entry, root);
  });

test('tops - a source that does not exist fails the whole, unless the operator has accepted it', async () => {
  const opts = dict({ master_tops: dict({ saltclas: dict() }) });
  const deps = { opts, clock: systemClock, random: systemRandom, log: silentLogger };
  const minion = { minionId: 'web01', opts: dict(), grains: SITE_GRAINS };
  await assert.rejects(
    new MasterTops(deps).of(minion),
    /saltclas.*There are cobbler, ext_nodes, mongo, reclass, saltclass, varstack.*[Dd]id you mean.*saltclass.*salt-run saltutil\.sync_tops/,
  );
  assert.deepEqual(await new MasterTops(deps).missing(), ['saltclas']);
  assert.equal((await new MasterTops({ ...deps, leavesOutMissing: true }).of(minion)).size, 0);
});

test('tops - a source of the site comes before ours, and what has no form of top data fails', async () => {
  const make = (given: unknown): MasterTops =>
    new MasterTops({
      opts: dict({ master_tops: dict({ ext_nodes: 'x' }) }),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      own: (name) => (name === 'ext_nodes' ? () => given as ReturnType<typeof dict> : undefined),
    });
  const minion = { minionId: 'web01', opts: dict(), grains: SITE_GRAINS };
  assert.deepEqual(await make(dict({ base: ['a'] })).of(minion), dict({ base: ['a'] }));
  await assert.rejects(
    make(dict({ base: 'a' })).of(minion),
    /master_tops ext_nodes failed: .*base is no list/,
  );
  await assert.rejects(make(['a']).of(minion), /gives no mapping/);
});
