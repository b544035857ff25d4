import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rsyncModule } from '../../../../src/plugins/rsync/module.ts';
import type { ModuleContext } from '../../../../src/runtime/loader/module.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** The words that rsync is run with. */
async function wordsFor(src: string): Promise<Value[]> {
  const ran: Value[][] = [];
  const answers = new Map<string, Value>([
    ['cp.list_master_dirs', ['sub']],
    ['cp.get_dir', ['sub/b.txt']],
    ['cp.get_file', 'file'],
  ]);
  const ctx = fakeContext();
  const call = (fun: string, args: readonly Value[] = []): Promise<Value> => {
    if (fun === 'cmd.run_all') ran.push(args[0] as Value[]);
    return Promise.resolve(answers.get(fun) ?? null);
  };
  const functions = Object.assign(Object.create(ctx.functions) as ModuleContext['functions'], { call });
  const { params = {}, run } = rsyncModule.functions['rsync'] ?? assert.fail();
  const defaults = Object.entries(params).map(([name, { default: value = null }]) => [name, value] as const);
  await run({ ...ctx, functions }, { ...Object.fromEntries(defaults), src, dst: '/to' }, [], dict());
  return ran[0] ?? [];
}

test('rsync - what is fetched for the run is compared by its content, since its times are those of the run', async () => {
  for (const src of ['salt://sub', 'salt://a.txt']) {
    const words = await wordsFor(src);
    assert.ok(words.includes('--checksum') && words.includes('--no-times'), `${src}: ${words.join(' ')}`);
  }
  const words = await wordsFor('/from');
  assert.deepEqual(words, ['rsync', '-avz', '/from', '/to']);
});
