import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { handshake, encodeMessage, command } from '../../src/network/transport/zmtp/frames.ts';
import { Subscriber } from '../../src/network/transport/zmtp/subscriber.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode, encode } from '../../src/formats/wire/msgpack.ts';
import {
  Attacker,
  clearBytes,
  poke,
  publicationReader,
  rawRequester,
  requestBytes,
  returnOf,
} from '../support/attacker.ts';
import { Fleet, namesIn, until } from '../support/fleet.ts';

const MiB = 1024 * 1024;
const JID = '20261121000000000001';

/** Bytes that no Salt sends, by what they are. */
function foreignBytes(): Map<string, Buffer> {
  const zmtp2 = Buffer.from('ff00000000000000017f0105', 'hex');
  const greeting = handshake('REQ', Buffer.alloc(0));
  const longFrame = Buffer.alloc(9);
  longFrame[0] = 2;
  longFrame.writeBigUInt64BE(2n ** 40n, 1);
  return new Map([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl\r\nAccept: */*\r\n\r\n')],
    ['TLS', Buffer.concat([Buffer.from('16030100f8010000f40303', 'hex'), randomBytes(200)])],
    ['ZMTP 2.0', Buffer.concat([zmtp2, Buffer.alloc(64)])],
    ['random', randomBytes(4096)],
    ['zeros', Buffer.alloc(4096)],
    ['CURVE', Buffer.concat([greeting.subarray(0, 12), Buffer.from('CURVE'), Buffer.alloc(64)])],
    ['a broken READY', Buffer.concat([greeting.subarray(0, 64), command('READY', Buffer.from([200, 1, 2]))])],
    ['a message of a terabyte', Buffer.concat([greeting, longFrame])],
    ['reserved flags', Buffer.concat([greeting, Buffer.from([0xff, 0xff, 0xff])])],
    [
      'too many parts',
      Buffer.concat([greeting, encodeMessage(Array.from({ length: 40 }, () => Buffer.from('x')))]),
    ],
  ]);
}

function residentMiB(pids: Iterable<number>): number {
  let total = 0;
  for (const pid of pids) {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    total += Number(line?.[1] ?? 0) / 1024;
  }
  return total;
}

test('attacks - a master stands what is thrown at it', { timeout: 120_000 }, async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  const master = await fleet.startMaster();
  await fleet.joinMinion('good');
  const children = master.children();
  assert.equal(children.size, 5);
  const stillWell = async (): Promise<void> => {
    assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
    assert.deepEqual(master.childrenAmong(children), children, 'every part is the same process');
  };
  const requester = rawRequester(t, fleet.retPort);
  const ask = async (bytes: Buffer): Promise<Value> =>
    decode(await requester.request(bytes, 20_000), 'network');

  await t.test('foreign bytes on both ports', async () => {
    for (const port of [fleet.retPort, fleet.publishPort]) {
      const ends = await Promise.all(
        [...foreignBytes()].map(async ([name, bytes]) => [
          name,
          (await poke({ port }, [bytes], 10_000)).closed,
        ]),
      );
      for (const [name, closed] of ends) assert.ok(closed, `${port}: ${name} ends the connection`);
    }
    assert.match(
      master.log,
      /The connection from 127\.0\.0\.1:\d+ was ended: the peer does not speak ZMTP \(\d+ so far\)/,
    );
    await stillWell();
  });

  await t.test('connections that say nothing, or stop half-way', async () => {
    const greeting = handshake('REQ', Buffer.alloc(0));
    const half = encodeMessage([Buffer.alloc(0), clearBytes({ cmd: 'ping' })]);
    const quiet = Array.from({ length: 200 }, (_, i) =>
      poke(
        { port: i % 2 ? fleet.retPort : fleet.publishPort },
        [greeting, half.subarray(0, i % half.length)],
        1500,
      ),
    );
    await stillWell();
    await Promise.all(quiet);
    await stillWell();
  });

  await t.test(
    'three thousand malformed messages: each is answered, none is kept, no log is filled',
    async () => {
      const linesBefore = master.log.split('\n').length;
      const bodies = [
        Buffer.alloc(0),
        Buffer.from([0xc1]),
        encode('x', 'network'),
        encode({ enc: 'aes' }, 'network'),
      ];
      bodies.push(encode({ enc: 'aes', load: randomBytes(96), version: 3, id: 'nobody' }, 'network'));
      bodies.push(
        encode({ enc: 'aes', load: randomBytes(96), version: 3, id: '../../etc/passwd' }, 'network'),
      );
      bodies.push(encode({ enc: 'aes', load: randomBytes(96), version: 3, id: 'good' }, 'network'));
      bodies.push(
        clearBytes({ cmd: '__proto__' }),
        clearBytes({ cmd: '_auth', id: 7 }),
        clearBytes({ cmd: '_auth' }),
      );
      const replies = await Promise.all(
        Array.from({ length: 3000 }, (_, i) => ask(bodies[i % bodies.length] as Buffer)),
      );
      assert.equal(replies.length, 3000);
      assert.ok(master.log.split('\n').length - linesBefore < 800, 'the log stays short');
      assert.deepEqual(namesIn(fleet.path('m', 'cache', 'sessions')), ['good']);
      assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), ['good']);
      assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions_pre')), []);
      await stillWell();
    },
  );

  await t.test('nobody without credentials calls anything', async () => {
    const call = (cmd: string): Promise<Value> => ask(clearBytes({ cmd, fun: 'key.list_all', key: 'x' }));
    for (const cmd of ['wheel', 'runner']) {
      const reply = (await call(cmd)) as Dict;
      assert.deepEqual([...reply.keys()], ['error'], cmd);
      assert.equal((reply.get('error') as Dict).get('name'), 'UserAuthenticationError', cmd);
    }
    assert.equal(await call('mk_token'), '');
    assert.equal(await call('get_token'), false);
    for (const cmd of ['_prep_auth_info', '_send_pub', '_return', '_pillar'])
      assert.deepEqual(await call(cmd), new Map(), cmd);
    const publish = {
      cmd: 'publish',
      tgt: '*',
      fun: 'test.ping',
      arg: [],
      tgt_type: 'glob',
      ret: '',
      jid: '',
    };
    const credentials = [
      {},
      { key: '' },
      { key: 'x'.repeat(76), user: 'root' },
      { kwargs: { token: '../../etc/shadow' } },
    ];
    for (const each of [...credentials, { kwargs: { eauth: 'pam', username: 'root', password: 'x' } }]) {
      const reply = await ask(clearBytes({ ...publish, ...each }));
      assert.equal(
        (isDict(reply) ? (reply.get('error') as Dict) : (reply as unknown as Dict)).get('name'),
        'AuthenticationError',
      );
    }
    assert.deepEqual(await ask(clearBytes({ cmd: 'ping', n: 1 })), dict({ cmd: 'ping', n: 1 }));
    for (const version of [undefined, 0, 1, 2])
      assert.equal(
        await ask(encode({ enc: 'clear', load: { cmd: 'ping' }, version }, 'network')),
        'bad load',
      );
    await stillWell();
  });

  await t.test('a minion speaks for itself only, and each request once', async () => {
    const rogue = new Attacker(t, 'rogue', fleet.retPort);
    const victim = new Attacker(t, 'victim', fleet.retPort);
    assert.equal((await rogue.authenticate()).kind, 'accepted');
    assert.equal((await victim.authenticate()).kind, 'accepted');
    for (const load of [
      returnOf(JID),
      { cmd: '_minion_event', tag: 'x', data: {} },
      { cmd: '_pillar' },
      { cmd: 'revoke_auth' },
    ]) {
      const lies = [
        { inner: { id: 'victim' } },
        { outer: { id: 'victim' } },
        { inner: { id: 'victim' }, outer: { id: 'victim' } },
      ];
      for (const lie of lies) assert.equal(await rogue.send(rogue.request(load, lie)), 'bad load');
      const stolen = requestBytes('victim', rogue.key, victim.session, load);
      assert.equal(await rogue.send(stolen), 'bad load', 'the session without the key');
    }
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')).sort(), ['good', 'rogue', 'victim']);
    const genuine = rogue.request(returnOf(JID));
    assert.notEqual(await rogue.send(genuine), 'bad load');
    for (let i = 0; i < 16; i++) assert.equal(await rogue.send(genuine), 'bad load', 'played again');
    const reshaped = Buffer.concat([Buffer.from([0xde, 0, 6]), genuine.subarray(1)]);
    for (let i = 0; i < 16; i++)
      assert.equal(await rogue.send(reshaped), 'bad load', 'played again in another shape');
    await stillWell();
  });

  await t.test(
    'a deleted key ends its access at once, and what is published later stays closed to it',
    async () => {
      const gone = new Attacker(t, 'gone', fleet.retPort);
      await gone.authenticate();
      const heard: Buffer[][] = [];
      const subscriber = new Subscriber(
        {
          address: () => ({ host: '127.0.0.1', port: fleet.publishPort }),
          topics: [''],
          messageBytesMax: MiB,
          reconnect: { defaultMs: 50, maxMs: 100, randomize: false },
          clock: systemClock,
          random: systemRandom,
        },
        {
          connected: () => undefined,
          disconnected: () => undefined,
          message: (parts) => heard.push(parts.map((p) => Buffer.from(p))),
        },
      );
      subscriber.start();
      t.after(() => subscriber.close());
      assert.notEqual(await gone.send(gone.request({ cmd: '_master_opts' })), 'bad load');
      await until(
        'it hears publications',
        () => (void fleet.salt(['good', 'test.ping', '--async']), heard.length > 0),
      );
      const credentials = gone.credentials as NonNullable<typeof gone.credentials>;
      assert.ok(isDict(publicationReader(true).read(heard[0] as Buffer[], credentials)));
      assert.match((await fleet.run('salt-key', ['-d', 'gone', '-y'])).stdout, /Key for minion gone deleted/);
      assert.equal(await gone.send(gone.request(returnOf(JID))), 'bad load');
      assert.equal(existsSync(fleet.path('m', 'cache', 'sessions', 'gone')), false);
      await master.logged('Rotating the shared key');
      const before = heard.length;
      assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
      await until('the next publication is there', () => heard.length > before);
      assert.equal(publicationReader(true).read(heard.at(-1) as Buffer[], credentials), 'wrong key');
      await stillWell();
    },
  );

  await t.test('large and endless messages do not fill the memory', async () => {
    const before = residentMiB(children.values());
    const greeting = handshake('DEALER', Buffer.alloc(0));
    const head = Buffer.alloc(9);
    head[0] = 2;
    head.writeBigUInt64BE(BigInt(127 * MiB), 1);
    const started = Array.from({ length: 300 }, () =>
      poke({ port: fleet.retPort }, [greeting, head, Buffer.alloc(MiB / 2)], 3000),
    );
    await Promise.all(started);
    const deaf = clearBytes({ cmd: 'ping', filler: Buffer.alloc(MiB, 65) });
    const messages = Array.from({ length: 40 }, () => encodeMessage([Buffer.alloc(0), deaf]));
    const oversized = await poke(
      { port: fleet.publishPort },
      [handshake('SUB'), encodeMessage([Buffer.alloc(2 * MiB, 1)])],
      5000,
    );
    assert.ok(oversized.closed);
    const echoes = await poke({ port: fleet.retPort }, [greeting, ...messages], 4000);
    assert.ok(echoes.received.length > 0);
    const after = residentMiB(children.values());
    assert.ok(after - before < 400, `${Math.round(before)} MiB before, ${Math.round(after)} MiB after`);
    await stillWell();
  });

  await t.test('garbage on the local sockets costs a line in the log', async () => {
    const sockets = readdirSync(fleet.path('m', 'run')).filter((name) => name.endsWith('.ipc'));
    assert.equal(sockets.length, 5);
    for (const name of sockets) {
      for (const bytes of [
        ...foreignBytes().values(),
        Buffer.from([0, 0, 0, 1, 9]),
        Buffer.from([0, 0, 0, 5, 0, 0, 0, 0, 1]),
      ])
        await poke({ path: fleet.path('m', 'run', name) }, [bytes], 100);
    }
    const silent = Array.from({ length: 20 }, () =>
      poke({ path: fleet.path('m', 'run', 'workers.ipc') }, [], 1000),
    );
    await stillWell();
    await Promise.all(silent);
    for (const line of [
      'A local program that is no worker was turned away',
      'wrote something else than events',
    ])
      assert.ok(master.log.includes(line), line);
    await stillWell();
  });

  await t.test('nothing of it was stored', () => {
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')).sort(), ['good', 'rogue', 'victim']);
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions_denied')), []);
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions_rejected')), []);
    assert.deepEqual(namesIn(fleet.path('m', 'cache', 'minions')).sort(), ['good']);
    assert.deepEqual(/^ +at .*\(.*:\d+:\d+\)$/m.exec(master.log)?.slice() ?? [], [], 'no stack trace');
  });
});

test('attacks - minimum_auth_version lets older minions in, with their token only', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True', 'minimum_auth_version: 0']);
  await fleet.startMaster();
  const old = new Attacker(t, 'old', fleet.retPort);
  await old.authenticate();
  const shared = (old.credentials as NonNullable<typeof old.credentials>).shared;
  const tok = old.key.signX931(Buffer.from('salt'));
  const v2 = (load: Record<string, Value>): Buffer =>
    encode({ enc: 'aes', load: shared.dumps(load), version: 2 }, 'network');
  const reply = await old.send(
    v2({ ...(returnOf(JID) as Record<string, Value>), id: 'old', tok, nonce: 'a'.repeat(32) }),
  );
  assert.equal(shared.loads(Buffer.from(reply as Uint8Array), 'a'.repeat(32)), null);
  assert.equal(await old.send(v2({ ...(returnOf(JID) as Record<string, Value>), id: 'old' })), 'bad load');
  assert.equal(
    await old.send(v2({ ...(returnOf(JID) as Record<string, Value>), id: 'other', tok })),
    'bad load',
  );
  assert.ok(isDict(await old.send(clearBytes({ cmd: 'ping' }, 0))));
});
