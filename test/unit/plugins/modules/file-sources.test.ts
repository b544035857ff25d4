/** What `file.get_managed` asks the master for. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, isDict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { makeTree } from '../../storage/fileserver/tree.ts';

/** A minion of a file server, and the commands that the server was asked. */
function minion(t: TestContext) {
  const tree = makeTree(t);
  const server = tree.server({ cachedir: join(tree.folder, 'master') });
  const asked: string[] = [];
  const context = fakeContext({
    opts: dict({ id: 'm', hash_type: 'sha256', cachedir: join(tree.folder, 'cache'), file_client: 'remote' }),
    random: systemRandom,
    services: {
      request: async (load) => {
        const cmd = String(load.get('cmd'));
        asked.push(cmd);
        return (await server.commands.get(cmd)?.(load)) ?? false;
      },
    },
  });
  const managed = async (source: string, template: string | null): Promise<[string, Value, Value]> => {
    asked.length = 0;
    const name = join(tree.folder, 'target');
    const args = dict({ name, template, source, source_hash: '', source_hash_name: null, saltenv: 'base' });
    for (const key of ['user', 'group', 'mode', 'attrs', 'context', 'defaults']) args.set(key, null);
    const answer = await context.functions.call('file.get_managed', [], args);
    assert.ok(Array.isArray(answer));
    const [sfn = null, sum = null, comment = null] = answer;
    return [String(sfn), isDict(sum) ? (sum.get('hsum') ?? null) : null, comment];
  };
  return { tree, asked, managed, cached: join(tree.folder, 'cache/files/base/web.conf') };
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

test('file.get_managed - a template is fetched by one request, and by one found to be the same', async (t) => {
  const { tree, asked, managed, cached } = minion(t);
  tree.write({ 'base/web.conf': 'is {{ 1 + 1 }}\n' });
  for (const expected of ['_serve_file', '_file_hash']) {
    const [sfn, sum, comment] = await managed('salt://web.conf', 'jinja');
    assert.deepEqual([readFileSync(sfn, 'utf8'), sum, comment], ['is 2\n', sha('is 2\n'), '']);
    assert.deepEqual(asked, [expected]);
    rmSync(sfn);
  }
  writeFileSync(cached, 'somebody was here');
  const [sfn] = await managed('salt://web.conf', 'jinja');
  assert.equal(readFileSync(sfn, 'utf8'), 'is 2\n');
  rmSync(sfn);
});

test('file.get_managed - a template that the master has changed or lost is noticed', async (t) => {
  const { tree, managed } = minion(t);
  tree.write({ 'base/web.conf': 'one\n' });
  rmSync((await managed('salt://web.conf', 'jinja'))[0]);
  tree.write({ 'base/web.conf': 'another\n' });
  const [sfn] = await managed('salt://web.conf', 'jinja');
  assert.equal(readFileSync(sfn, 'utf8'), 'another\n');
  rmSync(sfn);
  rmSync(join(tree.folder, 'base/web.conf'));
  const lost = "Source file salt://web.conf not found in saltenv 'base'";
  assert.deepEqual(await managed('salt://web.conf', 'jinja'), ['', null, lost]);
});

test('file.get_managed - a source that never was is told in the same words, a plain one with its sum', async (t) => {
  const { tree, asked, managed } = minion(t);
  for (const template of ['jinja', null]) {
    const [sfn, , comment] = await managed('salt://none.conf', template);
    assert.deepEqual([sfn, comment], ['', "Source file salt://none.conf not found in saltenv 'base'"]);
  }
  tree.write({ 'base/web.conf': 'plain' });
  assert.deepEqual(await managed('salt://web.conf', null), ['', sha('plain'), '']);
  assert.deepEqual(asked, ['_file_hash']);
});
