/**
 * Log-ins at registries and commands in containers, with a program in the place of docker; the answers are those of a
 * real 3006.16 with the same program.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

const PROGRAM = `#!/bin/sh
echo "$*" >> "$0.calls"
case "$*" in *nosuch*) echo one; echo 'Error response: nosuch' >&2; exit 2;; esac
case "$*" in *-i*) cat;; *login*) cat >> "$0.secrets";; esac
echo "docker $*"
`;
const OPTIONS = {
  id: 'm',
  'docker.exec_driver': 'docker-exec',
  'docker-registries': {
    hub: { username: 'joe', password: 'secret' },
    'one.example.com': { username: 'ann', password: 'other' },
  },
  'more-docker-registries': {
    'bad.example.com': { username: 'nosuch', password: 'secret' },
    short: { username: 'x' },
  },
};
const CLEAN = 'env -i PATH=/bin:/usr/bin:/sbin:/usr/sbin:/opt/bin:/usr/local/bin:/usr/local/sbin';

type Call = (fun: string, args?: readonly Value[], kwargs?: Dict) => Promise<Value>;

function withDocker(t: TestContext): { call: Call; read: (what: 'calls' | 'secrets') => string } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-docker-'));
  const path = process.env['PATH'];
  writeFileSync(join(folder, 'docker'), PROGRAM, { mode: 0o755 });
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const ctx = fakeContext({ opts: dict(OPTIONS) });
  return {
    call: (fun, args = [], kwargs = dict()) => ctx.functions.call(`docker.${fun}`, args, kwargs),
    read: (what) => readFileSync(join(folder, `docker.${what}`), 'utf8'),
  };
}

test('docker - log-ins are those of the configuration, and no password is on a command line', async (t) => {
  const { call, read } = withDocker(t);
  assert.deepEqual(
    await call('login'),
    dict({
      retcode: 1,
      Errors: ['Error response: nosuch', "Missing 'password' for registry 'short'"],
      Results: { hub: true, 'one.example.com': true, 'bad.example.com': false },
    }),
  );
  assert.equal(read('secrets'), 'secretother');
  assert.doesNotMatch(read('calls'), /secret|other/);
  assert.deepEqual(
    await call('login', ['hub', 'nosuch']),
    dict({ retcode: 1, Errors: ["No match found for registry 'nosuch'"], Results: { hub: true } }),
  );
  const all = { hub: true, 'one.example.com': true, 'bad.example.com': true, short: true };
  assert.deepEqual(await call('logout'), dict({ retcode: 0, Errors: [], Results: all }));
});

test('docker - commands run in containers, in each form of the answer', async (t) => {
  const { call, read } = withDocker(t);
  assert.equal(await call('run', ['web', 'ls -l /etc']), `docker exec web ${CLEAN} ls -l /etc`);
  const all = await call('run_all', ['web', 'ls /nosuch']);
  assert.ok(isDict(all));
  assert.deepEqual(
    ['retcode', 'stdout', 'stderr'].map((name) => all.get(name)),
    [2, 'one', 'Error response: nosuch'],
  );
  assert.equal(await call('run_stderr', ['web', 'ls /nosuch']), 'Error response: nosuch');
  assert.equal(await call('retcode', ['web', 'ls /nosuch']), 2);
  const kept = dict({ stdin: 'one', keep_env: true });
  assert.equal(await call('run', ['web', 'ls -l'], kept), 'onedocker exec -i web ls -l');
  await call('run_stdout', ['web', 'ls | wc -l']);
  assert.ok(
    read('calls').endsWith(`exec web ${CLEAN} sh -c ls | wc -l\n`),
    'a shell of the container reads it',
  );
  await assert.rejects(call('run', ['web', 'ls'], dict({ exec_driver: 'nsenter' })), /nsenter is not served/);
  await assert.rejects(call('run', ['--privileged', 'ls']), /cannot be named/);
});
