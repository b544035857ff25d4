import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedFunctions } from '../../support/marked-functions.ts';

test('modules - every function that is to answer as Salt’s is there and compared, or the reason is given', async () => {
  const { functions, idle } = await markedFunctions();
  assert.ok(functions.length > 600);
  const unexplained = functions.filter(
    ({ exists, compared, reason }) => (!exists || compared.length === 0) && reason === undefined,
  );
  assert.deepEqual(
    unexplained.map(({ name }) => name),
    [],
  );
  assert.deepEqual(idle, [], 'reasons that stand for nothing any more');
});
