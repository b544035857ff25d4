/**
 * What somebody tries who has the shared key, as every minion has, and stands between a master and a minion (issue 9,
 * rows 1, 2, 8 and 14): publications without the master's signature, or with one that was made for something else, and
 * recorded ones; and weak keys.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { RsaPrivateKey } from '../../src/network/crypto/rsa.ts';
import { systemClock } from '../../src/host/clock.ts';
import type { Dict, Value } from '../../src/python/values/value.ts';
import { decode, type Encodable } from '../../src/formats/wire/msgpack.ts';
import {
  Attacker,
  authLoad,
  clearBytes,
  keyPair,
  rawRequester,
  replyThatIsAPublication,
} from '../support/attacker.ts';
import { Fleet, namesIn, until, type Daemon } from '../support/fleet.ts';
import { PublishRelay } from '../support/publish-relay.ts';
import { addressOf, createBelow, joinSyndic, ORDERS } from '../support/tree.ts';

const SIG_ALGO = 'PKCS1v15-SHA1';
let jobs = 0;

/** A job that a master would not have published. */
function forgedJob(command: string): Readonly<Record<string, Encodable>> {
  const jid = `20261122${String(++jobs).padStart(12, '0')}`;
  const serial = systemClock.nowMs() * 1000 + 1_000_000_000 + jobs;
  return { fun: 'cmd.run', arg: [command], tgt: '*', tgt_type: 'glob', ret: '', jid, serial };
}

test(
  'attacks - what a stranger chooses is never signed (issue 9, row 1)',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t);
    const master = await fleet.startMaster();
    const stranger = new Attacker(t, 'stranger', fleet.retPort);
    assert.equal((await stranger.authenticate()).kind, 'pending');
    const nonces: (Encodable | undefined)[] = [
      ...['', 'a'.repeat(31), 'a'.repeat(33), 'g'.repeat(32), `${'a'.repeat(31)}\n`, 'x'.repeat(200_000)],
      ...[
        Buffer.alloc(16, 0xff),
        Buffer.alloc(513, 0xff),
        Buffer.alloc(32, 0x80),
        7,
        null,
        ['a'.repeat(32)],
        undefined,
      ],
    ];
    // a key that waits, one that is denied, an id that is none, a key that is none
    const askers: [string, string][] = [
      ['stranger', stranger.key.publicKey.pem],
      ['stranger', keyPair('another').key.publicKey.pem],
      ['../x', stranger.key.publicKey.pem],
      ['other', 'no key'],
    ];
    for (const [id, pub] of askers) {
      for (const nonce of nonces) {
        const load = Object.fromEntries(authLoad(id, pub).entries()) as Record<string, Encodable | undefined>;
        for (const version of [3, 99])
          assert.equal(
            await stranger.send(clearBytes({ ...load, nonce }, version)),
            'bad load',
            `${id}: ${String(nonce)}`,
          );
      }
    }
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions_pre')), ['stranger']);
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions_denied')), []);
    assert.match(master.log, /Authentication request with a nonce that is not 32 hexadecimal characters/);
    assert.equal((await stranger.authenticate()).kind, 'pending', 'who asks as minions do is answered');
  },
);

test(
  'attacks - a minion runs only what its master has published, and that once',
  { timeout: 180_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    await fleet.startMaster();
    const relay = await PublishRelay.open(t, fleet.publishPort);
    const options = [`publish_port: ${relay.port}`];
    let minion = await fleet.joinMinion('m1', options);
    const rogue = new Attacker(t, 'rogue', fleet.retPort);
    await rogue.authenticate();
    const shared = (rogue.credentials as NonNullable<typeof rogue.credentials>).shared;
    const masterKey = RsaPrivateKey.parse(readFileSync(fleet.path('m', 'pki', 'master.pem'), 'utf8'));
    const trap = fleet.path('trap');
    const stillServes = async (): Promise<void> => {
      assert.deepEqual(await fleet.json(['m1', 'test.ping']), { m1: true });
      assert.equal(existsSync(trap), false, 'the forged job did not run');
    };
    const restarted = async (lines: readonly string[] = options): Promise<Daemon> => {
      await minion.stop();
      return fleet.joinMinion('m1', lines);
    };
    await stillServes();

    await t.test('without a signature, sealed with the shared key (row 2)', async () => {
      relay.publish({ load: shared.dumps(forgedJob(`touch ${trap}`)) });
      await minion.logged('was dropped: no signature');
      await stillServes();
    });

    await t.test(
      'also where the minion is told to take unsigned ones, because its master was seen to sign (row 2)',
      async () => {
        minion = await restarted([...options, 'sign_pub_messages: False']);
        relay.publish({ load: shared.dumps(forgedJob(`touch ${trap}`)) });
        await minion.logged('was dropped: no signature');
        await stillServes();
        const known = fleet.path('m1', 'pki', 'masters_that_sign');
        assert.equal(statSync(known).mode & 0o777, 0o644);
        const finger = (await fleet.run('salt-key', ['-f', 'master.pub', '--out', 'json'])).stdout;
        assert.ok(finger.includes(readFileSync(known, 'utf8').trim()), 'the fingerprint that salt-key shows');
        minion = await restarted();
      },
    );

    await t.test('a reply of the master that is a publication at the same time (row 1)', async () => {
      for (const ret of [false, true]) {
        const { reply } = replyThatIsAPublication(shared.keyString.reveal(), ret, forgedJob(`touch ${trap}`));
        relay.publish({ load: reply, sig_algo: SIG_ALGO, sig: masterKey.sign(reply, SIG_ALGO) });
      }
      await minion.logged("the master's signature is that of a reply", 2);
      await stillServes();
    });

    await t.test('signed, without a serial (row 1)', async () => {
      const { serial: _, ...load } = forgedJob(`touch ${trap}`);
      const sealed = shared.dumps(load);
      relay.publish({ load: sealed, sig_algo: SIG_ALGO, sig: masterKey.sign(sealed, SIG_ALGO) });
      await minion.logged('was dropped: no serial');
      await stillServes();
    });

    await t.test('a recorded one after the minion was killed, by this very job (row 8)', async () => {
      const ran = fleet.path('ran');
      const before = relay.heard.length;
      const kill = `echo x >> ${ran}; kill -9 ${minion.child.pid}`;
      await fleet.salt(['--async', 'm1', 'cmd.run', kill, 'python_shell=True']);
      await minion.exited;
      assert.equal(readFileSync(ran, 'utf8'), 'x\n');
      const recorded = relay.heard.slice(before);
      minion = await fleet.joinMinion('m1', options);
      for (const envelope of recorded) relay.send(envelope);
      await minion.logged('was dropped: replayed', recorded.length);
      await stillServes();
      assert.equal(readFileSync(ran, 'utf8'), 'x\n', 'it ran once');
    });

    await t.test(
      'a master that forgets its serials, as one that was reinstalled, locks nobody out',
      async () => {
        await fleet.master?.stop();
        rmSync(fleet.path('m', 'cache', 'publish_serial'));
        const { connections } = relay;
        await fleet.startMaster();
        await until('the relay is connected again', () => relay.connections > connections);
        await stillServes();
      },
    );
  },
);

test(
  'attacks - a syndic hands down no forged and no recorded job (issue 9, rows 2 and 8)',
  { timeout: 180_000 },
  async (t) => {
    const top = await Fleet.create(t, ORDERS);
    const below = await createBelow(t, [addressOf(top)]);
    await Promise.all([top.startMaster(), below.startMaster()]);
    const relay = await PublishRelay.open(t, top.publishPort);
    const options = [`publish_port: ${relay.port}`];
    let syndic = await joinSyndic(below, 's1', options);
    await below.joinMinion('low');
    const ran = top.path('ran');
    const before = relay.heard.length;
    assert.deepEqual(await top.json(['low', 'cmd.run', `echo x >> ${ran}`, 'python_shell=True']), {
      low: '',
    });
    const recorded = relay.heard.slice(before);
    await syndic.stop('SIGKILL');
    // what the minion remembers must not be what stops it
    rmSync(below.path('low', 'cache', 'publications'));
    syndic = await joinSyndic(below, 's1', options);
    for (const envelope of recorded) relay.send(envelope);
    await syndic.logged('was dropped: replayed', recorded.length);
    const rogue = new Attacker(t, 'rogue', top.retPort);
    await rogue.authenticate();
    const shared = (rogue.credentials as NonNullable<typeof rogue.credentials>).shared;
    relay.publish({ load: shared.dumps(forgedJob(`echo y >> ${ran}`)) });
    await syndic.logged('was dropped: no signature');
    assert.deepEqual(await top.json(['low', 'test.ping']), { low: true });
    assert.equal(readFileSync(ran, 'utf8'), 'x\n');
  },
);

test(
  'attacks - weak keys are refused with a sentence wherever they come in (issue 9, row 14)',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    const requester = rawRequester(t, fleet.retPort);
    const weak = [
      {
        id: 'e3',
        modulusLength: 2048,
        publicExponent: 3,
        sentence: 'the key has the public exponent 3; only 65537',
      },
      { id: 'short', modulusLength: 2046, publicExponent: 65537, sentence: 'the key has 2046 bits' },
      { id: 'odd', modulusLength: 2050, publicExponent: 65537, sentence: 'the key has 2050 bits' },
    ];
    for (const { id, sentence, ...size } of weak) {
      const pair = generateKeyPairSync('rsa', size);
      const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
      const ask = async (): Promise<Value | undefined> => {
        const load = Object.fromEntries(authLoad(id, pem).entries()) as Record<string, Encodable>;
        const reply = decode(await requester.request(clearBytes(load), 20_000), 'network') as Dict;
        return (decode(Buffer.from(reply.get('load') as Uint8Array), 'network') as Dict).get('ret');
      };
      assert.equal(await ask(), false, id);
      assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), []);
      await master.logged(`The public key that ${id} presented is refused: ${sentence}`);
      // put there by hand: waiting, and accepted
      writeFileSync(fleet.path('m', 'pki', 'minions_pre', id), pem);
      const accepted = await fleet.run('salt-key', ['-y', '-a', id]);
      assert.ok(`${accepted.stdout}${accepted.stderr}`.includes(sentence), accepted.stdout + accepted.stderr);
      assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), []);
      rmSync(fleet.path('m', 'pki', 'minions_pre', id));
      writeFileSync(fleet.path('m', 'pki', 'minions', id), pem);
      assert.equal(await ask(), false, `${id}, accepted by hand`);
      rmSync(fleet.path('m', 'pki', 'minions', id));
      // a master's, and a minion's own
      const minion = `of-${id}`;
      mkdirSync(fleet.path(minion, 'pki'), { recursive: true });
      writeFileSync(fleet.path(minion, 'pki', 'minion_master.pub'), pem);
      await fleet.startMinion(minion).logged(`cannot be used: ${sentence}`);
      const own = `own-${id}`;
      mkdirSync(fleet.path(own, 'pki'), { recursive: true });
      const privatePem = pair.privateKey.export({ type: 'pkcs1', format: 'pem' });
      writeFileSync(fleet.path(own, 'pki', 'minion.pem'), privatePem, { mode: 0o400 });
      const daemon = fleet.startMinion(own);
      assert.equal(await daemon.exited, 1);
      assert.ok(daemon.log.includes(`cannot be used: ${sentence}`), daemon.log);
    }
  },
);
