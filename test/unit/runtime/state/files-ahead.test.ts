/** Files of the master that a state run asks for ahead. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { UnreachableError } from '../../../../src/errors/errors.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { FilesAhead } from '../../../../src/runtime/state/files-ahead.ts';
import { SEVERAL_FILES } from '../../../../src/storage/fileserver/several.ts';
import { fakeClock, fakeContext } from '../../../support/module-context.ts';

interface Scene {
  readonly ahead: FilesAhead;
  readonly cachedir: string;
  readonly asked: string[];
  readonly sleep: (ms: number) => Promise<void>;
  readonly hash: (path: string) => Promise<Value>;
}

/** A master that answers each question with what was asked. */
function scene(t: TestContext, fails = false): Scene {
  const cachedir = mkdtempSync(join(tmpdir(), 'files-ahead-'));
  t.after(() => rmSync(cachedir, { recursive: true, force: true }));
  const clock = fakeClock();
  const asked: string[] = [];
  const answer = (load: Dict): string => `${String(load.get('cmd'))} ${String(load.get('path'))}`;
  const request = async (load: Dict): Promise<Value> => {
    const questions = load.get('questions');
    asked.push(
      Array.isArray(questions) ? questions.map((one) => answer(one as Dict)).join(', ') : answer(load),
    );
    if (fails && load.get('cmd') === SEVERAL_FILES) throw new UnreachableError('nobody answers');
    return Array.isArray(questions) ? questions.map((one) => [answer(one as Dict)]) : answer(load);
  };
  const { services, log } = fakeContext({ services: { request } });
  const ahead = new FilesAhead({ services, cachedir, clock, log });
  const hash = (path: string): Promise<Value> =>
    ahead.services.request(dict({ cmd: '_file_hash', path, saltenv: 'base' }));
  return { ahead, cachedir, asked, sleep: (ms) => clock.sleep(ms), hash };
}

const managed = (name: string, more: Record<string, Value> = {}): Dict =>
  dict({
    state: 'file',
    fun: 'managed',
    name: `/nowhere/${name}`,
    source: `salt://web/${name}`,
    __env__: 'base',
    ...more,
  });
const changed = (): Dict => dict({ changes: { diff: 'New file' }, result: true });

function cached(cachedir: string, ...paths: string[]): void {
  for (const path of paths) {
    const file = join(cachedir, 'files/base', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
  }
}

test('sources of the next states are asked for together, and each answer is used once', async (t) => {
  const { ahead, cachedir, asked, hash } = scene(t);
  cached(cachedir, 'web/a', 'web/b');
  const chunks = ['a', 'b', 'c'].map((name) => managed(name, { template: 'jinja' }));
  ahead.begin();
  for (const chunk of chunks) await ahead.forState(chunk, chunks);
  assert.deepEqual(asked, ['_file_hash web/a, _file_hash web/b, _serve_file web/c']);
  assert.equal(await hash('web/b'), '_file_hash web/b');
  assert.equal(asked.length, 1);
  assert.equal(await hash('web/b'), '_file_hash web/b');
  assert.equal(asked.length, 2);
});

test('a master that does not say that it answers them is not asked so', async (t) => {
  const { ahead, asked } = scene(t);
  const chunks = [managed('a'), managed('b')];
  await ahead.forState(chunks[0] as Dict, chunks);
  await ahead.forSls(['a', 'b'], 'base');
  assert.deepEqual(asked, []);
});

test('answers are not used when they are old', async (t) => {
  const { ahead, asked, hash, sleep } = scene(t);
  const chunks = [managed('a'), managed('b')];
  ahead.begin();
  await ahead.forState(chunks[0] as Dict, chunks);
  await sleep(5_001);
  await hash('web/a');
  assert.equal(asked.length, 2);
});

test('answers are not used after something has changed that may be what they are about', async (t) => {
  const command = dict({ state: 'cmd', fun: 'run', name: 'true' });
  for (const [low, lost] of [
    [command, true],
    [managed('other'), false],
    [managed('a'), true],
    [managed('other', { check_cmd: 'true' }), true],
    [managed('other', { parallel: true }), true],
  ] as const) {
    const { ahead, asked, hash } = scene(t);
    const chunks = [managed('a'), managed('b')];
    ahead.begin();
    await ahead.forState(chunks[0] as Dict, chunks);
    ahead.changed(low, changed());
    await hash('web/a');
    assert.equal(asked.length, lost ? 2 : 1, String(low.get('name')));
  }
});

test('SLS are asked for with what lies beside them in the cache', async (t) => {
  const { ahead, cachedir, asked } = scene(t);
  cached(cachedir, 'web/init.sls', 'web/map.jinja', 'web/other.sls', 'web/files/x');
  ahead.begin();
  await ahead.forSls(['web', 'db'], 'base');
  assert.deepEqual(
    asked,
    ['_serve_file web.sls, _file_hash_and_stat web/init.sls, _file_hash_and_stat web/map.jinja'].map(
      (text) => `${text}, _serve_file db.sls, _serve_file db/init.sls`,
    ),
  );
});

test('when asking ahead fails, each question is asked by itself', async (t) => {
  const { ahead, asked, hash } = scene(t, true);
  const chunks = [managed('a'), managed('b'), managed('c')];
  ahead.begin();
  await ahead.forState(chunks[0] as Dict, chunks);
  assert.equal(await hash('web/a'), '_file_hash web/a');
  await ahead.forState(chunks[2] as Dict, chunks);
  assert.equal(asked.length, 2);
});
