import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { keyPair } from '../support/attacker.ts';
import { Fleet, namesIn, until, type Finished } from '../support/fleet.ts';

/** Starts a daemon that is expected to end by itself; if it does not, it ends with the test. */
async function run(fleet: Fleet, program: string, args: readonly string[]): Promise<Finished> {
  const daemon = fleet.start(program, args);
  return { code: await daemon.exited, stdout: '', stderr: daemon.log };
}

/** One clear sentence, the exit code, no stack. */
function assertClear({ code, stdout, stderr }: Finished, exitCode: number, words: RegExp): void {
  const text = stderr + stdout;
  assert.match(text, words);
  assert.equal(code, exitCode, text);
  assert.doesNotMatch(text, /^ +at /m, 'no stack trace');
  assert.doesNotMatch(text, /unexpected error/);
}

/** The text of a configuration with one option replaced. */
function withOption(path: string, name: string, value: string): void {
  const text = readFileSync(path, 'utf8');
  const line = new RegExp(`^${name}:.*$`, 'm');
  writeFileSync(
    path,
    line.test(text) ? text.replace(line, `${name}: ${value}`) : `${text}${name}: ${value}\n`,
  );
}

async function occupied(t: TestContext, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => server.close());
}

test('faults - a master that cannot start says why', { timeout: 90_000 }, async (t) => {
  const fleet = await Fleet.create(t);
  const config = join(fleet.masterDir, 'master');
  const start = (...args: string[]): Promise<Finished> =>
    run(fleet, 'salt-master', ['-c', fleet.masterDir, ...args]);
  const changed = async (name: string, value: string): Promise<Finished> => {
    fleet.configureMaster([]);
    withOption(config, name, value);
    return start();
  };

  await t.test('a port in use is named, exit 4', async (t2) => {
    for (const port of [fleet.publishPort, fleet.retPort]) {
      await t2.test(String(port), async (t3) => {
        await occupied(t3, port);
        assertClear(await start(), 4, new RegExp(`tcp://127\\.0\\.0\\.1:${port}.*another salt-master`));
      });
    }
  });

  await t.test('the command line and the configuration', async () => {
    assertClear(await start('--no-such'), 64, /salt-master: error: no such option: --no-such/);
    assertClear(await changed('user', 'no-such-user'), 67, /user no-such-user.*not available/);
    fleet.configureMaster(['broken: [1, 2']);
    assertClear(await start(), 1, /Error parsing configuration file: .*\/master - line \d+: /);
    fleet.configureMaster(['  crooked: indent']);
    assertClear(await start(), 1, /\/master - line \d+: /);
    writeFileSync(config, Buffer.from([0xff, 0xfe, 0x00]));
    assertClear(await start(), 1, /\/master - the file is not UTF-8 text/);
  });

  await t.test('folders, keys and sockets that cannot be', async () => {
    const file = fleet.path('file');
    writeFileSync(file, '');
    assertClear(await changed('cachedir', `${file}/c`), 20, /Failed to prepare .*\/file\/c.*set the option/);
    assertClear(await changed('pki_dir', file), 20, /Failed to prepare .*\/file/);
    fleet.configureMaster([]);
    mkdirSync(fleet.path('m', 'pki'), { recursive: true });
    rmSync(fleet.path('m', 'pki', 'master.pem'), { force: true });
    writeFileSync(fleet.path('m', 'pki', 'master.pem'), 'garbage', { mode: 0o400 });
    assertClear(await start(), 1, /private key .*\/master\.pem cannot be used/);
    assertClear(await start('-l', 'quiet'), 1, /cannot be used/);
    const debugging = await start('-l', 'debug');
    assert.equal(debugging.code, 1);
  });

  await t.test('clients of a master that does not run', async () => {
    fleet.configureMaster([]);
    const salt = await fleet.salt(['*', 'test.ping']);
    assertClear(salt, 5, /The salt master could not be contacted\. Is master running\?/);
    assertClear(await fleet.run('salt-key', ['-L']), 0, /Accepted Keys:/);
    assertClear(await fleet.salt(['--no-such', '*', 'test.ping']), 64, /no such option/);
  });
});

test('faults - a minion that cannot join says why', { timeout: 120_000 }, async (t) => {
  const fleet = await Fleet.create(t);
  const master = await fleet.startMaster();
  const start = (id: string, ...args: string[]): Promise<Finished> =>
    run(fleet, 'salt-minion', ['-c', fleet.path(id), ...args]);

  await t.test('the command line and the configuration', async () => {
    fleet.configureMinion('n1');
    assertClear(await start('n1', '--no-such'), 64, /salt-minion: error: no such option/);
    withOption(fleet.path('n1', 'minion'), 'user', 'no-such-user');
    assertClear(await start('n1'), 67, /user no-such-user/);
    fleet.configureMinion('n1', ['broken: [1, 2']);
    assertClear(await start('n1'), 1, /\/minion - line \d+: /);
    fleet.configureMinion('n1');
    withOption(fleet.path('n1', 'minion'), 'id', 'a/b');
    assertClear(await start('n1'), 1, /minion id "a\/b" is not valid/);
    fleet.configureMinion('n1');
    withOption(fleet.path('n1', 'minion'), 'cachedir', join(fleet.masterDir, 'master', 'x'));
    assertClear(await start('n1'), 20, /Failed to prepare/);
  });

  await t.test('a log file that cannot be written is a warning, and the daemon goes on', async () => {
    fleet.configureMinion('log1');
    withOption(fleet.path('log1', 'minion'), 'log_file', join(fleet.masterDir, 'master', 'log'));
    const minion = fleet.start('salt-minion', ['-c', fleet.path('log1'), '-l', 'info']);
    await minion.logged('Failed to open log file, do you have permission to write to');
    await minion.logged('with: salt-key -a log1');
    assert.match(minion.log, /Accept the key on the master 127\.0\.0\.1:\d+ with: salt-key -a log1/);
    await minion.stop();
  });

  await t.test('pending, rejected, and a second minion', async () => {
    const minion = fleet.startMinion('p1');
    await minion.logged('salt-key -a p1');
    await until('the key is there', () => namesIn(fleet.path('m', 'pki', 'minions_pre')).includes('p1'));
    await until('the pid file is there', () => namesIn(fleet.path('p1')).includes('pid'));
    assertClear(await start('p1'), 1, new RegExp(`running already with process id ${minion.child.pid}`));
    assert.equal((await fleet.run('salt-key', ['-r', 'p1', '-y'])).code, 0);
    await minion.logged("The Salt Master has rejected this minion's public key");
    await minion.logged('salt-key -d p1');
    if (process.env['BRINE_LONG'] === '1') assert.equal(await minion.exited, 77);
  });

  await t.test('master_finger of another master: exit 42', async () => {
    const minion = fleet.startMinion('f1', [`master_finger: '${'ab:'.repeat(31)}cd'`]);
    await minion.logged('salt-key -a f1');
    assert.equal((await fleet.run('salt-key', ['-a', 'f1', '-y'])).code, 0);
    assert.equal(await minion.exited, 42);
    assert.ok(minion.log.includes("does not match the authenticating master's key"));
  });

  await t.test('a master whose key has changed is named by the file, and not obeyed', async () => {
    fleet.configureMinion('c1');
    mkdirSync(fleet.path('c1', 'pki'), { recursive: true });
    writeFileSync(fleet.path('c1', 'pki', 'minion_master.pub'), keyPair('someone').key.publicKey.pem);
    const minion = fleet.start('salt-minion', ['-c', fleet.path('c1'), '-l', 'info']);
    await minion.logged("not made with the master's key in");
    await until('the key is there', () => namesIn(fleet.path('m', 'pki', 'minions_pre')).includes('c1'));
    assert.equal((await fleet.run('salt-key', ['-a', 'c1', '-y'])).code, 0);
    await minion.logged("The master's public key has changed");
    assert.ok(minion.log.includes('minion_master.pub'));
    assert.ok(!minion.log.includes('Minion is ready'));
    assert.equal(
      readFileSync(fleet.path('c1', 'pki', 'minion_master.pub'), 'utf8'),
      keyPair('someone').key.publicKey.pem,
    );
  });

  assert.equal(master.child.exitCode, null);
});
