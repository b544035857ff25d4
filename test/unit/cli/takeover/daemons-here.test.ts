/** Which processes are daemons of Salt or of Brine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonOf, daemonsOn } from '../../../../src/cli/takeover/daemons-here.ts';
import type { RunningProcess } from '../../../../src/host/running-processes.ts';
import { readPlace } from '../../../../src/host/tcp-sockets.ts';

const of = (program: string, ...words: string[]): ReturnType<typeof daemonOf> => daemonOf({ program, words });

test("takeover daemons - Salt's are known by their program, whatever they name themselves", () => {
  const daemon = of(
    'python3.10',
    '/opt/saltstack/salt/bin/python3.10 /usr/bin/salt-minion -c /srv/a -l info MultiMinionProcessManager',
  );
  assert.deepEqual(daemon, {
    role: 'minion',
    maker: 'salt',
    configDir: '/srv/a',
    options: ['-l', 'info'],
    isInBackground: false,
    command: ['/opt/saltstack/salt/bin/python3.10', '/usr/bin/salt-minion', '-l', 'info'],
  });
  assert.equal(of('python3', 'python3', '-u', '/usr/bin/salt-api', '-d')?.isInBackground, true);
  assert.equal(of('salt-minion', '/opt/salt-minion', '--config-dir=/x')?.configDir, '/x');
});

test('takeover daemons - Brine runs in Node', () => {
  const daemon = of('node', 'node', '/b/bin/salt-master', '-c/srv', '--log-level=debug', '-d');
  assert.equal(daemon?.maker, 'brine');
  assert.equal(daemon.configDir, '/srv');
  assert.deepEqual(daemon.options, ['--log-level=debug']);
});

test('takeover daemons - what only names a daemon is none', () => {
  for (const [program, ...words] of [
    ['vim', 'vim', '/usr/bin/salt-minion'],
    ['bash', 'bash', '-c', 'salt-minion -d'],
    ['sudo', 'sudo', 'salt-minion'],
    ['python3', 'python3', '/usr/bin/salt', '*', 'test.ping'],
    ['python3', 'python3', '/x/other.py', '/usr/bin/salt-minion'],
    ['node', 'node', '/b/bin/salt', 'salt-minion'],
  ] as const)
    assert.equal(of(program, ...words), undefined, words.join(' '));
});

test('takeover daemons - those on the folder, with all their processes and without jobs', () => {
  const python = (pid: number, parent: number, text: string): RunningProcess => ({
    ...{ pid, parent, program: 'python3' },
    words: [`python3 ${text}`],
  });
  const list = (): RunningProcess[] => [
    python(10, 1, '/usr/bin/salt-master -d MainProcess'),
    python(11, 10, '/usr/bin/salt-master -d ReqServer'),
    python(12, 11, '/usr/bin/salt-master -d MWorker-0'),
    python(20, 1, '/usr/bin/salt-minion -c /else'),
    { pid: 30, parent: 1, program: 'node', words: ['node', '/b/bin/salt-minion', '-c', '/etc/salt'] },
    { pid: 31, parent: 30, program: 'node', words: ['salt-minion worker'] },
    { pid: 32, parent: 31, program: 'sleep', words: ['sleep', '9'] },
  ];
  const facts = { uid: 0, gid: 0, groups: [], cwd: '/', env: new Map() };
  const found = daemonsOn('/etc/salt', { list, facts: () => facts });
  assert.deepEqual(
    found.map(({ role, maker, pid, pids }) => [role, maker, pid, pids]),
    [
      ['master', 'salt', 10, [10, 11, 12]],
      ['minion', 'brine', 30, [30, 31]],
    ],
  );
  const elsewhere = { ...facts, env: new Map([['SALT_CONFIG_DIR', '/other/']]) };
  assert.equal(daemonsOn('/other', { list, facts: () => elsewhere })[0]?.pid, 10);
});

test('takeover daemons - addresses of sockets', () => {
  assert.deepEqual(readPlace('0100007F:1F90'), { address: '127.0.0.1', port: 8080 });
  assert.deepEqual(readPlace('0000000000000000FFFF00000100007F:0050'), { address: '127.0.0.1', port: 80 });
  assert.equal(
    readPlace('B80D0120000000000000000001000000:0001').address,
    '20010db8000000000000000000000001',
  );
});
