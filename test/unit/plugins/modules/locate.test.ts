/** How `locate` is called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateModule } from '../../../../src/plugins/locate/module.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeStateContext } from '../../../support/state-context.ts';

test('locate - keywords become letters, and figures a mapping', async () => {
  const said: Value[] = [];
  const output = 'Database /var/lib/x.db:\n  12 directories\n 3 files of a kind';
  const ctx = fakeStateContext({
    functions: {
      'cmd.run': ([words = null]) => {
        said.push(words);
        return output;
      },
    },
  });
  const call = async (fun: string, args: Record<string, Value>, kwargs: Dict = dict()): Promise<Value> => {
    const spec = locateModule.functions[fun];
    assert.ok(spec !== undefined);
    return spec.run(ctx, args, [], kwargs);
  };
  assert.deepEqual(
    await call('stats', {}),
    dict({ database: '/var/lib/x.db', directories: '12', 'files of a kind': '3' }),
  );
  const found = await call(
    'locate',
    { pattern: 'fo+', database: '/db', limit: 2 },
    dict({ ignore: true, count: false, basename: 1, regex: true }),
  );
  assert.deepEqual(found, output.split('\n'));
  assert.deepEqual(said, [
    ['locate', '-S'],
    ['locate', '-ib', '-d', '/db', '-l', '2', '--regex', 'fo+'],
  ]);
});
