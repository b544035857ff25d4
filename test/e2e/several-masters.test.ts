/** A minion and salt-call with several masters, and returners, on the built programs. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { freePort, ours, runProgram, until, type Daemon, type Finished } from '../support/fleet.ts';
import { startMasters, type OneOfMany } from '../support/masters.ts';

test(
  'several masters - a minion serves all of a list, or the first that lets it in; salt-call asks the first that answers',
  { timeout: 120_000 },
  async (t) => {
    const [a, b] = (await startMasters(t, 2)) as [OneOfMany, OneOfMany];
    const dead = `127.0.0.1:${await freePort()}`;
    const call = (id: string, ...args: string[]): Promise<Finished> =>
      runProgram(`${ours.folder}/salt-call`, ['-c', a.fleet.path(id), '--out=json', ...args]);

    await t.test('a list in a file: both answer, each with its own grain', async () => {
      const list = a.fleet.path('masters.txt');
      writeFileSync(list, `# ours\n${a.address}\n`);
      const minion = await a.fleet.joinMinion('both', [`master: [${list}]`]);
      assert.deepEqual(await a.fleet.json(['both', 'grains.get', 'master']), { both: '127.0.0.1' });
      assert.deepEqual(await a.fleet.json(['both', 'config.get', 'master_port']), { both: a.fleet.retPort });
      await minion.stop();
      writeFileSync(list, `${a.address}\n${b.address} # the other\n`);
      const again = a.fleet.start('salt-minion', ['-c', a.fleet.path('both'), '-l', 'info']);
      await again.logged('Minion is ready to receive requests', 2);
      for (const { fleet } of [a, b])
        assert.deepEqual(await fleet.json(['both', 'config.get', 'master_port']), { both: fleet.retPort });
      const { code, stdout } = await call('both', 'config.get', 'master_port');
      assert.deepEqual([code, JSON.parse(stdout)], [0, { local: a.fleet.retPort }]);
    });

    await t.test('failover passes a dead master over, and so does salt-call', async () => {
      const options = [`master: ['${dead}', '${b.address}']`, 'master_type: failover', 'auth_timeout: 1'];
      const minion = await a.fleet.joinMinion('over', options);
      assert.match(minion.log, /Master 127\.0\.0\.1:\d+ could not be reached, trying next master/);
      await minion.logged(`The minion is served by the master ${b.address}; before it:`);
      await minion.logged(`${dead}: No reply from`);
      assert.deepEqual(await b.fleet.json(['over', 'test.ping']), { over: true });
      const { code, stdout, stderr } = await call('over', 'config.get', 'master_port');
      assert.deepEqual([code, JSON.parse(stdout)], [0, { local: b.fleet.retPort }], stderr);
      assert.match(stderr, new RegExp(`Master ${dead} could not be reached, trying next master`));
    });

    await t.test('failover with no master left says of each why', async () => {
      const options = [
        `master: ['${dead}', 'nowhere.invalid:4506']`,
        'master_type: failover',
        'auth_timeout: 1',
        'auth_tries: 1',
      ];
      const minion = a.fleet.startMinion('lost', [...options, 'log_level: error']);
      await minion.logged("all masters denied the minion's connection attempt.");
      await minion.logged(`${dead}: `);
      await minion.logged('nowhere.invalid:4506: The name nowhere.invalid cannot be resolved');
      await minion.stop();
      const { code, stderr } = await call('lost', 'test.ping');
      assert.equal(code, 1);
      assert.match(stderr, /No master has let this minion in:/);
      for (const name of [dead, 'nowhere.invalid:4506']) assert.ok(stderr.includes(`${name}: `), stderr);
    });

    await t.test('master_type: disable, and one that is none', async () => {
      const alone = a.fleet.startMinion('alone', ['master_type: disable']);
      await alone.logged('Master is set to disable, skipping connection');
      assert.equal(await alone.stop(), 0);
      const wrong = a.fleet.startMinion('wrong', ['master_type: sometimes']);
      assert.equal(await wrong.exited, 1);
      assert.match(wrong.log, /Invalid keyword 'sometimes' for variable 'master_type'/);
    });

    await t.test('master_type: func asks a function', async () => {
      const options = ['master: test.echo_master', 'master_type: func', 'master_port: 1'];
      const failing = a.fleet.startMinion('func', options);
      assert.equal(await failing.exited, 1);
      assert.match(failing.log, /Failed to load module test\.echo_master/);
    });

    await t.test('returners get what --return, --return_config and --return_kwargs say', async () => {
      const at = (name: string): string => a.fleet.path(name);
      await a.fleet.joinMinion('r', [
        `master_port: ${a.fleet.retPort}`,
        `rawfile_json.filename: ${at('usual')}`,
        `other.rawfile_json.filename: ${at('other')}`,
      ]);
      const ask = (...args: string[]): Promise<unknown> =>
        a.fleet.json(['r', 'test.echo', 'hi', '--return', ...args]);
      assert.deepEqual(await ask('rawfile_json,nowhere'), { r: 'hi' });
      await ask('rawfile_json', '--return_config', 'other');
      await ask('rawfile_json', '--return_kwargs', `{filename: ${at('kwargs')}}`);
      const line = (name: string): Record<string, unknown> =>
        JSON.parse(readFileSync(at(name), 'utf8')) as Record<string, unknown>;
      await until('the last is there', () => {
        try {
          return line('kwargs')['id'] === 'r';
        } catch {
          return false;
        }
      });
      for (const name of ['usual', 'other', 'kwargs']) assert.equal(line(name)['return'], 'hi');
      const minion = a.fleet.daemons.at(-1) as Daemon;
      assert.match(minion.log, /Returner nowhere\.returner could not be loaded/);
      const called = await call('r', '--local', '--return', 'rawfile_json', 'test.echo', 'called');
      assert.equal(called.code, 0, called.stderr);
      const [, last = ''] = readFileSync(at('usual'), 'utf8').split('\n');
      assert.equal((JSON.parse(last) as Record<string, unknown>)['return'], 'called');
    });
  },
);
