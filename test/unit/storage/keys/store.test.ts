import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BadKeyError } from '../../../../src/network/crypto/rsa.ts';
import { UnsafePathError } from '../../../../src/errors/errors.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { KEY_STATES, KeyStore, KeyStoreFullError, isStorableId } from '../../../../src/storage/keys/store.ts';

const root = mkdtempSync(join(tmpdir(), 'brine-keys-'));
after(() => rmSync(root, { recursive: true, force: true }));

function newKey(bits = 2048, publicExponent = 65537): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits, publicExponent });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

const KEY = newKey();
const OTHER_KEY = newKey();

let folders = 0;
function newStore(options: { undecidedMax?: number; clock?: Clock } = {}): KeyStore {
  const store = new KeyStore(join(root, `pki${++folders}`), options);
  store.ensureFolders();
  return store;
}

/** A clock that stands still, far enough ahead that every time stamp on the disk is settled. */
function lateClock(): Clock {
  const nowMs = Date.now() + 3_600_000;
  return { ...systemClock, nowMs: () => nowMs };
}

test('key store - folders and files have the modes of Salt', () => {
  const store = newStore();
  const mode = (...parts: string[]): number => statSync(join(store.pkiDir, ...parts)).mode & 0o777;
  assert.equal(mode(), 0o700);
  for (const folder of ['minions', 'minions_pre', 'minions_rejected', 'minions_denied', 'minions_autosign']) {
    assert.equal(mode(folder), 0o755, folder);
  }
  store.writePending('web1', KEY);
  assert.equal(mode('minions_pre', 'web1'), 0o644);
  assert.equal(readFileSync(join(store.pkiDir, 'minions_pre/web1'), 'utf8'), KEY.trim());
});

test('key store - a key goes through its states', () => {
  const store = newStore();
  assert.equal(store.state('web1'), undefined);
  store.writePending('web1', KEY.replaceAll('\n', '\r\n'));
  assert.equal(store.state('web1'), 'pending');
  assert.equal(store.readKey('web1', 'pending'), KEY.trim());
  assert.equal(store.move('web1', 'pending', 'accepted'), true);
  assert.equal(store.move('web1', 'pending', 'accepted'), false);
  assert.equal(store.state('web1'), 'accepted');
  assert.equal(store.readKey('web1', 'pending'), undefined);
  store.writeDenied('web1', OTHER_KEY);
  assert.equal(store.state('web1'), 'accepted');
  store.writeRejected('web1', KEY);
  assert.equal(store.state('web1'), 'rejected');
  for (const state of KEY_STATES) store.remove('web1', state);
  assert.equal(store.state('web1'), undefined);
  assert.equal(store.remove('web1', 'accepted'), false);
});

test('key store - lists are sorted as Salt sorts them, and leave hidden and foreign files out', () => {
  const store = newStore();
  const folder = join(store.pkiDir, 'minions');
  for (const id of ['web2', 'Web1', 'db', 'Zeta', 'alpha']) store.writeAccepted(id, KEY);
  writeFileSync(join(folder, '.key_cache'), 'x');
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'two\nlines'), KEY);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  assert.deepEqual(store.list('accepted'), ['alpha', 'db', 'Web1', 'web2', 'Zeta']);
  assert.equal(store.state('pipe'), undefined);
  assert.equal(store.readKey('pipe', 'accepted'), undefined);
  assert.equal(store.readKey('folder', 'accepted'), undefined);
  assert.deepEqual(store.list('denied'), []);
});

test('key store - a change of any process shows in the stamp and in the lists', () => {
  const store = newStore({ clock: lateClock() });
  const neighbour = new KeyStore(store.pkiDir, { clock: lateClock() });
  const past = new Date(Date.now() - 60_000);
  for (const folder of readdirSync(store.pkiDir)) utimesSync(join(store.pkiDir, folder), past, past);
  const before = store.stamp();
  assert.deepEqual(store.list('pending'), []);
  assert.equal(store.stamp(), before);
  neighbour.writePending('web1', KEY);
  assert.notEqual(store.stamp(), before);
  assert.deepEqual(store.list('pending'), ['web1']);
  assert.equal(store.list('pending'), store.list('pending'), 'not read again');
});

test('key store - right after a change every stamp differs, because a second one might not show', () => {
  const store = newStore();
  store.writePending('web1', KEY);
  assert.notEqual(store.stamp(['pending']), store.stamp(['pending']));
});

test('key store - a folder that cannot be read is not an empty one', () => {
  const store = newStore();
  rmSync(join(store.pkiDir, 'minions'), { recursive: true });
  assert.deepEqual(store.list('accepted'), []);
  symlinkSync('minions', join(store.pkiDir, 'minions'));
  assert.throws(() => store.list('accepted'), { code: 'ELOOP' });
});

test('key store - ids that would leave the folder, hide or break a list are never stored', () => {
  const store = newStore();
  const bad = [
    '',
    '.',
    '..',
    '../web1',
    '../../etc/passwd',
    'a/b',
    '/abs',
    'a\\b',
    'a\0b',
    'a\nb',
    '.key_cache',
    '.x',
    'x'.repeat(256),
    'ü'.repeat(128),
  ];
  for (const id of bad) {
    assert.equal(isStorableId(id), false, JSON.stringify(id));
    assert.throws(() => store.writePending(id, KEY), UnsafePathError, JSON.stringify(id));
    assert.throws(() => store.writeAccepted(id, KEY), UnsafePathError);
    assert.equal(store.state(id), undefined);
    assert.equal(store.readKey(id, 'accepted'), undefined);
    assert.equal(store.move(id, 'pending', 'accepted'), false);
    assert.equal(store.remove(id, 'accepted'), false);
    assert.equal(store.takeAutosignStub(id, 120), false);
  }
  for (const state of ['minions', 'minions_pre'])
    assert.deepEqual(readdirSync(join(store.pkiDir, state)), []);
  for (const id of ['web1.example.com', 'a b', 'ünï', '-x', '*', 'x'.repeat(255)]) {
    store.writePending(id, KEY);
    assert.equal(store.state(id), 'pending', id);
  }
});

test('key store - what is no strong RSA public key is never stored', () => {
  const store = newStore();
  const { publicKey: ec, privateKey: ecPrivate } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const bad = [
    '',
    'garbage',
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    newKey(1024),
    ec.export({ type: 'spki', format: 'pem' }).toString(),
    ecPrivate.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    createPublicKey(KEY).export({ type: 'spki', format: 'der' }).toString('latin1'),
  ];
  for (const key of bad) {
    for (const write of ['writeAccepted', 'writePending', 'writeRejected', 'writeDenied'] as const) {
      assert.throws(() => store[write]('web1', key), BadKeyError, key.slice(0, 40));
    }
  }
  assert.equal(store.state('web1'), undefined);
});

test('key store - links stay below the folder, and are never written through', () => {
  const store = newStore();
  const outside = join(root, 'outside.txt');
  writeFileSync(outside, 'secret');
  const pending = join(store.pkiDir, 'minions_pre');
  symlinkSync(outside, join(pending, 'thief'));
  symlinkSync('/dev/zero', join(pending, 'endless'));
  symlinkSync('nowhere', join(pending, 'dangling'));
  symlinkSync('..', join(pending, 'up'));
  store.writeAccepted('real', KEY);
  symlinkSync('../minions/real', join(pending, 'inside'));
  assert.deepEqual(store.list('pending'), ['inside']);
  assert.equal(store.readFile('inside', 'pending'), KEY.trim());
  for (const id of ['thief', 'endless', 'dangling', 'up']) {
    assert.equal(store.readFile(id, 'pending'), undefined, id);
    assert.equal(store.move(id, 'pending', 'accepted'), false, id);
  }
  store.writePending('thief', KEY);
  assert.equal(readFileSync(outside, 'utf8'), 'secret');
  assert.equal(lstatSync(join(pending, 'thief')).isFile(), true);
  assert.equal(store.remove('inside', 'pending'), true);
  assert.equal(store.state('real'), 'accepted');
});

test('key store - a folder in the place of a key is named', () => {
  const store = newStore();
  mkdirSync(join(store.pkiDir, 'minions_pre/web1'));
  assert.throws(() => store.writePending('web1', KEY), { message: /minions_pre\/web1 is a folder/ });
});

test('key store - an oversized file is no key', () => {
  const store = newStore();
  writeFileSync(join(store.pkiDir, 'minions/big'), 'x'.repeat(70_000));
  assert.equal(store.readKey('big', 'accepted'), undefined);
});

test('key store - undecided keys are limited, decided ones are not', () => {
  const store = newStore({ undecidedMax: 2 });
  store.writePending('a', KEY);
  store.writePending('b', KEY);
  assert.throws(() => store.writePending('c', KEY), KeyStoreFullError);
  assert.equal(store.refusedFull, 1);
  store.writePending('a', OTHER_KEY);
  assert.equal(store.readKey('a', 'pending'), OTHER_KEY.trim());
  store.writeDenied('x', KEY);
  for (const id of ['k', 'l', 'm']) store.writeAccepted(id, KEY);
});

test('key store - an autosign stub accepts once, and not when it is old', () => {
  const store = newStore();
  const stub = join(store.pkiDir, 'minions_autosign/web1');
  writeFileSync(stub, '');
  assert.equal(store.takeAutosignStub('web1', 120), true);
  assert.equal(store.takeAutosignStub('web1', 120), false);
  const old = new Date(Date.now() - 121 * 60_000);
  for (const timeout of [120, 0]) {
    writeFileSync(stub, '');
    utimesSync(stub, old, old);
    assert.equal(store.takeAutosignStub('web1', timeout), timeout === 0);
    assert.equal(existsSync(stub), false);
  }
});

test("key store - the master's own keys are listed and read", () => {
  const store = newStore();
  for (const name of ['master.pub', 'master.pem', 'Master2.pub', 'notes.txt'])
    writeFileSync(join(store.pkiDir, name), name);
  assert.deepEqual(store.localKeys(), ['master.pem', 'master.pub', 'Master2.pub']);
  assert.equal(store.readLocalKey('master.pub'), 'master.pub');
});
