import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { comparisons, comparisonsPage } from '../../../support/comparisons.ts';
import { markedFunctions } from '../../../support/marked-functions.ts';

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

test('modules - the page of what is compared with Salt says what the recordings and tables hold', async () => {
  const page = readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'docs/reference/compared.md'), 'utf8');
  const found = await comparisons();
  assert.equal(
    page,
    comparisonsPage(found),
    'write it anew: node scripts/run-ts.mjs test/compare/marked.ts --write',
  );
  for (const name of [
    'cron.set_job',
    'hosts.add_host',
    'locale.set_locale',
    'sysctl.assign',
    'timezone.set_zone',
  ])
    assert.equal(found.functions.get(name), 'recorded', name);
});
