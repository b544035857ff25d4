/** A daemon whose files were replaced while it runs, as an upgrade of the package does it. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet, freePort, runProgram } from '../support/fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

test('replaced programs - a minion goes on with the build that it was started with', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  const copy = copyOfBrine(fleet);
  await fleet.joinMinion('web1', [], { name: 'ours', folder: join(copy, 'bin') });
  rmSync(join(copy, 'dist/pack.cjs'));

  for (const words of [['schedule.list'], ['test.arg_clean', 'x']]) {
    const { code, stdout } = await fleet.salt(['web1', ...words]);
    assert.equal(code, 0, stdout);
  }
});

test('replaced programs - a worker takes no layer of another build, and a restarted minion has them all', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  const copy = copyOfBrine(fleet);
  const minion = await fleet.joinMinion('web1', [], { name: 'ours', folder: join(copy, 'bin') });
  assert.equal((await fleet.salt(['web1', 'test.ping'])).code, 0);
  const layers = ['usual.cjs', 'pack.cjs'].map((name) => join(copy, 'dist', name));
  const texts = layers.map((path) => readFileSync(path));
  for (const [at, path] of layers.entries()) {
    // as an upgrade does it: the name has another file, and whoever has the old one open keeps that
    writeFileSync(`${path}.new`, `/* another build */${texts[at]?.toString('latin1')}`, 'latin1');
    renameSync(`${path}.new`, path);
  }

  // the second time, too: what was refused once is not taken for missing afterwards
  for (const _ of ['once', 'again']) {
    const { code, stdout } = await fleet.salt(['web1', 'state.single', 'test.nop', 'name=text']);
    assert.match(stdout.replace(/\s+/g, ' '), sentence('salt-minion', 'Restart salt-minion'));
    assert.notEqual(code, 0);
  }
  const called = await runProgram(join(copy, 'bin', 'salt-call'), [
    ...['-c', fleet.path('web1'), '--local', 'hashutil.digest', 'text'],
  ]);
  assert.match(
    `${called.stdout}${called.stderr}`.replace(/\s+/g, ' '),
    sentence('salt-call', 'Run salt-call again'),
  );
  assert.notEqual(called.code, 0);

  for (const [at, path] of layers.entries()) writeFileSync(path, texts[at] ?? '');
  await minion.stop();
  await fleet.joinMinion('web1', [], { name: 'ours', folder: join(copy, 'bin') });
  const { code, stdout } = await fleet.salt(['web1', 'state.single', 'test.nop', 'name=text']);
  assert.match(stdout, /text/);
  assert.equal(code, 0);
});

test('replaced programs - a salt-api and a master go on with the build that they were started with', async (t) => {
  const [port, fleet] = [await freePort(), await Fleet.create(t)];
  fleet.configureMaster([
    'auto_accept: True',
    `api_pidfile: ${fleet.path('api.pid')}`,
    `api_logfile: ${fleet.path('api.log')}`,
    'external_auth: {file: {^filename: ' + fleet.path('users') + ", alice: ['.*', '@runner', '@wheel']}}",
    'netapi_enable_clients: [local, runner, wheel]',
    `rest_cherrypy: {port: ${port}, disable_ssl: True}`,
  ]);
  writeFileSync(fleet.path('users'), 'alice:pw\n');
  const copy = copyOfBrine(fleet);
  const folder = join(copy, 'bin');
  await fleet.startMaster({ name: 'ours', folder });
  const api = fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info'], { name: 'ours', folder });
  await api.logged('Salt API is starting');
  const ask = async (path: string, fields: Record<string, string>, token = ''): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'X-Auth-Token': token, Accept: 'application/json' },
      body: new URLSearchParams(fields),
    });
    return [response.status, await response.text()];
  };
  const [, text] = await ask('/login', { eauth: 'file', username: 'alice', password: 'pw' });
  const token = /"token": "(\w+)"/.exec(text)?.[1] ?? assert.fail(text);
  rmSync(join(copy, 'dist/pack.cjs'));

  for (const [client, fun] of [
    ['runner', 'jobs.list_jobs'],
    ['wheel', 'key.list_all'],
  ] as const) {
    const [status, said] = await ask('/', { client, fun }, token);
    assert.equal(status, 200, said);
  }
});

function sentence(program: string, advice: string): RegExp {
  const rest = 'runs, and parts that it had not loaded are gone';
  return new RegExp(`Brine was installed anew while this ${program} \\(PID \\d+\\) ${rest}\\. ${advice}\\.`);
}

/** A whole Brine whose files can be replaced. */
function copyOfBrine(fleet: Fleet): string {
  const copy = fleet.path('copy');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
