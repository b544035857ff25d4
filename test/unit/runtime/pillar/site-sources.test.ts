/** Pillar of external sources, as a real Salt 3006.16 makes it (test/compare/site-sources): ours is the same. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { copyValue, dict, type Dict } from '../../../../src/python/values/value.ts';
import { SITE_GRAINS, siteCase, siteCases, sameAsRecorded } from '../../../support/site-sources.ts';

for (const entry of siteCases((one) => !one.has('tops') && !one.has('render')))
  test(`pillar - ${entry.name}: as Salt makes it`, async (t) => {
    const { opts, root } = siteCase(t, entry);
    const service = new PillarService({
      opts: new Map([...opts, ['renderer', 'jinja|yaml'], ['state_top', 'salt://top.sls']]),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      functions: () => ({ has: () => false, call: () => null }),
    });
    const pillar = await service.pillar({
      minionId: 'web01',
      grains: copyValue(SITE_GRAINS),
      saltenv: null,
      pillarenv: null,
      override: dict(),
    });
    const recorded = entry.recorded.gave as Dict;
    // ours say what is wrong in words of their own, and leave the faulty source out as a whole
    if (recorded.has('_errors'))
      assert.match(String(pillar.get('_errors')), /^Failed to load ext_pillar \w+: ./);
    else sameAsRecorded(pillar, entry, root);
  });
