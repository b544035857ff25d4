import { createHash } from 'node:crypto';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AcceptedKeys } from '../../../src/network/channel/accepted-keys.ts';
import { Door, type AesRequest } from '../../../src/network/channel/door.ts';
import { SessionKeys } from '../../../src/network/channel/session-keys.ts';
import { Crypticle, generateKeyString } from '../../../src/network/crypto/crypticle.ts';
import { RsaPrivateKey } from '../../../src/network/crypto/rsa.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { generatePair } from '../../../src/storage/keys/generate.ts';
import { KeyStore } from '../../../src/storage/keys/store.ts';
import { simulatedAnswer } from '../../../src/programs/swarm/answers.ts';
import { preseedKeys, swarmKeys } from '../../../src/programs/swarm/key-pairs.ts';
import { checkOpenFiles, Swarm } from '../../../src/programs/swarm/swarm.ts';
import { Publisher } from '../../../src/network/transport/zmtp/publisher.ts';
import { Router } from '../../../src/network/transport/zmtp/router.ts';
import { dict, type Dict } from '../../../src/python/values/value.ts';
import { encode } from '../../../src/formats/wire/msgpack.ts';
import { guardedDoor } from '../../support/guarded-door.ts';

const COUNT = 5;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The parts of a master that a swarm meets, in one process. */
async function startMaster(folder: string) {
  const masterKey = RsaPrivateKey.parse((await generatePair(2048)).privateKey);
  const keys = new KeyStore(folder);
  keys.ensureFolders();
  const sessions = new SessionKeys(join(folder, 'sessions'), 86_400_000, systemClock);
  const shared = new Crypticle(generateKeyString());
  const publisher = new Publisher({
    address: { host: '127.0.0.1', port: 0 },
    backlog: 100,
    peerQueueBytesMax: 1024 * 1024,
    clock: systemClock,
  });
  const published = (await publisher.start()) as { port: number };
  const returns: AesRequest[] = [];
  let wake: () => void = () => undefined;
  const accepted = new AcceptedKeys(join(folder, 'minions'), systemClock);
  const door = new Door({
    clear: new Map(),
    aes: new Map([
      [
        '_return',
        (request: AesRequest) => {
          returns.push(request);
          wake();
          return { value: null };
        },
      ],
    ]),
    authenticate: (load: Dict) =>
      acceptance({ load, masterKey, accepted, sessions, shared, port: published.port }),
    sessions,
    keys: accepted,
    knowsUser: () => false,
    sharedKeys: () => [shared],
    minimumVersion: 3,
    ttlSeconds: 0,
    clock: systemClock,
    log: silentLogger,
  });
  const guarded = guardedDoor(door);
  const router = new Router(
    {
      address: { host: '127.0.0.1', port: 0 },
      backlog: 100,
      messageBytesMax: 1024 * 1024,
      bufferedBytesMax: 1024 * 1024,
      clock: systemClock,
    },
    (request) => void guarded(Buffer.from(request.body), request.from).then(request.reply),
    () => undefined,
  );
  const { port } = (await router.start()) as { port: number };
  return {
    port,
    returns,
    publish(load: Dict) {
      const sealed = shared.dumps(load);
      const sig = masterKey.sign(sealed, 'PKCS1v15-SHA1');
      publisher.publish([encode({ enc: 'aes', load: sealed, sig_algo: 'PKCS1v15-SHA1', sig }, 'network')]);
    },
    async returned(count: number) {
      while (returns.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    subscribed: async (count: number) => {
      while (publisher.subscribers < count) await new Promise((resolve) => setImmediate(resolve));
    },
    close() {
      router.close();
      publisher.close();
    },
  };
}

/** The acceptance of `_auth`; the whole of it has tests of its own. */
function acceptance(parts: {
  load: Dict;
  masterKey: RsaPrivateKey;
  accepted: AcceptedKeys;
  sessions: SessionKeys;
  shared: Crypticle;
  port: number;
}) {
  const { load, masterKey, accepted, sessions, shared, port } = parts;
  const id = String(load.get('id'));
  const nonce = load.get('nonce') as string;
  const signed = (reply: Parameters<typeof encode>[0]) => {
    const bytes = encode(reply, 'network');
    return { enc: 'clear', load: bytes, sig: masterKey.sign(bytes, 'PKCS1v15-SHA1') };
  };
  const key = accepted.get(id);
  if (key === undefined) return signed({ ret: true, nonce });
  const wrap = (text: string): Buffer => key.encrypt(Buffer.from(text), 'OAEP-SHA1');
  return signed({
    enc: 'pub',
    pub_key: masterKey.publicKey.pem,
    publish_port: port,
    aes: wrap(shared.keyString.reveal()),
    session: wrap(sessions.ensure(id).keyString.reveal()),
    sig: masterKey.signX931(Buffer.from(sha256(shared.keyString.reveal()))),
    nonce,
  });
}

test('swarm - joins, answers what is for it once, and opens each publication once for all', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-swarm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const master = await startMaster(folder);
  t.after(() => master.close());
  const keys = await swarmKeys(2);
  preseedKeys(folder, 'sim-', COUNT, keys);
  const errors: string[] = [];
  const swarm = new Swarm({
    master: { host: '127.0.0.1', port: master.port },
    count: COUNT,
    prefix: 'sim-',
    keys,
    answer: simulatedAnswer(100),
    onError: (id, error) => errors.push(`${id}: ${String(error)}`),
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => swarm.close());
  await swarm.join();
  await master.subscribed(COUNT);
  const job = { fun: 'test.ping', arg: [], jid: '20261121000000000001', ret: '', tgt_type: 'glob' };
  master.publish(dict({ ...job, tgt: 'sim-*', serial: 1 }));
  await master.returned(COUNT);
  // the same serial again is a replay, whatever else it says
  master.publish(dict({ ...job, tgt: 'sim-*', jid: '20261121000000000002', serial: 1 }));
  master.publish(
    dict({
      ...job,
      fun: 'cmd.run',
      tgt: ['sim-0003'],
      tgt_type: 'list',
      jid: '20261121000000000003',
      serial: 2,
    }),
  );
  await master.returned(COUNT + 1);
  const seen = master.returns.map(
    ({ id, load }) => `${id} ${String(load.get('jid'))} ${String(load.get('return'))}`,
  );
  assert.deepEqual(
    seen.slice(0, COUNT).sort(),
    Array.from({ length: COUNT }, (_, n) => `sim-000${n} 20261121000000000001 true`),
  );
  assert.match(seen[COUNT] ?? '', /^sim-0003 20261121000000000003 sim-0003 answers cmd\.run \.+$/);
  assert.equal(swarm.counters.authentications, COUNT);
  assert.deepEqual(errors, []);
  assert.equal(swarm.publications.counters.opened, 3);
});

test('swarm - a minion whose key waits for a decision says what to do', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-swarm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const master = await startMaster(folder);
  t.after(() => master.close());
  const swarm = new Swarm({
    master: { host: '127.0.0.1', port: master.port },
    count: 1,
    prefix: 'new-',
    keys: await swarmKeys(1),
    answer: simulatedAnswer(100),
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => swarm.close());
  await assert.rejects(swarm.join(), /The key of new-0000 waits to be accepted; set auto_accept/);
});

test('swarm - more minions than a process may have connections are refused at the start', () => {
  checkOpenFiles(2000, 20_000);
  assert.throws(
    () => checkOpenFiles(2000, 1024),
    /2000 simulated minions need 4100 open files.*ulimit -n 4100/s,
  );
});

test('swarm - jobs of several functions are answered function by function', () => {
  const answer = simulatedAnswer(10);
  const job = {
    jid: '1',
    funs: ['test.ping', 'test.echo'],
    isMultiple: true,
    args: [[], ['hello']],
    tgt: '*',
    tgtType: 'glob',
    delimiter: undefined,
    executors: undefined,
    pub: new Map(),
  };
  assert.deepEqual(
    answer(job, 'a').return,
    new Map<string, unknown>([
      ['test.ping', true],
      ['test.echo', 'hello'],
    ]),
  );
});
