/** The built programs on a site whose extensions are in Python, against recorded calls of a real Salt 3006.16. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { extensionCases, faultOf, isJob, OwnSite } from '../support/python-extensions.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
/** Programs that run at once. */
const AT_ONCE = 3;

const calls = [...extensionCases().values()].flat().filter((one) => !isJob(one));

test(
  `python extensions - ${calls.length} calls of the built programs, beacons and engines end as on Salt 3006.16`,
  { skip },
  async (t) => {
    const site = new OwnSite('programs');
    t.after(() => site.close());
    const faults: string[] = [];
    const left = [...calls];
    const work = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const fault = await faultOf(site, one);
        if (fault !== undefined) faults.push(fault);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.equal(faults.length, 0, `${faults.length} differ:\n${faults.join('\n')}`);
  },
);
