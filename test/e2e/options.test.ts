/** What options do, by what changes; and what programs say of options that they do not serve. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { Fleet, freePort, until } from '../support/fleet.ts';

test('options - a master that would leave out what minions are to be does not start', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(['fileserver_backend: [cvsfs]', 'zmq_monitor: True', 'fiel_roots: {base: [/srv]}']);
  const master = await fleet.run('salt-master', ['-c', fleet.masterDir]);
  assert.equal(master.code, 78);
  assert.match(master.stderr, /fileserver_backend: there is no backend cvsfs/);
  assert.match(master.stderr, /no effect in Brine: zmq_monitor \(/);
  assert.match(master.stderr, /fiel_roots \(Did you mean 'file_roots'\?\)/);
  const runner = await fleet.run('salt-run', ['-c', fleet.masterDir, 'pillar.show_pillar']);
  assert.equal(runner.code, 78);
});

test('options - what is served changes what happens', async (t) => {
  const fleet = await Fleet.create(t);
  const [pub, pull] = [await freePort(), await freePort()];
  fleet.configureMaster([
    'ipc_mode: tcp',
    `tcp_master_pub_port: ${pub}`,
    `tcp_master_pull_port: ${pull}`,
    'presence_events: True',
    'loop_interval: 1',
    'ping_on_rotate: True',
    'mworker_niceness: 3',
    'max_open_files: 512',
    'log_level_logfile: debug',
    'log_rotate_max_bytes: 2000',
    'log_rotate_backup_count: 2',
    'require_minion_sign_messages: True',
    'drop_messages_signature_fail: True',
    'unserved_options: [cluster_peers]',
    'cluster_peers: [m2]',
    'auto_accept: True',
    'gather_job_timeout: 1',
    'ext_pillar: [{no_such_pillar: x}]',
  ]);
  const master = fleet.start('salt-master', ['-c', fleet.masterDir, '-l', 'info']);
  await master.logged('Starting the Salt Event Publisher on tcp://127.0.0.1');
  await master.logged('is ready', 2);
  await master.logged('cluster_peers (');
  const events: BusEvent[] = [];
  const bus = await EventBusReader.connect(
    { host: '127.0.0.1', port: pub },
    () => true,
    (event) => void events.push(event),
  );
  t.after(() => bus.close());
  const signs = await fleet.joinMinion('signs', ['minion_sign_messages: True']);
  await fleet.joinMinion('mute');

  await t.test('signed returns are taken, others are not', async () => {
    const { stdout } = await fleet.salt(['-t', '1', '--out', 'txt', '*', 'test.ping']);
    assert.match(stdout, /^signs: True$/m);
    assert.doesNotMatch(stdout, /^mute: True$/m);
    await master.logged('A return of mute was dropped: it is not signed');
  });

  await t.test('a part of the pillar that is missing stops states', async () => {
    const { stdout } = await fleet.salt(['-t', '3', '--out', 'txt', 'signs', 'state.apply', 'x']);
    assert.match(stdout, /Pillar failed to render|ext_pillar|Specified ext_pillar/);
  });

  await t.test('who is connected is told', async () => {
    await until('a presence event', () =>
      events.some(({ tag, data }) => tag === 'salt/presence/present' && Array.isArray(data.get('present'))),
    );
    await until('a change', () => events.some(({ tag }) => tag === 'salt/presence/change'));
  });

  await t.test('a new shared key is followed by a ping', async () => {
    await fleet.run('salt-key', ['-c', fleet.masterDir, '-y', '-d', 'mute']);
    await until('the ping', () =>
      events.some(
        ({ tag, data }) =>
          /^salt\/job\/\d+\/new$/.test(tag) &&
          data.get('fun') === 'test.ping' &&
          data.get('tgt') === '*' &&
          events.some((event) => event.tag === 'key'),
      ),
    );
  });

  await t.test('processes are as nice and open as many files as they should', async () => {
    await until('the parts are nice', () =>
      childrenOf(master.child.pid as number).some(
        (pid) => nicenessOf(pid) === nicenessOf(master.child.pid as number) + 3,
      ),
    );
    assert.match(readFileSync(`/proc/${master.child.pid}/limits`, 'utf8'), /Max open files +512 /);
  });

  await t.test('logs are rotated', () => {
    const log = fleet.path('m', 'log', 'log');
    assert.equal(existsSync(`${log}.1`), true);
    assert.equal(existsSync(`${log}.3`), false);
    assert.ok(statSync(`${log}.1`).size < 20_000);
  });

  await t.test('the file server runners act on the named backend only', async () => {
    const run = (args: readonly string[]) => fleet.run('salt-run', ['-c', fleet.masterDir, ...args]);
    const missing = await run(['fileserver.update', 'nosuch']);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stdout + missing.stderr, /no backend 'nosuch'/);
    const known = await run(['--enable-profiling', 'fileserver.update', 'roots']);
    assert.match(known.stdout, /True/);
    assert.match(known.stderr, /option --enable-profiling is not served/);
    const hosts = await fleet.run('salt', ['-c', fleet.masterDir, '-H', 'web', 'test.ping']);
    assert.equal(hosts.code, 64);
  });
  assert.equal(signs.child.exitCode, null);
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

function nicenessOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}
