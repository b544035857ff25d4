/** Extensions in Python of every kind against recorded calls of a real Salt 3006.16 on the same site. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test, type TestContext } from 'node:test';
import {
  comparable,
  extensionCases,
  hasOwnSite,
  OwnSite,
  recordedAnswers,
} from '../../../support/python-extensions.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
const recorded = recordedAnswers();
let shared: OwnSite | undefined;
after(() => shared?.close());

/** One site for all groups but those that have a configuration of their own. */
function siteOf(group: string, t: TestContext): OwnSite {
  if (!hasOwnSite(group)) return (shared ??= new OwnSite(group));
  const site = new OwnSite(group);
  t.after(() => site.close());
  return site;
}

for (const [group, cases] of extensionCases())
  test(`python extensions - ${group}: ${cases.length} calls end as on Salt 3006.16`, { skip }, async (t) => {
    const site = siteOf(group, t);
    const faults: string[] = [];
    for (const { key, asked, ours, why } of cases) {
      const answer = await site.ask(asked);
      const [text, salt] = [answer, recorded[key]].map((one) => JSON.stringify(comparable(one)));
      const isSame = text === salt;
      const isMeant = ours !== undefined && why !== undefined && ours.test(JSON.stringify(answer));
      if (isSame ? ours !== undefined : !isMeant)
        faults.push(
          `${key}${isSame ? ' (no longer differs)' : ''}\n  Salt: ${JSON.stringify(recorded[key])}\n  ours: ${JSON.stringify(answer)}`,
        );
    }
    assert.equal(faults.length, 0, `${faults.length} differ:\n${faults.join('\n')}`);
  });
