/** Extensions in Python of every kind against recorded calls of a real Salt 3006.16 on the same site. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test, type TestContext } from 'node:test';
import { extensionCases, faultOf, hasOwnSite, isJob, OwnSite } from '../../../support/python-extensions.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
let shared: OwnSite | undefined;
after(() => shared?.close());

/** One site for all groups but those that have a configuration of their own. */
function siteOf(group: string, t: TestContext): OwnSite {
  if (!hasOwnSite(group)) return (shared ??= new OwnSite(group));
  const site = new OwnSite(group);
  t.after(() => site.close());
  return site;
}

for (const [group, all] of extensionCases()) {
  const jobs = all.filter(isJob);
  if (jobs.length === 0) continue;
  test(`python extensions - ${group}: ${jobs.length} jobs end as on Salt 3006.16`, { skip }, async (t) => {
    const site = siteOf(group, t);
    const faults: string[] = [];
    for (const one of jobs) {
      const fault = await faultOf(site, one);
      if (fault !== undefined) faults.push(fault);
    }
    assert.equal(faults.length, 0, `${faults.length} differ:\n${faults.join('\n')}`);
  });
}
