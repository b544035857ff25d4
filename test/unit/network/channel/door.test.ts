import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Crypticle, generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, isDict, PyFloat, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';
import { clearBytes, keyPair } from '../../../support/attacker.ts';
import { testDoor } from './door-parts.ts';

const BAD = 'bad load';

test('door - what is no msgpack or no envelope gets one refusal', async (t) => {
  const { door, send, passed } = testDoor(t);
  for (const garbage of [
    Buffer.alloc(0),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from([0xc1]),
    Buffer.from('dfffffffff', 'hex'),
  ]) {
    assert.deepEqual(await send(garbage), dict({ msg: BAD }), garbage.toString('hex'));
  }
  const shapes: Value[] = [
    1,
    'x',
    [],
    null,
    dict({}),
    dict({ enc: 'aes' }),
    dict({ enc: 'aes', load: 1, version: 3 }),
  ];
  shapes.push(
    dict({ enc: 'clear', load: 'x', version: 3 }),
    dict({ load: dict({ cmd: 'ping' }), version: 3 }),
  );
  for (const shape of shapes) assert.equal(await send(encode(shape, 'network')), BAD, JSON.stringify(shape));
  assert.equal(door.counters.get('malformed'), 4 + shapes.length);
  assert.equal(passed.length, 0);
});

test('door - enc is compared strictly', async (t) => {
  const { send } = testDoor(t);
  for (const enc of ['Clear', 'clear ', 'pub', '', 'aes\0', 'none']) {
    assert.equal(await send(encode({ enc, load: { cmd: 'ping' }, version: 3 }, 'network')), BAD, enc);
  }
  assert.ok(isDict(await send(clearBytes({ cmd: 'ping' }))));
});

test('door - versions below minimum_auth_version are refused, in the clear too', async (t) => {
  const strict = testDoor(t);
  for (const version of [undefined, 0, 1, 2]) {
    assert.equal(await strict.send(encode({ enc: 'clear', load: { cmd: 'ping' }, version }, 'network')), BAD);
  }
  for (const version of ['3', 3.5, -1, null, dict({}), '99'] as Value[]) {
    assert.equal(await strict.send(encode({ enc: 'clear', load: { cmd: 'ping' }, version }, 'network')), BAD);
  }
  assert.equal(strict.door.counters.get('version'), 10);
  const lenient = testDoor(t, { minimumVersion: 0 });
  assert.ok(isDict(await lenient.send(encode({ enc: 'clear', load: { cmd: 'ping' } }, 'network'))));
});

test('door - a minion that speaks an old version is named, each of many (salt issue 68671)', async (t) => {
  const { send, request, accept, lines } = testDoor(t, { minimumVersion: 4 });
  const old = (id: Value): Buffer =>
    encode({ enc: 'clear', load: { cmd: '_auth', id, pub: 'x' }, version: 2 }, 'network');
  for (let i = 0; i < 30; i++) assert.equal(await send(old(`old${i}`)), BAD);
  assert.equal(await send(old('old7')), BAD);
  assert.equal(lines.length, 30);
  assert.match(
    lines[7] ?? '',
    /A request of the minion old7 from .* was refused: it speaks version 2 of the protocol, and minimum_auth_version is 4\. Upgrade that minion/,
  );
  accept('sealed');
  assert.equal(await send(request('sealed', { cmd: 'ping' })), BAD);
  assert.match(lines[30] ?? '', /the minion sealed from .* speaks version 3/);
  for (const id of ['../x', 'a\nb', 7, null, { a: 1 }] as unknown as Value[])
    assert.equal(await send(old(id)), BAD);
  assert.match(lines[31] ?? '', /a minion that does not say its id from/);
  assert.equal(lines.length, 32);
});

test('door - in the clear only the table can be called', async (t) => {
  const { send, door } = testDoor(t);
  const inner = [
    '_prep_auth_info',
    '_send_pub',
    '__proto__',
    'constructor',
    'toString',
    '_return',
    'show',
    'Ping',
    '',
  ];
  for (const cmd of inner) assert.deepEqual(await send(clearBytes({ cmd })), new Map(), cmd);
  for (const cmd of [1, true, ['ping'], { cmd: 'ping' }, Buffer.from([0xff])])
    assert.deepEqual(await send(clearBytes({ cmd })), new Map());
  assert.equal(await send(clearBytes({ tgt: '*' })), 'Some exception handling minion payload');
  assert.equal(await send(clearBytes({ cmd: '_auth' })), 'authenticated');
  assert.equal(door.counters.get('unknown command'), 14);
});

test('door - a request of an accepted minion passes, and its reply carries its nonce', async (t) => {
  const { accept, request, send, passed } = testDoor(t);
  const session = accept('m1');
  const nonce = 'ab'.repeat(16);
  const reply = await send(request('m1', { cmd: 'show', word: 'x' }, { inner: { nonce } }));
  const opened = session.loads(Buffer.from(reply as Uint8Array), nonce);
  const fine = (opened as Dict).get('fine') as Dict;
  assert.deepEqual([...fine.keys()], ['cmd', 'word', 'ts', 'id']);
  assert.equal(passed[0]?.id, 'm1');
  assert.throws(() => session.loads(Buffer.from(reply as Uint8Array), 'cd'.repeat(16)), {
    name: 'NonceError',
  });
});

test('door - an id that is no id is refused before anything is looked up', async (t) => {
  const { accept, request, send, door } = testDoor(t);
  accept('m1');
  const ids: Value[] = [
    '',
    '.',
    '..',
    '../m1',
    'a/b',
    'a\\b',
    'm1\0',
    'm1\n',
    'x'.repeat(256),
    'ü'.repeat(200),
    7,
    null,
  ];
  for (const id of ids)
    assert.equal(await send(request('m1', { cmd: 'show' }, { outer: { id } })), BAD, String(id));
  assert.equal(await send(request('m1', { cmd: 'show' }, { outer: { id: undefined } })), BAD);
  assert.equal(door.counters.get('invalid id'), ids.length + 1);
});

test('door - unknown minions leave nothing behind', async (t) => {
  const { request, send, door, keysFolder } = testDoor(t);
  assert.equal(await send(request('ghost', { cmd: 'show' })), BAD);
  assert.equal(door.counters.get('no session'), 1);
  assert.deepEqual(readdirSync(join(keysFolder, '..', 'sessions')), []);
});

test('door - a load sealed with another key, cut short or changed is refused', async (t) => {
  const { accept, request, send, door, shared } = testDoor(t);
  const session = accept('m1');
  accept('m2');
  const other = new Crypticle(generateKeyString());
  assert.equal(await send(request('m1', { cmd: 'show' }, { sealWith: other })), BAD);
  assert.equal(await send(request('m1', { cmd: 'show' }, { sealWith: shared })), BAD);
  assert.equal(await send(request('m2', { cmd: 'show' }, { sealWith: session })), BAD);
  const sealed = session.dumps({ cmd: 'show' });
  for (const length of [0, 1, 31, 32, 48, 63, sealed.length - 16, sealed.length - 1]) {
    assert.equal(await send(request('m1', {}, { outer: { load: sealed.subarray(0, length) } })), BAD);
  }
  const changed = Buffer.from(sealed);
  changed[20] = (changed[20] as number) ^ 1;
  assert.equal(await send(request('m1', {}, { outer: { load: changed } })), BAD);
  assert.equal(door.counters.get('undecryptable'), 12);
});

test('door - a genuine load that is no map, or lacks what version 3 demands', async (t) => {
  const { accept, request, send, shared } = testDoor(t);
  const session = accept('m1');
  const seal = (value: Value): { dumps: () => Buffer } => ({ dumps: () => session.dumps(value) });
  for (const value of ['text', 1, [], null])
    assert.equal(await send(request('m1', {}, { sealWith: seal(value) })), 'payload and load must be a dict');
  const raw = { dumps: () => session.encrypt(Buffer.from('no prefix')) };
  assert.equal(await send(request('m1', {}, { sealWith: raw })), 'payload and load must be a dict');
  for (const inner of [
    { nonce: undefined },
    { nonce: 'short' },
    { nonce: 7 },
    ...['now', undefined, true, [], new Map<Value, Value>(), Buffer.from([255])].map((ts) => ({ ts })),
    ...[NaN, Infinity, -Infinity, 0.5, -1, 2 ** 32, 2n ** 63n, -(2n ** 62n)].map((ts) => ({ ts })),
    { ts: new PyFloat(systemClock.nowMs()) },
  ]) {
    assert.equal(await send(request('m1', { cmd: 'show' }, { inner })), BAD, inspect(inner));
  }
  assert.equal(await send(request('m1', {}, {})), 'Some exception handling minion payload');
  void shared;
});

test('door - the id inside must be the id outside, whoever sealed it', async (t) => {
  const { accept, request, send, door, passed } = testDoor(t);
  accept('m1');
  accept('m2');
  assert.equal(await send(request('m1', { cmd: 'show' }, { inner: { id: 'm2' } })), BAD);
  assert.equal(door.counters.get('id mismatch'), 1);
  assert.equal(await send(request('m1', { cmd: 'show' }, { inner: { id: undefined } })), BAD);
  assert.equal(await send(request('m1', { cmd: 'show' }, { inner: { id: ['m1'] } })), BAD);
  assert.equal(passed.length, 0);
});

test('door - every command needs the token of the key that is accepted now', async (t) => {
  const { accept, request, send, door, keysFolder, passed } = testDoor(t);
  accept('m1');
  accept('m2');
  const stolen = keyPair('m2').key.signX931(Buffer.from('salt'));
  const tokens = [undefined, '', 'salt', Buffer.alloc(256), systemRandom.bytes(256), stolen, 1];
  for (const tok of tokens) {
    for (const cmd of ['show', 'fails', 'raw', 'unknown'])
      assert.equal(await send(request('m1', { cmd }, { inner: { tok } })), BAD);
  }
  assert.equal(door.counters.get('bad token'), tokens.length * 4);
  assert.equal(passed.length, 0);
  assert.ok((await send(request('m1', { cmd: 'show' }))) !== BAD);
  rmSync(join(keysFolder, 'm1'));
  assert.equal(await send(request('m1', { cmd: 'show' })), BAD, 'a deleted key ends access at once');
});

test('door - request_server_ttl refuses what is too old and tolerates a clock that runs ahead', async (t) => {
  const { accept, request, send, door } = testDoor(t, { ttlSeconds: 300 });
  accept('m1');
  const now = Math.floor(Date.now() / 1000);
  assert.equal(await send(request('m1', { cmd: 'show' }, { inner: { ts: now - 400 } })), BAD);
  assert.equal(door.counters.get('too old'), 1);
  for (const ts of [now - 200, now, now + 200])
    assert.notEqual(await send(request('m1', { cmd: 'show' }, { inner: { ts } })), BAD);
});

test('door - the same bytes are served once', async (t) => {
  const { accept, request, send, gate, passed } = testDoor(t);
  accept('m1');
  const bytes = request('m1', { cmd: 'show' });
  assert.notEqual(await send(bytes), BAD);
  for (let i = 0; i < 3; i++) assert.equal(await send(bytes), BAD);
  assert.equal(gate.counters.replays, 3);
  assert.equal(passed.length, 1);
});

test('door - a minion whose clock was set back is let in again after it has authenticated', async (t) => {
  let laterMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
  const { accept, request, send, sessions } = testDoor(t, { gateClock: clock });
  const before = accept('m1');
  const now = Math.floor(Date.now() / 1000);
  const recorded = request('m1', { cmd: 'show' }, { inner: { ts: now - 90_000 } });
  assert.notEqual(await send(request('m1', { cmd: 'show' })), BAD);
  for (let round = 0; round < 2; round++) {
    laterMs += 120_000;
    const ts = now + 120 * (round + 1);
    assert.notEqual(await send(request('m1', { cmd: 'show' }, { inner: { ts } })), BAD);
  }
  assert.equal(await send(request('m1', { cmd: 'show' }, { inner: { ts: now - 90_000 } })), BAD);
  assert.equal(sessions.get('m1'), undefined, 'its session has ended');
  const after = sessions.ensure('m1');
  assert.notEqual(after.keyString.reveal(), before.keyString.reveal());
  assert.notEqual(await send(request('m1', { cmd: 'show' }, { inner: { ts: now - 90_000 } })), BAD);
  assert.equal(await send(recorded), BAD, 'what was recorded before does not open any more');
});

test('door - an envelope that two readers could read differently is refused', async (t) => {
  const { accept, request, send, door, passed } = testDoor(t);
  accept('m1');
  const plain = request('m1', { cmd: 'show' });
  const fields = plain.subarray(1);
  const more = (field: Buffer): Buffer => Buffer.concat([Buffer.from([0x87]), field, fields]);
  const idTwice = more(Buffer.from('a26964a26d32', 'hex'));
  const loadTwice = more(
    Buffer.concat([Buffer.from('a46c6f6164d90a'.replace('d9', 'c4'), 'hex'), Buffer.alloc(10)]),
  );
  const encTwice = more(Buffer.from('a3656e63a5636c656172', 'hex'));
  for (const bytes of [idTwice, loadTwice, encTwice]) assert.equal(await send(bytes), BAD);
  assert.equal(door.counters.get('malformed'), 3);
  assert.equal(passed.length, 0);
});

test('door - the same load is served once, however its envelope is written', async (t) => {
  const { accept, request, send, passed } = testDoor(t);
  accept('m1');
  const plain = request('m1', { cmd: 'show' });
  const rewritten = (from: string, to: string): Buffer => {
    const changed = Buffer.from(plain.toString('latin1').replace(from, to), 'latin1');
    assert.notDeepEqual(changed, plain);
    return changed;
  };
  const map16 = Buffer.concat([Buffer.from([0xde, 0, 6]), plain.subarray(1)]);
  const longKey = rewritten('\xa2id\xa2m1', '\xd9\x02id\xa2m1');
  const longText = rewritten('\xa2id\xa2m1', '\xa2id\xd9\x02m1');
  const field = Buffer.concat([Buffer.from([0x87]), plain.subarray(1), Buffer.from('a178a179', 'hex')]);
  assert.notEqual(await send(map16), BAD, 'a map may be written long');
  for (const bytes of [map16, longKey, longText, field, plain]) assert.equal(await send(bytes), BAD);
  assert.equal(passed.length, 1);
});

test('door - no version that has no session gets around what was served', async (t) => {
  const { accept, request, send, shared, passed } = testDoor(t, { minimumVersion: 0 });
  accept('m1');
  const bytes = request('m1', { cmd: 'show' }, { sealWith: shared, outer: { version: 2, id: undefined } });
  assert.notEqual(await send(bytes), BAD);
  assert.equal(await send(bytes), BAD);
  assert.equal(passed.length, 1);
});

test('door - what a stranger sends in the clear is bounded in values and bytes before anything is made of it', async (t) => {
  const { send, door, accept, request, passed } = testDoor(t);
  accept('m1');
  const bomb = (count: number): Buffer => emptyMaps(count);
  assert.equal(
    (await door.handle(clearWith(bomb(10_000)), 'a stranger')).reply.equals(encode(BAD, 'network')),
    true,
  );
  assert.equal(door.counters.get('over budget'), 1);
  assert.equal(await send(clearWith(bomb(10_000))), BAD);
  const before = process.memoryUsage().heapUsed;
  assert.equal(await send(clearWith(bomb(8_000_000))), BAD, 'turned away before any worker');
  assert.ok(process.memoryUsage().heapUsed - before < 20 * 1024 * 1024);
  assert.equal(door.counters.get('over budget'), 1);
  const enough = await send(clearWith(bomb(1000)));
  assert.ok(isDict(enough) && enough.get('cmd') === 'ping');
  const unknown = Array.from({ length: 4000 }, () => new Map());
  assert.equal(await send(request('m1', {}, { outer: { load: unknown } })), BAD);
  assert.equal(passed.length, 0);
});

test('door - who has shown a key may send more than a stranger', async (t) => {
  const { send } = testDoor(t, { knowsUser: true });
  const reply = await send(clearWith(emptyMaps(200_000)));
  assert.ok(isDict(reply) && reply.get('cmd') === 'ping');
  assert.equal(await send(clearWith(emptyMaps(8_000_000))), BAD, 'but not everything');
});

test('door - a minion that was taken over does not fill a worker, and what a real one returns passes', async (t) => {
  const { accept, request, send, door, passed } = testDoor(t);
  const session = accept('m1');
  const bomb = {
    dumps: () => session.encrypt(Buffer.concat([Buffer.from('pickle::'), emptyMaps(2_000_000)])),
  };
  assert.equal(await send(request('m1', {}, { sealWith: bomb })), BAD);
  const inLoad = Array.from({ length: 600_000 }, () => new Map<Value, Value>());
  assert.equal(await send(request('m1', { cmd: 'show', return: inLoad })), BAD);
  assert.equal(door.counters.get('over budget'), 2);
  const state = (n: number): Dict =>
    dict({
      name: `/etc/app/conf.d/${n}.conf`,
      changes: dict({ diff: '--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n', mode: '0644' }),
      result: true,
      comment: `File /etc/app/conf.d/${n}.conf updated`,
      __sls__: 'app',
      __run_num__: n,
      start_time: '12:00:00.000000',
      duration: 12.345,
      __id__: `conf_${n}`,
    });
  const highstate: Dict = new Map();
  for (let n = 0; n < 5000; n++)
    highstate.set(`file_|-conf_${n}_|-/etc/app/conf.d/${n}.conf_|-managed`, state(n));
  assert.notEqual(await send(request('m1', { cmd: 'show', return: highstate })), BAD);
  const grains: Dict = new Map();
  for (let n = 0; n < 300_000; n++)
    grains.set(`key_${n}`, ['some text that a grain may hold', n, dict({ a: n })]);
  assert.notEqual(await send(request('m1', { cmd: 'show', grains })), BAD, 'tens of megabytes');
  assert.equal(passed.length, 2);
});

test('door - a handler that fails answers with an encrypted empty text and says nothing more', async (t) => {
  const { accept, request, send } = testDoor(t);
  const session = accept('m1');
  const nonce = 'ab'.repeat(16);
  const reply = await send(request('m1', { cmd: 'fails' }, { inner: { nonce } }));
  assert.equal(session.loads(Buffer.from(reply as Uint8Array), nonce), '');
  assert.equal(await send(clearBytes({ cmd: 'fails' })), 'Some exception handling minion payload');
  const unknown = await send(request('m1', { cmd: '__proto__' }, { inner: { nonce: 'cd'.repeat(16) } }));
  assert.deepEqual(session.loads(Buffer.from(unknown as Uint8Array), 'cd'.repeat(16)), new Map());
  assert.deepEqual(await send(request('m1', { cmd: 'raw' })), dict({ own: 'wrapping' }));
});

test('door - a new session made by another worker is noticed', async (t) => {
  const here = testDoor(t);
  here.accept('m1');
  assert.notEqual(await here.send(here.request('m1', { cmd: 'show' })), BAD);
  const fresh = new Crypticle(generateKeyString());
  const { writeFileAtomic } = await import('../../../../src/host/files.ts');
  writeFileAtomic(join(here.keysFolder, '..', 'sessions', 'm1'), fresh.keyString.reveal(), { mode: 0o600 });
  assert.notEqual(await here.send(here.request('m1', { cmd: 'show' }, { sealWith: fresh })), BAD);
});

test('door - older versions, where allowed, use the shared key and still need the token (CVE-2025-62349)', async (t) => {
  const old = new Crypticle(generateKeyString());
  const { accept, send, shared, passed } = testDoor(t, { minimumVersion: 0, oldShared: old });
  accept('m1');
  const tok = keyPair('m1').key.signX931(Buffer.from('salt'));
  const v0 = (load: Record<string, Value | undefined>, key = shared, version?: number): Buffer =>
    encode({ enc: 'aes', load: key.dumps(load), version }, 'network');
  const open = await send(v0({ cmd: 'show', id: 'm1', tok }));
  assert.ok(isDict(shared.loads(Buffer.from(open as Uint8Array))));
  const second = await send(v0({ cmd: 'show', id: 'm1', tok, nonce: 'ab'.repeat(16) }, old, 2));
  assert.ok(isDict(old.loads(Buffer.from(second as Uint8Array), 'ab'.repeat(16))));
  assert.equal(await send(v0({ cmd: 'show', id: 'm1' })), BAD, 'no token');
  assert.equal(await send(v0({ cmd: 'show', id: 'm2', tok })), BAD, 'another minion with our token');
  assert.equal(passed.length, 2);
});

test('door - refusals are counted, and a flood of them does not fill the log', async (t) => {
  const { door, lines } = testDoor(t);
  for (let i = 0; i < 2500; i++) await door.handle(Buffer.from([0xc1]), '127.0.0.1:9');
  assert.equal(door.counters.get('malformed'), 2500);
  assert.equal(lines.length, 12);
  assert.match(lines[11] as string, /refused: malformed \(2000 so far\)/);
});

test('door - failures of handlers do not fill the log either', async (t) => {
  const { door, lines } = testDoor(t);
  for (let i = 0; i < 500; i++) await door.handle(clearBytes({ cmd: 'fails' }), '127.0.0.1:9');
  assert.equal(door.counters.get('handler failed'), 500);
  assert.ok(lines.length <= 20, `${lines.length} lines`);
});

test('door - ten thousand mutations of a genuine request: one reply each, nothing passes twice', async (t) => {
  const { accept, request, send, passed } = testDoor(t);
  accept('m1');
  const genuine = request('m1', { cmd: 'show' });
  await send(genuine);
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % below;
  };
  for (let i = 0; i < 10_000; i++) {
    const bytes = Buffer.from(genuine);
    for (let n = 1 + next(3); n > 0; n--) bytes[next(bytes.length)] = next(256);
    const cut = next(4) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes;
    assert.notEqual(await send(cut), undefined);
  }
  assert.equal(passed.length, 1);
  assert.notEqual(decode(encode(BAD, 'network'), 'network'), undefined);
});

/** One list of so many maps without anything in them, a byte each. */
function emptyMaps(count: number): Buffer {
  const head = Buffer.from([0xdd, 0, 0, 0, 0]);
  head.writeUInt32BE(count, 1);
  return Buffer.concat([head, Buffer.alloc(count, 0x80)]);
}

/** A ping in the clear that carries msgpack. */
function clearWith(packed: Buffer): Buffer {
  const load = [encode('cmd', 'network'), encode('ping', 'network'), encode('x', 'network'), packed];
  const around = ['enc', 'clear', 'version', 3, 'load'].map((word) => encode(word, 'network'));
  return Buffer.concat([Buffer.from([0x83]), ...around, Buffer.from([0x82]), ...load]);
}
