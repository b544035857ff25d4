/**
 * The client of the API's second version as the package exports it: its types by the compiler, its calls on a fleet.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { ApiClient, ApiError } from '../../src/api-client/client.ts';
import { ApiFleet } from '../support/api/api-fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

test('API client - every call has its types in a program of somebody else, among them the one of the guide', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'api-client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'brine'));
  const guide = readFileSync(join(ROOT, 'docs/guides/api-v2.md'), 'utf8');
  const example = /## From TypeScript\n\n```ts\n([^]*?)```/.exec(guide)?.[1] ?? '';
  assert.match(example, /brine\/api-client/);
  writeFileSync(
    join(folder, 'guide.mts'),
    `declare const process: { env: { SALT_TOKEN: string } };\n${example}`,
  );
  writeFileSync(
    join(folder, 'wrong.mts'),
    [
      "import { ApiClient } from 'brine/api-client';",
      "const api = new ApiClient({ url: 'http://x' });",
      '// @ts-expect-error there is no such operation',
      "void api.call('jobs.nothing');",
      '// @ts-expect-error a job needs a function',
      "void api.call('jobs.start', { body: { tgt: '*' } });",
      '// @ts-expect-error which job is not said',
      "void api.call('jobs.get');",
      '// @ts-expect-error an answer that is no list',
      "void api.items('jobs.get', { params: { jid: '1' } });",
      '// @ts-expect-error a field that there is not',
      "void api.call('session.me').then((me) => me.password);",
      "const user: Promise<string> = api.call('session.me').then((me) => me.user);",
      'void user;',
      '',
    ].join('\n'),
  );
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext'];
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...options,
      ...['--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'],
      ...['guide.mts', 'wrong.mts'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  assert.deepEqual([status, stdout], [0, '']);
});

test('API client - calls, lists over pages, streams and refusals', async (t) => {
  const { fleet, port } = await ApiFleet.start(t);
  await Promise.all(['web1', 'web2', 'web3'].map((id) => fleet.joinMinion(id)));
  const built = (await import(pathToFileURL(join(ROOT, 'dist/api-client/client.mjs')).href)) as {
    ApiClient: typeof ApiClient;
    ApiError: typeof ApiError;
  };
  const api = new built.ApiClient({ url: `http://127.0.0.1:${port}/` });
  const fault = async (call: Promise<unknown>): Promise<ApiError> => {
    try {
      await call;
    } catch (error) {
      assert.ok(error instanceof built.ApiError);
      return error;
    }
    return assert.fail('it was served');
  };
  assert.equal((await fault(api.call('session.me'))).code, 'not-logged-in');
  const wrong = { eauth: 'file', username: 'alice', password: 'x' };
  assert.equal((await fault(api.logIn(wrong))).code, 'login-failed');
  const me = await api.logIn({ ...wrong, password: 'pw' });
  assert.equal(me.user, 'alice');

  const ids: string[] = [];
  for await (const minion of api.items('minions.list', { query: { limit: 1 } })) ids.push(minion.id);
  assert.deepEqual(ids.sort(), ['web1', 'web2', 'web3']);

  const { jid } = await api.call('jobs.start', { body: { tgt: 'web*', fun: 'test.echo', arg: ['ü'] } });
  assert.ok(jid !== null);
  const returned: unknown[] = [];
  for await (const { event, data } of api.stream('jobs.stream', { params: { jid } })) {
    if (event === 'return') returned.push(data.return);
    if (event === 'end') assert.equal(data.returned, 3);
  }
  assert.deepEqual(returned, ['ü', 'ü', 'ü']);

  const target = { tgt: 'web1 and (', tgt_type: 'compound' as const };
  const refused = await fault(api.call('targets.preview', { body: target }));
  assert.deepEqual([refused.status, refused.code, refused.position], [400, 'bad-target', 9]);
  assert.equal((await fault(api.call('minions.get', { params: { id: '../..' } }))).code, 'not-found');

  const stop = new AbortController();
  const listening = assert.rejects(async () => {
    for await (const { event, id } of api.stream('events', {}, { signal: stop.signal })) {
      assert.equal(event, 'event');
      assert.ok(id);
      stop.abort();
    }
  }, /abort/i);
  // events are fired until the reader is there to hear one, or has failed
  let isOver = false;
  const end = (): void => void (isOver = true);
  listening.then(end, end);
  while (!isOver) await api.call('jobs.start', { body: { tgt: 'web1', fun: 'test.ping' } });
  await listening;
  await api.logOut();
  assert.equal((await fault(api.call('session.me'))).status, 401);
});
