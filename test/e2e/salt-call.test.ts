/** The built `salt-call` with a master. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { forgeTar, forgeZip } from '../support/archives.ts';
import { Fleet, namesIn, ours, runProgram, until, type Finished } from '../support/fleet.ts';

const FAST = ['auth_timeout: 3', 'auth_tries: 2'];

/** `salt-call` on a minion's configuration. */
function call(fleet: Fleet, id: string, ...args: string[]): Promise<Finished> {
  return runProgram(join(ours.folder, 'salt-call'), ['-c', fleet.path(id), ...args]);
}

test('salt-call - the key waits, is rejected, is accepted: each time the next step is named', async (t) => {
  const fleet = await Fleet.create(t);
  await fleet.startMaster();
  fleet.configureMinion('m1', FAST);

  const pending = await call(fleet, 'm1', 'test.ping');
  assert.equal(pending.code, 2);
  assert.equal(
    pending.stdout,
    'Minion failed to authenticate with the master, has the minion key been accepted?\n',
  );
  assert.match(pending.stderr, /salt-key -a m1/);

  await fleet.run('salt-key', ['-y', '-r', 'm1']);
  const rejected = await call(fleet, 'm1', 'test.ping');
  assert.equal(rejected.code, 77);
  assert.equal(rejected.stdout, '');
  assert.match(rejected.stderr, /The Salt Master has rejected this minion's public key!\n.*salt-key -d m1/);

  await fleet.run('salt-key', ['-y', '--include-rejected', '-a', 'm1']);
  const accepted = await call(fleet, 'm1', 'test.echo', 'hi');
  assert.deepEqual([accepted.code, accepted.stdout, accepted.stderr], [0, 'local:\n    hi\n', '']);
});

test('salt-call - the return is in the job cache under an id of the master, unless it is not to be sent', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  fleet.configureMinion('m1', FAST);

  assert.equal((await call(fleet, 'm1', '--no-return-event', 'test.echo', 'unseen')).code, 0);
  const failed = await call(
    fleet,
    'm1',
    '--set-metadata',
    '{ticket: 7}',
    '--retcode-passthrough',
    'test.retcode',
    '42',
  );
  assert.equal(failed.code, 42);
  const { stdout } = await fleet.run('salt-run', [
    '--out',
    'json',
    'jobs.list_jobs',
    'search_function=test.*',
  ]);
  const jobs = Object.values(JSON.parse(stdout) as Record<string, Record<string, unknown>>);
  assert.equal(jobs.length, 1);
  assert.deepEqual(
    [jobs[0]?.['Function'], jobs[0]?.['Arguments'], jobs[0]?.['Target'], jobs[0]?.['Metadata']],
    ['test.retcode', ['42'], 'm1', { ticket: 7 }],
  );
});

test('salt-call - events go to the master and, over its bus, to the minion of this host', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  await fleet.joinMinion('m1', FAST);
  const watcher = fleet.start('salt-run', [
    '-c',
    fleet.masterDir,
    '-l',
    'debug',
    'state.event',
    'my/tag',
    'count=1',
  ]);
  let seen = false;
  void watcher.exited.then(() => (seen = true));
  while (!seen)
    assert.equal((await call(fleet, 'm1', 'event.send', 'my/tag', 'a=1')).stdout, 'local:\n    True\n');
  const refused = await call(fleet, 'm1', 'event.send', 'salt/auth', 'a=1');
  assert.deepEqual([refused.code, refused.stdout], [1, 'local:\n    False\n']);
  assert.match(refused.stderr, /A minion may not fire an event with the tag "salt\/auth"/);
  assert.match(watcher.log, /^my\/tag\t\{.*"a": 1/m);
  assert.equal((await call(fleet, 'm1', 'event.fire', '{a: 1}', 'x/y')).stdout, 'local:\n    True\n');
  assert.equal((await call(fleet, 'm1', '--local', 'saltutil.refresh_modules')).stdout, 'local:\n    True\n');
});

test('salt-call - without a master it says so and ends', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1', ['auth_timeout: 1', 'auth_tries: 1']);
  const { code, stderr, stdout } = await call(fleet, 'm1', 'test.ping');
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /did not answer the authentication/);
  assert.equal((await call(fleet, 'm1', '--local', 'test.ping')).stdout, 'local:\n    True\n');
});

test('salt-call - --local reads grains only when a function looks at them', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1', ['grains: {role: web}']);
  assert.equal((await call(fleet, 'm1', '--local', 'grains.get', 'role')).stdout, 'local:\n    web\n');
  const late = await call(fleet, 'm1', '--local', '--out', 'json', 'event.send', 'x', 'with_grains=[role]');
  // there is no master that would take it
  assert.equal((JSON.parse(late.stdout) as { local: unknown }).local, false);
  assert.equal(late.code, 1);
  const versions = await call(fleet, 'm1', '--local', '--out', 'json', 'test.versions_information');
  const { local } = JSON.parse(versions.stdout) as { local: Record<string, Record<string, string>> };
  assert.notEqual(local['System Versions']?.['dist'], '');
});

test('salt-call - Ctrl-C ends the function and what it has started', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1');
  for (const words of [
    ['test.sleep', '600'],
    ['cmd.run', 'sleep 600'],
  ]) {
    const command = fleet.start('salt-call', ['-c', fleet.path('m1'), '--local', ...words]);
    const proc = fleet.path('m1', 'cache', 'proc');
    await until('the function runs', () => namesIn(proc).length > 0);
    assert.equal(await command.stop('SIGINT'), 130);
    assert.match(command.log, /Exiting gracefully on Ctrl-c/);
    assert.deepEqual(namesIn(proc), []);
  }
});

test('salt-call - archive.extracted refuses what leads out of its folder before it removes, writes or owns anything', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1');
  const [target, beside] = [fleet.path('target'), fleet.path('beside')];
  mkdirSync(target);
  mkdirSync(beside);
  writeFileSync(join(beside, 'kept'), 'kept');
  const before = statSync(fleet.folder);
  for (const [extension, bytes] of [
    ['tar', forgeTar([{ name: '../beside', content: 'x' }, { name: '../' }])],
    [
      'zip',
      forgeZip([
        { name: '../beside', content: 'x' },
        { name: `${beside}/kept`, link: 'x' },
      ]),
    ],
  ] as const) {
    const source = fleet.path(`hostile.${extension}`);
    writeFileSync(source, bytes);
    const words = ['state.single', 'archive.extracted', target, `source=${source}`, 'enforce_toplevel=False'];
    for (const more of ['force=True', 'clean=True']) {
      const { code, stdout } = await call(fleet, 'm1', '--local', ...words, more, 'user=nobody');
      assert.equal(code, 1, stdout);
      assert.match(
        stdout,
        /was not unpacked and nothing was changed, because its member '\.\.\/beside' has '\.\.' in its name/,
      );
      assert.equal(readFileSync(join(beside, 'kept'), 'utf8'), 'kept');
      assert.deepEqual(namesIn(target), []);
      assert.equal(statSync(fleet.folder).uid, before.uid);
    }
  }
});

test('salt-call - line ends in ssh.set_auth_key and ini.set_option write no further lines, and a dash is no option', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1');
  const file = fleet.path('lines');
  writeFileSync(file, '');
  const local = (...words: string[]) => call(fleet, 'm1', '--local', ...words);
  const evil = 'x\nssh-rsa BBBB';
  const key = ['ssh.set_auth_key', 'root', 'AAAA', `config=${file}`];
  for (const words of [
    [...key, `comment=${evil}`],
    [...key, JSON.stringify({ __kwarg__: true, options: [evil] })],
    ['ini.set_option', file, JSON.stringify({ s: { o: evil } })],
  ]) {
    const { code, stdout, stderr } = await local(...words);
    assert.notEqual(code, 0, stdout);
    assert.match(stderr, /The argument \w+ of \S+ cannot have a line end or a NUL in it/);
    assert.equal(readFileSync(file, 'utf8'), '');
  }
  const { code, stderr } = await local('user.primary_group', 'name=--help');
  assert.notEqual(code, 0);
  assert.match(stderr, /The argument name of user\.primary_group cannot begin with '-'/);
});
