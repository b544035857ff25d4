/** One master with three transports: a command reaches a minion on each; what does not fit is named on both sides. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet, freePort } from '../support/fleet.ts';

const CERTIFICATES = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test', 'fixtures', 'tls');

function ssl(name: string, indent = ''): string[] {
  const file = (path: string): string => join(CERTIFICATES, path);
  const lines = [
    `certfile: ${file(`${name}.crt`)}`,
    `keyfile: ${file(`${name}.key`)}`,
    `ca_certs: ${file('ca.crt')}`,
  ];
  return [`${indent}ssl:`, ...[...lines, 'cert_reqs: CERT_REQUIRED'].map((line) => `${indent}  ${line}`)];
}

test(
  'transports - minions on zeromq, on tcp with TLS and on ws answer one command of one master',
  { timeout: 90_000 },
  async (t) => {
    const [tcpPublish, tcpRet, wsPublish, wsRet] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ]);
    const fleet = await Fleet.create(t, [
      'auto_accept: True',
      'transport_opts:',
      '  tcp:',
      `    publish_port: ${tcpPublish}`,
      `    ret_port: ${tcpRet}`,
      ...ssl('master', '    '),
      '  ws:',
      `    publish_port: ${wsPublish}`,
      `    ret_port: ${wsRet}`,
    ]);
    const master = await fleet.startMaster();
    const onTcp = ['transport: tcp', `master_port: ${tcpRet}`];
    await Promise.all([
      fleet.joinMinion('z1'),
      fleet.joinMinion('t1', [...onTcp, ...ssl('minion')]),
      fleet.joinMinion('w1', ['transport: ws', `master_port: ${wsRet}`]),
    ]);
    assert.deepEqual(await fleet.json(['*', 'test.ping']), { t1: true, w1: true, z1: true });
    assert.deepEqual(await fleet.json(['-L', 't1,w1', 'test.echo', 'x']), { t1: 'x', w1: 'x' });

    await t.test('a wrong certificate, no TLS and the wrong transport are named on both sides', async () => {
      const wrong: [string, string[], RegExp, RegExp][] = [
        [
          'x1',
          [...onTcp, ...ssl('stranger')],
          /closed the connection without a word|does not accept our certificate/,
          /certificate of the other end is not accepted/,
        ],
        ['x2', onTcp, /closed the connection without a word|speaks TLS/, /does not speak TLS/],
        [
          'x3',
          ['transport: ws', `master_port: ${tcpRet}`],
          /does not speak WebSocket as we do/,
          /speaks HTTP, and no TLS/,
        ],
        [
          'x4',
          ['transport: tcp', `master_port: ${wsRet}`],
          /speaks HTTP \(transport: ws\?\)/,
          /does not speak WebSocket/,
        ],
      ];
      await Promise.all(
        wrong.map(async ([id, options, told, noted]) => {
          const minion = fleet.startMinion(id, options);
          await minion.logged('did not answer the authentication');
          assert.match(minion.log, told, `${id} is told`);
          await minion.stop();
          assert.match(master.log, noted, `the master notes what ${id} did`);
        }),
      );
      assert.deepEqual(await fleet.json(['*', 'test.ping']), { t1: true, w1: true, z1: true });
    });

    await t.test('what cannot be configured ends the start', async () => {
      const other = await Fleet.create(t, []);
      for (const [options, said] of [
        [
          ['transport: udp'],
          /There is no transport 'udp'\. Please set transport to one of: zeromq, tcp, ws\./,
        ],
        [
          ['transport_opts: {tcp: {ret_port: 4506}}'],
          /publish_port of the transport tcp is .* Give it one of its own/,
        ],
        [['transport: tcp', 'ssl: True'], /needs a certfile/],
        [['transport: tcp', 'ssl: {cert_reqs: yes please}'], /SSL option 'cert_reqs' must be set to one of/],
      ] as const) {
        other.configureMaster(options);
        const { code, stderr } = await other.run('salt-master', []);
        assert.match(stderr, said);
        assert.ok(code !== 0);
      }
    });
  },
);
