import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { executeFunction } from '../../../../src/runtime/loader/execute.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { recordedMinion } from '../../../support/module-vectors.ts';

test('match - a target that cannot be read matches nothing and is named in the log', async () => {
  const ctx = fakeContext({ id: 'vec' });
  assert.equal(await ctx.functions.call('match.pcre', ['[']), false);
  assert.equal(await ctx.functions.call('match.ipcidr', ['garbage']), false);
  assert.deepEqual(
    ctx.logged.map((record) => record.message.split(':')[0]),
    ["Target '[' of type pcre", "Target 'garbage' of type ipcidr"],
  );
});

test('match - ifelse takes its keywords', async () => {
  const ctx = fakeContext({ id: 'vec' });
  const args = [
    'foo*',
    'Foo!',
    'bar*',
    'Bar!',
    'none',
    dict({ __kwarg__: true, minion_id: 'bar03', tgt_type: 'glob' }),
  ];
  assert.equal((await executeFunction('match.ifelse', ctx, args)).return, 'Bar!');
});

test('match - tables may be of lists of ids', async () => {
  const ctx = fakeContext({ id: 'vec' });
  for (const type of ['list', 'list_']) {
    assert.equal(await ctx.functions.call('match.filter_by', [dict({ 'a,vec': 1 }), type]), 1);
  }
});

test('match - merging leaves the table as it was', async () => {
  const ctx = fakeContext({ id: 'vec' });
  const table = dict({ vec: { a: { b: 1 } } });
  const result = (await ctx.functions.call(
    'match.filter_by',
    [table],
    dict({ merge: { a: { c: 2 } } }),
  )) as Dict;
  assert.deepEqual(result, dict({ a: { b: 1, c: 2 } }));
  assert.deepEqual(table, dict({ vec: { a: { b: 1 } } }));
});

test('match - data looks into the store of the minion', async (t) => {
  const ctx = recordedMinion();
  t.after(() => ctx.remove());
  mkdirSync(join(ctx.folder, 'cache'));
  writeFileSync(join(ctx.folder, 'cache', 'datastore'), encode(dict({ spam: 'eggs' }), 'local'));
  assert.equal(await ctx.functions.call('match.data', ['spam:eg*']), true);
  assert.equal(await ctx.functions.call('match.data', ['spam:ham']), false);
});
