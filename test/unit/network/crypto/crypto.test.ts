import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  Crypticle,
  generateKeyString,
  isKeyString,
  MacError,
  NonceError,
} from '../../../../src/network/crypto/crypticle.ts';
import { BadKeyError, RsaPrivateKey, RsaPublicKey } from '../../../../src/network/crypto/rsa.ts';
import { Secret } from '../../../../src/host/secret.ts';
import { dict } from '../../../../src/python/values/value.ts';

// Accepted by the reference implementation.
const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc=';
const FOO_BAR =
  '000102030405060708090a0b0c0d0e0f1c58bef8f7804ecec0066aa989a1946d28243ef2274cc48bab784707ba7c725c' +
  'daea8dcca82f90c453bf3bd59d575eae687f2696bd65b764682db6abd1035dc4';
const PONG =
  '000102030405060708090a0b0c0d0e0fc03c9c8acff922fc7d2548736c10a15697a829f1160278ef5e6fddb89116c7fb' +
  '9aec780f5158d16a26c1c304c1e5e756199ab160254246407176d7b3c9ac6f5520756009019cced15af915b65aa77a8c';
const NONCE = '0123456789abcdef0123456789abcdef';
const fixedIv = {
  bytes: () => Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'),
  int: () => 0,
  fraction: () => 0,
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

test('crypticle - opens and makes the reference messages', () => {
  const crypticle = new Crypticle(new Secret(KEY), fixedIv);
  assert.deepEqual(crypticle.loads(Buffer.from(FOO_BAR, 'hex')), dict({ foo: 'bar' }));
  assert.equal(crypticle.loads(Buffer.from(PONG, 'hex'), NONCE), 'pong');
  assert.equal(crypticle.dumps({ foo: 'bar' }).toString('hex'), FOO_BAR);
  assert.equal(crypticle.dumps('pong', NONCE).toString('hex'), PONG);
});

test('crypticle - a flipped bit, a cut message and a foreign nonce are refused', () => {
  const crypticle = new Crypticle(new Secret(KEY));
  const message = Buffer.from(PONG, 'hex');
  for (let i = 0; i < message.length; i += 7) {
    const changed = Buffer.from(message);
    changed[i] = (changed[i] as number) ^ 1;
    assert.throws(() => crypticle.loads(changed, NONCE), MacError);
  }
  for (const length of [0, 1, 31, 47, 63, 64, 80]) {
    assert.throws(() => crypticle.loads(message.subarray(0, length), NONCE), MacError);
  }
  assert.throws(() => crypticle.loads(message, 'f'.repeat(32)), NonceError);
});

test('crypticle - plaintext without the prefix is no value', () => {
  const crypticle = new Crypticle(new Secret(KEY));
  assert.equal(crypticle.loads(crypticle.encrypt(Buffer.from('hello'))), undefined);
});

test('crypticle - key strings have 76 characters and never print', () => {
  const key = generateKeyString();
  assert.ok(isKeyString(key.reveal()));
  assert.equal(`${key}`, '***');
  assert.equal(JSON.stringify({ key }), '{"key":"***"}');
});

test('rsa - signatures, X9.31 tokens and wrapped keys come back', () => {
  const key = RsaPrivateKey.parse(pem);
  const message = Buffer.from('salt');
  for (const algorithm of ['PKCS1v15-SHA1', 'PKCS1v15-SHA224']) {
    const signature = key.sign(message, algorithm);
    assert.ok(key.publicKey.verify(message, signature, algorithm));
    assert.ok(!key.publicKey.verify(Buffer.from('tlas'), signature, algorithm));
  }
  for (const text of ['salt', 'f'.repeat(64), 'x'.repeat(253), 'x'.repeat(254)]) {
    assert.ok(key.publicKey.opensTo(key.signX931(Buffer.from(text)), Buffer.from(text)));
  }
  assert.ok(!key.publicKey.opensTo(Buffer.alloc(256, 1), message));
  assert.ok(!key.publicKey.opensTo(Buffer.alloc(10), message));
  for (const algorithm of ['OAEP-SHA1', 'OAEP-SHA224']) {
    assert.deepEqual(key.decrypt(key.publicKey.encrypt(message, algorithm), algorithm), message);
  }
  assert.equal(key.decrypt(Buffer.alloc(256, 7), 'OAEP-SHA1'), undefined);
});

test('rsa - CVE-2013-2228: weak and foreign keys are refused', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
    type: 'spki',
    format: 'pem',
  });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    type: 'spki',
    format: 'pem',
  });
  for (const text of [small.toString(), ec.toString(), '', 'garbage', pem]) {
    assert.throws(() => RsaPublicKey.parse(text), BadKeyError);
  }
});

test('rsa - only the exponent 65537 and whole bytes from 2048 bits on, whichever way a key comes in (issue 9, row 14)', () => {
  for (const [modulusLength, publicExponent] of [
    [2048, 3],
    [2048, 17],
    [2048, 65539],
    [2046, 65537],
    [2047, 65537],
    [2050, 65537],
  ] as const) {
    const pair = generateKeyPairSync('rsa', { modulusLength, publicExponent });
    for (const type of ['spki', 'pkcs1'] as const) {
      const text = pair.publicKey.export({ type, format: 'pem' }).toString();
      assert.throws(() => RsaPublicKey.parse(text), { name: 'BadKeyError', message: /accepted$/ });
    }
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const text = pair.privateKey.export({ type, format: 'pem' }).toString();
      assert.throws(() => RsaPrivateKey.parse(text), { name: 'BadKeyError', message: /accepted$/ });
    }
  }
});
