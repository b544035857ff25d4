/**
 * The requests of `test/support/api`, which a real salt-api of 3006.16 was recorded to answer, on the built programs.
 */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readAnswers } from '../support/api/answers.ts';
import { apiCases } from '../support/api/cases.ts';
import { differenceOf } from '../support/api/differences.ts';
import { SharedSender } from '../support/api/shared-sender.ts';

const AT_A_TIME = 12;

/** Which minion of a batch is asked first is left open. */
const anyOfBatch = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer ?? null).replace(/ on \['\w+'\] \(list\)/, " on ['MINION'] (list)"));

const recorded = readAnswers();
const cases = apiCases().filter(({ name }) => recorded.has(name));

const shared = new SharedSender();

describe('salt-api - recorded requests', { concurrency: AT_A_TIME }, () => {
  for (const one of cases)
    it(`salt-api - ${one.name}: as Salt's, or as written down where it differs with a reason`, async () => {
      const answers = recorded.get(one.name);
      assert.ok(answers);
      const answer = await shared.use((sender) => sender.send(one));
      const { isSame, reason, brine } = differenceOf(one, answers.salt, answer);
      if (isSame) return;
      assert.notEqual(reason, undefined, `${JSON.stringify(brine)} and not ${JSON.stringify(answers.salt)}`);
      assert.deepEqual(anyOfBatch(brine), anyOfBatch(answers.brine));
    });
});

test('salt-api - most requests have a recorded answer', () => {
  assert.ok(cases.length > 1_300);
});
