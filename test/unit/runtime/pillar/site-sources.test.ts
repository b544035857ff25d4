/** Pillar of external sources, as a real Salt 3006.16 makes it (test/compare/site-sources): ours is the same. */
import { siteCases } from '../../../support/site-sources.ts';
import { testPillarSource } from '../../../support/site-pillar.ts';

for (const entry of siteCases((one) => !['tops', 'render', 'programs'].some((name) => one.has(name))))
  testPillarSource(entry);
