/** Files that the file server does not have: functions that need one say so, and do nothing with '' or False. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elasticsearchModule } from '../../../../src/plugins/elasticsearch/module.ts';
import { mysqlQueryStates } from '../../../../src/plugins/mysql/query.state.ts';
import { naclModule } from '../../../../src/plugins/nacl/module.ts';
import { aptModule } from '../../../../src/plugins/pkg/apt/module.ts';
import { pkgResourceModule } from '../../../../src/plugins/pkg/pkg-resource.module.ts';
import { selinuxModule } from '../../../../src/plugins/selinux/module.ts';
import { dict, isDict, type Value } from '../../../../src/python/values/value.ts';
import type { FunctionSpec, ModuleContext, ModuleSpec } from '../../../../src/runtime/loader/module.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** Calls a function on a minion whose master serves no file. @returns its answer, and the functions that it called */
async function unserved(
  spec: FunctionSpec | undefined,
  given: Readonly<Record<string, Value>>,
): Promise<{ readonly answer: Promise<Value>; readonly called: string[] }> {
  const called: string[] = [];
  const answers = new Map<string, Value>([
    ['cp.cache_file', false],
    ['cp.get_file_str', false],
    ['config.valid_fileproto', true],
    ['config.get', dict()],
  ]);
  const ctx = fakeContext();
  const call = (fun: string): Promise<Value> => {
    called.push(fun);
    return Promise.resolve(answers.get(fun) ?? null);
  };
  const functions = Object.assign(Object.create(ctx.functions) as ModuleContext['functions'], { call });
  const { params = {}, run } = spec ?? assert.fail();
  const bound: Record<string, unknown> = {};
  for (const [name, { default: value = null, read }] of Object.entries(params))
    bound[name] = read === undefined ? (given[name] ?? value) : read(given[name] ?? value);
  const state = { low: dict({ __env__: 'base' }), memory: new Map<string, Value>() };
  const answer = Promise.resolve(run({ ...ctx, functions, state } as never, bound as never, [], dict()));
  await Promise.allSettled([answer]);
  return { answer, called };
}

const CALLS: readonly (readonly [string, ModuleSpec, Readonly<Record<string, Value>>])[] = [
  ['selinux.install_semod', selinuxModule, { module_path: 'salt://gone' }],
  ['pkg.set_selections', aptModule, { path: 'salt://gone' }],
  ['pkg_resource.parse_targets', pkgResourceModule, { sources: [dict({ nano: 'salt://gone' })] }],
  ['nacl.enc_file', naclModule, { name: 'salt://gone' }],
  ['elasticsearch.index_create', elasticsearchModule, { index: 'i', source: 'salt://gone' }],
];

for (const [name, module, given] of CALLS)
  test(`not served - ${name} of a file that there is not`, async () => {
    const { answer, called } = await unserved(module.functions[name.split('.')[1] ?? ''], given);
    await assert.rejects(answer, {
      name: 'CommandExecutionError',
      message: "Unable to retrieve salt://gone from saltenv 'base'",
    });
    assert.deepEqual(
      called.filter((fun) => fun.startsWith('cmd.') || fun.startsWith('http.')),
      [],
    );
  });

test('not served - mysql_query.run_file names the file that there is not', async () => {
  const { answer } = await unserved(mysqlQueryStates.functions['run_file'], {
    name: 'q',
    database: 'shop',
    query_file: 'http://ann:secret@host/gone.sql',
  });
  const result = await answer;
  const comment = isDict(result) ? String(result.get('comment')) : '';
  assert.match(comment, /^File http:\/\/.*host\/gone\.sql does not exist$/);
  assert.doesNotMatch(comment, /secret/);
});
