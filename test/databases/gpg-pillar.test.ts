/**
 * The external pillar gpg, with a real gpg and keys that the cases make, as a real Salt 3006.16 makes it
 * (test/compare/site-sources).
 */
import { siteCases } from '../support/site-sources.ts';
import { testPillarSource } from '../support/site-pillar.ts';

for (const entry of siteCases((one) => String(one.get('programs')) === 'gpg')) testPillarSource(entry);
