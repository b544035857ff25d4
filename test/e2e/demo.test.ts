/** The demo: a fleet that keeps running is ended by what it prints, and leaves no process and no file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

test('demo - a fleet that keeps running is ended with its folder, and a plain one says what to do next', (t) => {
  const tmp = mkdtempSync(join(tmpdir(), 'brine-demo-'));
  t.after(() => rmSync(tmp, { recursive: true, force: true }));
  // a container has Node and a shell, and no procps
  const path = join(tmp, 'bin');
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, 'node'));
  symlinkSync('/bin/sh', join(path, 'sh'));
  const { USER: _user, ...variables } = process.env;
  const demo = (...words: string[]): ReturnType<typeof spawnSync> & { stdout: string } =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/demo.mjs'), ...words], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...variables, TMPDIR: tmp, PATH: path },
    });
  const kept = demo('--keep', '*', 'test.ping');
  assert.equal(kept.status, 0, kept.stdout);
  const folder = /npm run demo -- --stop (\S+)/.exec(kept.stdout)?.[1] ?? '';
  const pids = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8')) as number[];
  assert.equal(pids.length, 4);
  assert.equal(demo('--stop', tmp).status, 64, 'another folder is left alone');
  assert.ok(existsSync(folder));
  const stopped = demo('--stop', folder);
  assert.equal(stopped.status, 0, stopped.stdout);
  assert.equal(existsSync(folder), false);
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.match(demo('--stop').stdout, /No demo is running/);
  const misspelt = demo('--kepe', '*', 'test.ping');
  assert.deepEqual([misspelt.status, misspelt.stdout], [64, ''], 'nothing is started for a misspelt option');
  assert.match(demo('web1', 'test.ping').stdout, /What next:\n.*--keep/);
});
