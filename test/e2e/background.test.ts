import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet, ours, runProgram, until } from '../support/fleet.ts';

test('background - a daemon finds its configuration by a path of the caller, and keeps no folder busy', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('web1', ['ipc_mod: tcp', 'zmq_monitor: True']);
  const started = await runProgram(join(ours.folder, 'salt-minion'), ['-c', 'web1', '-d'], {
    cwd: fleet.folder,
  });
  assert.deepEqual([started.code, started.stdout], [0, ''], started.stderr);
  assert.match(started.stderr, /ipc_mod \(Did you mean 'ipc_mode'\?\)/, 'warnings are on the terminal');
  assert.match(started.stderr, /no effect in Brine: zmq_monitor \(/);
  const pid = Number(readFileSync(fleet.path('web1', 'pid'), 'utf8'));
  t.after(() => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
  assert.equal(readlinkSync(`/proc/${pid}/cwd`), '/');
  const second = await runProgram(join(ours.folder, 'salt-minion'), ['-c', fleet.path('web1'), '-d']);
  assert.equal(second.code, 1, 'a start that fails is told');
  assert.match(second.stderr, /A salt-minion is running already with process id/);
  process.kill(pid, 'SIGTERM');
  await until('the daemon has ended', () => !existsSync(`/proc/${pid}`));
  assert.equal(existsSync(fleet.path('web1', 'pid')), false, 'its pid file is gone');
});

test('background - a minion that could never connect as it is configured ends its start with the reason', async (t) => {
  const fleet = await Fleet.create(t);
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['transport: tcpp'], /There is no transport 'tcpp'/],
    [['transport: tcp', 'ssl: {cert_reqs: CERT_REQ}'], /SSL option 'cert_reqs' must be set to one of/],
    [['master_type: failovr'], /Invalid keyword 'failovr' for variable 'master_type'/],
  ];
  for (const [options, said] of wrong) {
    fleet.configureMinion('web1', [...options]);
    const started = await runProgram(join(ours.folder, 'salt-minion'), ['-c', fleet.path('web1'), '-d']);
    assert.match(started.stderr, said);
    assert.equal(started.code, 1);
    assert.equal(existsSync(fleet.path('web1', 'pid')), false);
  }
});

test('background - a syndic that could not work as it is configured ends its start with the reason', async (t) => {
  const fleet = await Fleet.create(t);
  mkdirSync(fleet.path('syndic'));
  writeFileSync(fleet.path('syndic', 'file'), '');
  const common = [`root_dir: ${fleet.path('syndic')}`, 'id: syndic', 'syndic_master_port: 1'];
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['transport: tcpp'], /There is no transport 'tcpp'/],
    [["syndic_master: ''"], /The option syndic_master names no master; write .* into .*master\.$/m],
    [['syndic_mode: snyc'], /The option syndic_mode is 'snyc'/],
    [[`sock_dir: ${fleet.path('syndic', 'file', 'x')}`], /Failed to prepare .*file\/x - ENOTDIR/],
  ];
  mkdirSync(fleet.path('c'));
  for (const [options, said] of wrong) {
    const lines = ['syndic_master: 127.0.0.1', ...common];
    const given = options.some((line) => line.startsWith('syndic_master:')) ? lines.slice(1) : lines;
    writeFileSync(fleet.path('c', 'master'), [...given, ...options, ''].join('\n'));
    writeFileSync(fleet.path('c', 'minion'), [...common.slice(0, 2), ...options, ''].join('\n'));
    const started = await runProgram(join(ours.folder, 'salt-syndic'), ['-c', fleet.path('c'), '-d']);
    assert.match(started.stderr, said);
    assert.notEqual(started.code, 0);
  }
});

test('background - what a daemon warns of before it is up is on the terminal, and no more after it', async (t) => {
  const fleet = await Fleet.create(t);
  writeFileSync(fleet.path('file'), '');
  fleet.configureMinion('web1', [`log_file: ${fleet.path('file', 'log')}`]);
  const started = await runProgram(join(ours.folder, 'salt-minion'), ['-c', fleet.path('web1'), '-d']);
  const pid = Number(readFileSync(fleet.path('web1', 'pid'), 'utf8'));
  t.after(() => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
  assert.match(started.stderr, /^\[WARNING \] Failed to open log file, .*file\/log/m);
  assert.equal(started.code, 0);
  process.kill(pid, 'SIGTERM');
  await until('the daemon has ended', () => !existsSync(`/proc/${pid}`));
});
