/** The requests of `test/support/api`, which a real salt-api of 3006.16 was recorded to answer, on the built programs. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'node:test';
import { readAnswers } from '../support/api/answers.ts';
import { apiCases } from '../support/api/cases.ts';
import { differenceOf } from '../support/api/differences.ts';
import { ApiSender } from '../support/api/send.ts';
import { ApiServers } from '../support/api/servers.ts';

const AT_A_TIME = 12;

/** Which minion of a batch is asked first is left open. */
const anyOfBatch = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer ?? null).replace(/ on \['\w+'\] \(list\)/, " on ['MINION'] (list)"));

test("salt-api - answers as Salt's, or as written down where it differs with a reason", async (t) => {
  const sender = new ApiSender(await ApiServers.start(t));
  const recorded = readAnswers();
  const cases = apiCases();
  assert.ok(cases.filter(({ name }) => recorded.has(name)).length > 1_300, 'cases are recorded');
  const left = [...cases];
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const answers = recorded.get(one.name);
      if (answers === undefined) continue;
      const { isSame, reason, brine } = differenceOf(one, answers.salt, await sender.send(one));
      const isExpected =
        isSame || (reason !== undefined && isDeepStrictEqual(anyOfBatch(answers.brine), anyOfBatch(brine)));
      if (!isExpected)
        faults.push(
          `${one.name}: ${JSON.stringify(brine)} and not ${JSON.stringify(answers.brine ?? answers.salt)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  assert.deepEqual(faults, []);
});
