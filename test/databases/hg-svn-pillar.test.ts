/**
 * The external pillars hg and svn, on repositories that the cases make, as a real Salt 3006.16 makes them
 * (test/compare/site-sources).
 */
import { siteCases } from '../support/site-sources.ts';
import { testPillarSource } from '../support/site-pillar.ts';

for (const entry of siteCases((one) => ['hg', 'svn'].includes(String(one.get('programs')))))
  testPillarSource(entry);
