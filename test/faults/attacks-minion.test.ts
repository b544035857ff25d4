/**
 * Memory bombs for a minion (issue 9, row 3): in the replies of somebody who plays its master, and in what is published
 * to it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RsaPrivateKey } from '../../src/network/crypto/rsa.ts';
import { systemClock } from '../../src/host/clock.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { Attacker } from '../support/attacker.ts';
import { cpuMs, emptyMaps, nestedLists, peakMiB } from '../support/bombs.ts';
import { Fleet, until, type Daemon } from '../support/fleet.ts';
import { PublishRelay } from '../support/publish-relay.ts';
import { RequestRelay } from '../support/request-relay.ts';

const SIG_ALGO = 'PKCS1v15-SHA1';
const BOMB_VALUES = 2_000_000;
/** What a bomb may cost a minion: reading the bytes, and little else. */
const GROWTH_MIB = 60;
const BOMB_CPU_MS = 1_000;

/** Values of 2 MB each that would take hundreds of megabytes, or a stack without end. */
const BOMBS: ReadonlyMap<string, Buffer> = new Map([
  ['wide', emptyMaps(BOMB_VALUES)],
  ['nested', nestedLists(BOMB_VALUES)],
  ['announced', Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff])],
]);

/** A map with a bomb in it. */
function around(fields: Readonly<Record<string, Value>>, name: string, bomb: Buffer): Buffer {
  const entries = Object.entries(fields);
  const words = entries.flat().map((each) => encode(each, 'network'));
  return Buffer.concat([Buffer.from([0x80 | (entries.length + 1)]), ...words, encode(name, 'network'), bomb]);
}

/** Does something to a minion and holds what it cost the process against the limits. */
async function costsLittle(minion: Daemon, what: string, attack: () => Promise<void>): Promise<string> {
  const pid = minion.child.pid as number;
  const [memory, cpu] = [peakMiB([pid]), cpuMs(pid)];
  await attack();
  const grown = Math.round(peakMiB([pid]) - memory);
  const taken = cpuMs(pid) - cpu;
  assert.ok(grown < GROWTH_MIB, `${what}: ${grown} MiB more than ${Math.round(memory)} MiB`);
  assert.ok(taken < BOMB_CPU_MS, `${what}: ${taken} ms`);
  return `${what}: ${grown} MiB, ${taken} ms`;
}

test(
  'attacks - replies of 2 MB of maps and nested lists cost a minion little, and it goes on (issue 9, row 3)',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    await fleet.startMaster();
    const relay = await RequestRelay.open(t, fleet.retPort);
    const replies = [...BOMBS].flatMap(([name, bomb]): [string, Buffer][] => [
      [`a ${name} reply`, bomb],
      [`a ${name} field of an open reply`, around({ enc: 'pub', publish_port: 4505 }, 'pub_key', bomb)],
      [`a ${name} load of a sealed reply`, around({ enc: 'clear' }, 'load', bomb)],
    ]);
    relay.instead = (replies[0] as [string, Buffer])[1];
    const minion = fleet.startMinion('m1', [
      `master_port: ${relay.port}`,
      'auth_timeout: 2',
      'acceptance_wait_time: 1',
    ]);
    await until('the minion has asked', () => relay.answered > 0);
    for (const [what, reply] of replies) {
      relay.instead = reply;
      const { answered } = relay;
      t.diagnostic(
        await costsLittle(minion, what, () =>
          until(`${what} was read`, () => relay.answered >= answered + 2 || minion.child.exitCode !== null),
        ),
      );
    }
    relay.instead = undefined;
    await minion.logged('Minion is ready to receive requests');
    assert.deepEqual(await fleet.json(['m1', 'test.ping']), { m1: true });
  },
);

test(
  'attacks - publications of 2 MB of maps and nested lists cost a minion little, and it goes on (issue 9, row 3)',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    await fleet.startMaster();
    const relay = await PublishRelay.open(t, fleet.publishPort);
    const minion = await fleet.joinMinion('m1', [`publish_port: ${relay.port}`]);
    const rogue = new Attacker(t, 'rogue', fleet.retPort);
    await rogue.authenticate();
    const { shared } = rogue.credentials as NonNullable<typeof rogue.credentials>;
    const masterKey = RsaPrivateKey.parse(readFileSync(fleet.path('m', 'pki', 'master.pem'), 'utf8'));
    const drops = (): number => minion.log.split('was dropped').length - 1;
    let serial = systemClock.nowMs() * 1000 + 1_000_000_000;
    const job = (): Readonly<Record<string, Value>> => ({
      fun: 'test.ping',
      tgt: '*',
      tgt_type: 'glob',
      ret: '',
      jid: '20261122000000000001',
      serial: ++serial,
    });
    const sealed = (packed: Buffer): Buffer =>
      shared.encrypt(Buffer.concat([Buffer.from('pickle::'), packed]));
    const signed = (load: Buffer): Buffer =>
      encode(dict({ enc: 'aes', load, sig_algo: SIG_ALGO, sig: masterKey.sign(load, SIG_ALGO) }), 'network');
    for (const [name, bomb] of BOMBS) {
      const attacks: [string, Buffer][] = [
        [`a ${name} publication`, bomb],
        [`a ${name} field around a publication`, around({ enc: 'aes' }, 'load', bomb)],
        [
          `a ${name} argument, sealed by another minion`,
          encode(dict({ enc: 'aes', load: sealed(around(job(), 'arg', bomb)) }), 'network'),
        ],
        [`a ${name} argument, signed by the master`, signed(sealed(around(job(), 'arg', bomb)))],
      ];
      for (const [what, bytes] of attacks) {
        const before = drops();
        t.diagnostic(
          await costsLittle(minion, what, async () => {
            relay.send(bytes);
            await until(`${what} was dropped`, () => drops() > before || minion.child.exitCode !== null);
          }),
        );
      }
      assert.deepEqual(await fleet.json(['m1', 'test.ping']), { m1: true }, name);
    }
  },
);
