/** Flaws of Salt's history that concern the wire and the master: one test each, named after the CVE. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MinionDataCache } from '../../../src/storage/cache/minion-data.ts';
import { RsaPrivateKey, RsaPublicKey } from '../../../src/network/crypto/rsa.ts';
import { createFile, isValidMinionId, safeJoin, writeFileAtomic } from '../../../src/host/files.ts';
import { Secret } from '../../../src/host/secret.ts';
import { isSafeJid } from '../../../src/storage/jobs/jid.ts';
import { generateKeyFiles } from '../../../src/storage/keys/generate.ts';
import { KeyStore } from '../../../src/storage/keys/store.ts';
import { isAllowed } from '../../support/access.ts';
import { dict, isDict, type Value } from '../../../src/python/values/value.ts';
import { encode } from '../../../src/formats/wire/msgpack.ts';
import { loadYaml } from '../../../src/formats/yaml/load.ts';
import { clearBytes, folder, keyPair, publicationReader, returnOf } from '../../support/attacker.ts';
import { testDoor } from '../network/channel/door-parts.ts';

const BAD = 'bad load';
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('CVE-2013-2228 - keys are made with e = 65537 and 2048 bits, and weaker ones are no keys', async (t) => {
  const directory = folder(t);
  const { privatePath } = await generateKeyFiles({ directory, name: 'm' });
  const { publicKey } = RsaPrivateKey.parse(readFileSync(privatePath, 'utf8'));
  const { createPublicKey } = await import('node:crypto');
  const details = createPublicKey(publicKey.pem).asymmetricKeyDetails;
  assert.equal(details?.publicExponent, 65537n);
  assert.ok((details?.modulusLength ?? 0) >= 2048);
  for (const modulusLength of [512, 1024, 2047]) {
    const pem = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({
      type: 'spki',
      format: 'pem',
    });
    assert.throws(() => RsaPublicKey.parse(String(pem)), { name: 'BadKeyError' });
  }
});

test('CVE-2013-4435 - one allowed function among several allows only itself', () => {
  const ask = (funs: string[]): boolean =>
    isAllowed(['test.*'], {
      funs,
      args: funs.map(() => []),
      minions: ['m'],
      minionsOf: () => new Set(['m']),
    });
  assert.ok(ask(['test.ping', 'test.echo']));
  assert.ok(!ask(['test.ping', 'cmd.run']));
  assert.ok(!ask(['cmd.run', 'test.ping']));
});

test('CVE-2013-4438, CVE-2025-62348 - YAML never makes objects', () => {
  for (const tag of [
    '!!python/object/apply:os.system',
    '!!python/name:os.system',
    '!!python/object:x.Y',
    '!!js/function',
  ])
    assert.throws(() => loadYaml(`x: ${tag} ["id"]`), tag);
});

test('CVE-2013-4439 - no request passes in the name of another minion', async (t) => {
  const { accept, request, send, passed } = testDoor(t);
  accept('a');
  accept('b');
  for (const cmd of ['_return', '_pillar', '_mine', '_minion_event', 'show']) {
    assert.equal(await send(request('a', { cmd }, { inner: { id: 'b' } })), BAD);
    assert.equal(await send(request('a', { cmd }, { outer: { id: 'b' } })), BAD);
  }
  assert.equal(passed.length, 0);
});

test('CVE-2014-3563 - files are made exclusively, with their mode from the start', (t) => {
  const directory = folder(t);
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, join(directory, 'link'));
  assert.throws(() => createFile(join(directory, 'link'), 'x', { mode: 0o600 }), { code: 'EEXIST' });
  assert.equal(readFileSync(victim, 'utf8'), 'untouched');
  writeFileAtomic(join(directory, 'link'), 'new', { mode: 0o600 });
  assert.equal(readFileSync(victim, 'utf8'), 'untouched', 'a link is replaced, not followed');
});

test('CVE-2015-8034 - what the master keeps of minions is for its user alone', (t) => {
  const directory = folder(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  new MinionDataCache(directory).write('m1', 'data', dict({ pillar: dict({ secret: 1 }) }));
  assert.equal(modeOf(join(directory, 'minions')), 0o700);
  assert.equal(modeOf(join(directory, 'minions', 'm1')), 0o700);
  for (const name of readdirSync(join(directory, 'minions', 'm1')))
    assert.equal(modeOf(join(directory, 'minions', 'm1', name)), 0o600);
});

test('CVE-2016-1866 - publications in the clear are dropped', (t) => {
  const { shared } = testDoor(t);
  const credentials = { shared, session: shared, publishPort: 1, masterKey: keyPair('master').key.publicKey };
  const load = { fun: 'cmd.run', arg: ['id'], tgt: '*', jid: '1' };
  assert.equal(
    publicationReader(false).read([encode({ enc: 'clear', load }, 'network')], credentials),
    'malformed',
  );
});

test('CVE-2016-9639 - a deleted key ends access though the session is still in memory', async (t) => {
  const { accept, request, send, keysFolder } = testDoor(t);
  accept('m1');
  assert.notEqual(await send(request('m1', { cmd: 'show' })), BAD);
  rmSync(join(keysFolder, 'm1'));
  assert.equal(await send(request('m1', { cmd: 'show' })), BAD);
});

test('CVE-2017-12791, CVE-2017-14695, CVE-2025-22241 - ids are names, never paths', (t) => {
  const keys = new KeyStore(folder(t));
  keys.ensureFolders();
  const ids = ['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b', '/etc/passwd', 'x'.repeat(4096), 'a\nb'];
  for (const id of ids) {
    assert.equal(isValidMinionId(id), false, JSON.stringify(id));
    assert.throws(() => keys.writePending(id, keyPair('m1').key.publicKey.pem));
    assert.equal(keys.readKey(id, 'accepted'), undefined);
    assert.equal(keys.remove(id, 'accepted'), false);
  }
});

test('CVE-2017-14696, CVE-2023-20897 - no message ends the worker, and each gets one reply', async (t) => {
  const { send } = testDoor(t);
  const odd: Value[] = [null, true, -1, 1.5, '', '\0', [], dict({}), Buffer.from([255]), 2n ** 64n - 1n];
  for (const id of odd) {
    for (const cmd of odd) {
      assert.notEqual(await send(clearBytes({ cmd, id })), undefined);
      assert.notEqual(await send(encode({ enc: 'aes', load: cmd, id, version: 3 }, 'network')), undefined);
    }
  }
  let deep: Value = 1;
  for (let i = 0; i < 500; i++) deep = [deep];
  assert.ok(isDict(await send(clearBytes({ cmd: 'ping', deep }))));
  const deeper = Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([1])]);
  // read shallowly: it is a list, whatever lies within
  assert.equal(await send(deeper), BAD);
});

test('CVE-2020-11651 - only what is in the tables can be called', async (t) => {
  const { accept, request, send } = testDoor(t);
  const session = accept('m1');
  const names = [
    '_prep_auth_info',
    '_send_pub',
    '_send_ssh_pub',
    '__init__',
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'clear',
    'aes',
    'get',
    'run_func',
    'show ',
    'SHOW',
  ];
  for (const cmd of names) {
    assert.deepEqual(await send(clearBytes({ cmd })), new Map(), cmd);
    const nonce = 'ab'.repeat(12) + String(names.indexOf(cmd)).padStart(8, '0');
    const reply = await send(request('m1', { cmd }, { inner: { nonce } }));
    assert.deepEqual(session.loads(Buffer.from(reply as Uint8Array), nonce), new Map(), cmd);
  }
});

test('CVE-2020-11652, CVE-2024-22231, CVE-2024-38824, CVE-2025-22238 - paths from outside stay in their folder', (t) => {
  const root = join(folder(t), 'root');
  mkdirSync(root);
  for (const part of ['..', '../x', 'a/../../x', '/etc/shadow', 'a\0', '', '..\\x', 'a/b/../../../x'])
    assert.throws(() => safeJoin(root, part), { name: 'UnsafePathError' }, part);
  assert.equal(safeJoin(root, 'a', 'b'), join(root, 'a', 'b'));
});

test('CVE-2020-17490 - private keys are never readable by others, not for an instant', async (t) => {
  const directory = folder(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const { privatePath, publicPath } = await generateKeyFiles({ directory, name: 'm' });
  assert.equal(modeOf(privatePath), 0o400);
  assert.equal(modeOf(publicPath), 0o644);
});

test('CVE-2021-25284 - secrets do not show, however they are printed', async () => {
  const secret = new Secret('canary-4711');
  const { inspect } = await import('node:util');
  for (const text of [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
  ])
    assert.doesNotMatch(text, /canary/);
});

test('CVE-2022-22936, CVE-2024-38823 - what was recorded works once, and not after its time', async (t) => {
  const { accept, request, send } = testDoor(t, { ttlSeconds: 60 });
  accept('m1');
  const recorded = request('m1', { cmd: 'show' });
  assert.notEqual(await send(recorded), BAD);
  assert.equal(await send(recorded), BAD);
  const late = request('m1', { cmd: 'show' }, { inner: { ts: Math.floor(Date.now() / 1000) - 61 } });
  assert.equal(await send(late), BAD);
});

test('CVE-2022-22941 - a prediction without minions authorises nobody', () => {
  const perms = [dict({ 'web*': ['test.ping'] })];
  const ask = (minions: string[]): boolean =>
    isAllowed(perms, { funs: ['test.ping'], args: [[]], minions, minionsOf: () => new Set(['web1']) });
  assert.ok(ask(['web1']));
  assert.ok(!ask(['web1', 'db1']));
  assert.ok(!ask([]));
});

test('CVE-2024-38822 - every encrypted command checks the token', async (t) => {
  const { accept, request, send, door } = testDoor(t);
  accept('m1');
  for (const cmd of ['show', 'fails', 'raw', 'unknown', '_return', 'pub_ret']) {
    for (const tok of [undefined, '', Buffer.alloc(256), keyPair('m2').key.signX931(Buffer.from('salt'))])
      assert.equal(await send(request('m1', { cmd }, { inner: { tok } })), BAD);
  }
  assert.equal(door.counters.get('bad token'), 24);
});

test('CVE-2025-22242 - jids are names, never paths', () => {
  for (const jid of ['', '..', '../x', 'a/b', '/dev/stdin', 'a\0', 'a\n', 'x'.repeat(65), 7, null, undefined])
    assert.equal(isSafeJid(jid), false, String(jid));
  for (const jid of ['20261121000000000001', '20261121000000000001_123', 'req', 'nocache'])
    assert.ok(isSafeJid(jid));
});

test('CVE-2025-62349 - stating an older version skips no check', async (t) => {
  const { accept, send, shared, passed, keysFolder } = testDoor(t);
  accept('m1');
  const tok = keyPair('m1').key.signX931(Buffer.from('salt'));
  for (const version of [undefined, 0, 1, 2, -1, 2.9, '3', null] as Value[]) {
    const load = shared.dumps({ ...returnOf('1'), id: 'm1', tok });
    assert.equal(await send(encode({ enc: 'aes', load, version, id: 'm1' }, 'network')), BAD);
    assert.equal(
      await send(encode({ enc: 'clear', load: { cmd: '_auth', id: 'm1' }, version }, 'network')),
      BAD,
    );
  }
  assert.equal(passed.length, 0);
  assert.ok(existsSync(keysFolder));
});
