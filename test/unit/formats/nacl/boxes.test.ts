/** Boxes of NaCl: those that PyNaCl made are opened, and what is wrong with one is said. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSecret, publicKeyOf, seal, sealSecret, unseal } from '../../../../src/formats/nacl/boxes.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const counted = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, index) => index);
const box = (base64: string): Buffer => Buffer.from(base64, 'base64');

test('nacl - boxes of PyNaCl are opened', () => {
  assert.equal(publicKeyOf(key).toString('base64'), 'j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8=');
  const secret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXmhUydtzuaFvhqs+tapr7LDmN+/Op';
  assert.equal(openSecret(box(secret), key).toString(), 'grün');
  const sealed = 'G1j7ke/WuXfqj+XleJOW/2X1y0ihKvN0CGosidRFwmsym9VUEn1G4ZQycyoxEbUOt8Jb1Vc=';
  assert.equal(unseal(box(sealed), key).toString(), 'grün');
});

test('nacl - a secret box is made as PyNaCl makes it', () => {
  assert.equal(
    sealSecret(Buffer.from('secret'), key, counted).toString('base64'),
    'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGhTZuo/kQhVMakITzQWjYC2aWz2ivg==',
  );
});

test('nacl - what is put into a box comes out of it, whatever its size', () => {
  for (let size = 0; size < 400; size += 13) {
    const message = randomBytes(size);
    assert.deepEqual(unseal(seal(message, publicKeyOf(key), randomBytes), key), message);
    assert.deepEqual(openSecret(sealSecret(message, key, randomBytes), key), message);
  }
});

test('nacl - a changed box, one of another key and a key of another length are refused', () => {
  const made = sealSecret(Buffer.from('x'), key, randomBytes);
  made[30] = (made[30] as number) ^ 1;
  assert.throws(() => openSecret(made, key), /Ciphertext failed verification/);
  const sealed = seal(Buffer.from('x'), publicKeyOf(key), randomBytes);
  assert.throws(() => unseal(sealed, randomBytes(32)), /Ciphertext failed verification/);
  assert.throws(() => unseal(Buffer.alloc(3), key), /trying to decrypt/);
  assert.throws(() => openSecret(made, Buffer.alloc(5)), /must be exactly 32 bytes long/);
});
