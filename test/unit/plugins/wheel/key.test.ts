/** The wheel functions for keys, on a master's folder. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { dict, isDict, type Value } from '../../../../src/python/values/value.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';
import { makeSaltKeyFolder, type RecordedKeys } from '../../../support/salt-key-folder.ts';

const { keys } = JSON.parse(
  readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/keys/salt-key-3006.16.json'), 'utf8'),
) as { keys: RecordedKeys };

function keyFolder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'brine-wheel-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  makeSaltKeyFolder(root, keys);
  return root;
}

async function returned(root: string, fun: string, arg: Value[] = [], kwarg = {}): Promise<Value> {
  const words = { arg, kwarg: dict(kwarg) };
  return (await runMasterFunctionOn(join(root, 'etc'), 'wheel', fun, words)).get('return') ?? null;
}

test('wheel - ids from outside never become parts of a path', async (t) => {
  const root = keyFolder(t);
  const up = dict({ minions_pre: ['../master.pem', '../../etc/master', 'new1'], '..': ['pki/master.pub'] });
  for (const fun of ['key.delete_dict', 'key.reject_dict', 'key.accept_dict'])
    await returned(root, fun, [up]);
  for (const path of ['pki/master.pem', 'pki/master.pub', 'etc/master'])
    assert.ok(existsSync(join(root, path)), path);
  assert.ok(!existsSync(join(root, 'pki/minions_pre/new1')));
  const made = await returned(root, 'key.gen_accept', ['../../etc/master']);
  assert.ok(isDict(made));
  assert.equal(
    readFileSync(join(root, 'pki/minions/etcmaster'), 'utf8').trim(),
    String(made.get('pub')).trim(),
  );
});

test('wheel - a new key is not made of one that is there', async (t) => {
  const root = keyFolder(t);
  const before = readFileSync(join(root, 'pki/master.pem'), 'utf8');
  const made = await returned(root, 'key.gen', ['master']);
  assert.ok(isDict(made) && made.get('priv') !== before);
  assert.equal(readFileSync(join(root, 'pki/master.pem'), 'utf8'), before);
});

test('wheel - a run is a job of its own in the job cache', async (t) => {
  const root = keyFolder(t);
  const data = await runMasterFunctionOn(join(root, 'etc'), 'wheel', 'key.accept', {
    arg: ['new*'],
    user: 'fred',
  });
  assert.deepEqual(data.get('return'), dict({ minions: ['new1', 'new3'] }));
  const store = new SqliteJobStore({ directory: join(root, 'cache', 'job_cache') });
  t.after(() => store.close());
  const jid = String(data.get('jid'));
  const load = await store.job(jid);
  assert.deepEqual([load?.get('fun'), load?.get('user')], ['wheel.key.accept', 'fred']);
  const kept = (await store.returns(jid))[0]?.return;
  assert.ok(isDict(kept));
  assert.deepEqual(kept.get('return'), data.get('return'));
});
