/** The guide to results in databases says what is true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { minionOptions } from '../../../../src/config/minion-options.ts';
import { STORE_KINDS } from '../../../../src/plugins/registry/returner/store-kinds.generated.ts';
import { RETURNER_TABLE } from '../../../../src/plugins/registry/returner/table.generated.ts';
import { returnerRunners } from '../../../../src/plugins/returner/runner.ts';

const GUIDE = readFileSync(
  join(process.env['BRINE_ROOT'] ?? process.cwd(), 'docs/guides/result-databases.md'),
  'utf8',
);

test('guide to databases - names every returner, and every option of those that are databases', async () => {
  for (const { name, load } of STORE_KINDS) {
    const row = GUIDE.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
    assert.ok(row !== undefined, `${name} has a row`);
    const { optionPrefix, defaults } = await load();
    for (const option of defaults.keys())
      assert.ok(row.includes(`\`${optionPrefix}.${option}\``), `${name} has ${optionPrefix}.${option}`);
    const named = [...row.matchAll(/`([^`]+)`/g)].slice(1).map(([, option]) => option);
    assert.equal(named.length, defaults.size, `${name} has no others`);
  }
  for (const { name } of RETURNER_TABLE) assert.match(GUIDE, new RegExp(`^\\| \`${name}\``, 'm'));
});

test('guide to databases - the options and runners that it names exist, with their values', () => {
  for (const name of [
    ...[
      'master_job_cache',
      'ext_job_cache',
      'event_return',
      'event_return_whitelist',
      'event_return_blacklist',
    ],
    ...[
      'event_return_queue',
      'event_return_queue_max_seconds',
      'keep_jobs_seconds',
      'returner_spool_max_bytes',
    ],
    ...['job_cache_max_jobs', 'job_cache_max_bytes'],
  ]) {
    assert.ok(GUIDE.includes(`\`${name}`), name);
    assert.ok(Object.hasOwn(masterOptions, name), name);
  }
  const mebibytes = (bytes: unknown): string => `${Number(bytes) / 1024 / 1024} MiB`;
  assert.ok(GUIDE.includes(`(${mebibytes(masterOptions.returner_spool_max_bytes.default)})`));
  assert.ok(GUIDE.includes(`(${mebibytes(minionOptions.returner_spool_max_bytes.default)})`));
  assert.ok(GUIDE.includes(`(${masterOptions.keep_jobs_seconds.default})`));
  for (const name of Object.keys(returnerRunners.functions))
    assert.ok(GUIDE.includes(`returner.${name}`), name);
});
