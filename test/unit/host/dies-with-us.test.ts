/** What a process has started for itself ends with it, whatever ends it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '../../../src/host/process.ts';
import { until } from '../../support/fleet.ts';

const canDo =
  spawnSync('/usr/bin/setpriv', ['--pdeathsig', 'KILL', '--', '/bin/true']).status === 0
    ? false
    : 'needs setpriv of util-linux 2.33 or newer';

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('dies with us - git of a salt-run that is killed is gone with it', { skip: canDo }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-dies-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const note = join(folder, 'pid');
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\necho $$ > ${note}.new; mv ${note}.new ${note}\nexec sleep 600\n`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  const config = [
    `root_dir: ${folder}`,
    `gitfs_remotes: ['file://${folder}/nothing.git']`,
    'fileserver_backend: [gitfs]',
  ];
  writeFileSync(join(folder, 'master'), `${config.join('\n')}\n`);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    rmSync(note, { force: true });
    const root = process.env['BRINE_ROOT'] ?? process.cwd();
    const run = spawn(join(root, 'bin', 'salt-run'), ['-c', folder, 'fileserver.update'], {
      env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      stdio: 'ignore',
    });
    const ended = once(run, 'exit');
    await until('git runs', () => existsSync(note));
    const pid = Number(readFileSync(note, 'utf8'));
    assert.ok(isAlive(pid));
    run.kill(signal);
    await ended;
    await until(`git is gone after ${signal}`, () => !isAlive(pid));
  }
});

test('dies with us - a program that is not there is named as without it', async () => {
  await assert.rejects(runProcess(['/nowhere/git'], { diesWithUs: true }), /\/nowhere\/git/);
  await assert.rejects(runProcess(['no-such-program'], { diesWithUs: true }), /no-such-program/);
  const { stdout, retcode } = await runProcess(['/bin/echo', 'a b'], { diesWithUs: true });
  assert.deepEqual([stdout.toString(), retcode], ['a b\n', 0]);
});
