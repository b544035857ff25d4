/** `source_hash` counts for every source, and an archive that is another one is unpacked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

const WRONG = '0'.repeat(64);
const sha = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** A folder that is served as `salt://`, and states over it. */
function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'brine-source-hash-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const roots = join(folder, 'roots');
  mkdirSync(roots);
  const opts = dict({
    ...{ id: 'm', hash_type: 'sha256', cachedir: join(folder, 'cache'), file_client: 'local' },
    ...{ fileserver_backend: ['roots'], file_roots: dict({ base: [roots] }) },
  });
  const call = (fun: string, args: Dict, isTest = false): Promise<Dict> =>
    callState(fun, args, { opts, random: systemRandom, test: isTest });
  const pack = (name: string, text: string): string => {
    writeFileSync(join(folder, 'member'), text);
    execFileSync('tar', ['-czf', join(roots, name), '-C', folder, 'member']);
    return sha(join(roots, name));
  };
  return { folder, roots, call, pack };
}

for (const scheme of ['salt://', 'local'])
  test(`file.managed - source_hash counts for a source of ${scheme}`, async (t) => {
    const { folder, roots, call } = place(t);
    const path = join(roots, 'a.conf');
    writeFileSync(path, 'one\n');
    const name = join(folder, 'target');
    const source = scheme === 'local' ? path : 'salt://a.conf';
    for (const more of [{}, { template: 'jinja' }] as Record<string, Value>[]) {
      const args = dict({ name, source, ...more });
      for (const isTest of [true, false]) {
        const refused = await call('file.managed', new Map([...args, ['source_hash', WRONG]]), isTest);
        assert.equal(refused.get('result'), false);
        assert.match(String(refused.get('comment')), /does not match actual checksum/);
        assert.ok(!existsSync(name));
      }
      const made = await call('file.managed', new Map([...args, ['source_hash', sha(path)]]));
      assert.equal(made.get('result'), true, String(made.get('comment')));
      assert.equal(readFileSync(name, 'utf8'), 'one\n');
      rmSync(name);
    }
  });

for (const scheme of ['salt://', 'local'])
  test(`archive.extracted - source_hash counts for a source of ${scheme}`, async (t) => {
    const { folder, roots, call, pack } = place(t);
    const sum = pack('a.tgz', 'one\n');
    const name = join(folder, 'out');
    const source = scheme === 'local' ? join(roots, 'a.tgz') : 'salt://a.tgz';
    const args = dict({ name, source, enforce_toplevel: false });
    // test mode does not fetch, so that it cannot know of an archive that is served
    for (const isTest of scheme === 'local' ? [true, false] : [false]) {
      const refused = await call('archive.extracted', new Map([...args, ['source_hash', WRONG]]), isTest);
      assert.equal(refused.get('result'), false, String(refused.get('comment')));
      assert.ok(!existsSync(name));
    }
    const made = await call('archive.extracted', new Map([...args, ['source_hash', sum]]));
    assert.equal(made.get('result'), true, String(made.get('comment')));
    assert.equal(readFileSync(join(name, 'member'), 'utf8'), 'one\n');
  });

test('archive.extracted - source_hash_update unpacks a new archive of the same members, once', async (t) => {
  for (const isAskedFromTheStart of [true, false]) {
    const { folder, roots, call, pack } = place(t);
    const name = join(folder, 'out');
    const run = (sum: string, updates: boolean, isTest = false): Promise<Dict> => {
      const source = join(roots, 'a.tgz');
      const args = { name, source, source_hash: sum, source_hash_update: updates, enforce_toplevel: false };
      return call('archive.extracted', dict(args), isTest);
    };
    await run(pack('a.tgz', 'one\n'), isAskedFromTheStart);
    const second = pack('a.tgz', 'two\n');
    assert.equal((await run(second, true, true)).get('result'), null);
    assert.equal(readFileSync(join(name, 'member'), 'utf8'), 'one\n');
    const done = await run(second, true);
    assert.equal(done.get('result'), true, String(done.get('comment')));
    assert.equal(readFileSync(join(name, 'member'), 'utf8'), 'two\n');
    const again = await run(second, true);
    assert.deepEqual([again.get('result'), again.get('changes')], [true, dict()]);
  }
});

const skip = process.getuid?.() === 0 ? false : 'only root may do this';
test('archive.extracted - the folder that is made has the group that is given', { skip }, async (t) => {
  const { folder, roots, call, pack } = place(t);
  pack('a.tgz', 'one\n');
  const name = join(folder, 'out');
  const args = dict({ name, source: join(roots, 'a.tgz'), group: 'daemon', enforce_toplevel: false });
  const made = await call('archive.extracted', args);
  assert.equal(made.get('result'), true, String(made.get('comment')));
  assert.notEqual(statSync(name).gid, 0);
  assert.equal(statSync(name).gid, statSync(join(name, 'member')).gid);
});
