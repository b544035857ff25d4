/** What real Salt's own functions make of values, keys and names, byte for byte, in both directions. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Crypticle } from '../../../src/network/crypto/crypticle.ts';
import { cleanKeyText } from '../../../src/network/crypto/pem.ts';
import { systemRandom, type Random } from '../../../src/host/random.ts';
import { Secret } from '../../../src/host/secret.ts';
import { isJid } from '../../../src/storage/jobs/jid.ts';
import { pemFinger } from '../../../src/network/crypto/fingerprint.ts';
import { topicOf } from '../../../src/programs/master/roles/publisher.ts';
import { zmqTopics } from '../../../src/programs/minion/topics.ts';
import { isDict, type Value } from '../../../src/python/values/value.ts';
import { decode, encode, type Dialect } from '../../../src/formats/wire/msgpack.ts';
import { bytes, difference, readRecording, RecordedKeys, SALTS } from './recording.ts';

interface Sealed {
  name?: string;
  key: string;
  nonce: string | null;
  msgpackHex?: string;
  ciphertext: string;
  error?: string;
}

interface Vectors {
  crypticle: Sealed[];
  crypticleBad: Sealed[];
  x931: { key: string; text: string; signature: string; otherRoot: string }[];
  pkcs1v15: { key: string; algorithm: string; message: string; signature: string }[];
  oaep: { key: string; algorithm: string; plaintext: string; ciphertext: string }[];
  fingerprints: { key: string; sha256: string; md5: string; sha1: string }[];
  cleanKey: { in: string; out: string }[];
  msgpack: Record<string, unknown>[];
  msgpackLong: Record<string, string | number>[];
  msgpackDecode: { hex: string; value?: unknown; error?: string }[];
  jids: { jid: string; isJid: boolean; sha256: string; md5: string; sha512: string }[];
  minionIds: { id: string; topic: string; bus: string }[];
  jobCache: { jid: string; dir: string; files: Record<string, { hex: string; decoded: unknown }> }[];
}

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const vectors = readRecording<Vectors>(version, 'vectors');

  test(`recorded ${version} - messages open, and are sealed to the same bytes`, () => {
    for (const { key, nonce, msgpackHex = '', ciphertext } of vectors.crypticle) {
      const sealed = bytes(ciphertext);
      const value = new Crypticle(new Secret(key)).loads(sealed, nonce ?? undefined) as Value;
      assert.equal(encode(value, 'network').toString('hex'), msgpackHex);
      const again = new Crypticle(new Secret(key), withIv(sealed.subarray(0, 16)));
      assert.deepEqual(again.dumps(value, nonce ?? ''), sealed);
    }
  });

  test(`recorded ${version} - messages that Salt refuses are refused`, () => {
    for (const { name, key, nonce, ciphertext, error } of vectors.crypticleBad) {
      const open = (): Value | undefined =>
        new Crypticle(new Secret(key)).loads(bytes(ciphertext), nonce ?? undefined);
      if (error === undefined) assert.equal(open(), undefined, name);
      else if (error.includes('message authentication')) assert.throws(open, { name: 'MacError' }, name);
      else if (error.includes('Nonce')) assert.throws(open, { name: 'NonceError' }, name);
      else assert.throws(open, /Error/, name);
    }
  });

  test(`recorded ${version} - X9.31 blocks are the same, and both roots open`, () => {
    for (const { key, text, signature, otherRoot } of vectors.x931) {
      const pair = keys.pair(key);
      const message = Buffer.from(text);
      assert.deepEqual(pair.signX931(message), bytes(signature));
      assert.ok(pair.publicKey.opensTo(bytes(signature), message));
      assert.ok(pair.publicKey.opensTo(bytes(otherRoot), message));
      assert.ok(!pair.publicKey.opensTo(bytes(signature), Buffer.from('other')));
    }
  });

  test(`recorded ${version} - signatures are the same, and what was wrapped opens`, () => {
    for (const { key, algorithm, message, signature } of vectors.pkcs1v15) {
      assert.deepEqual(keys.pair(key).sign(bytes(message), algorithm), bytes(signature));
      assert.ok(keys.pair(key).publicKey.verify(bytes(message), bytes(signature), algorithm));
    }
    for (const { key, algorithm, plaintext, ciphertext } of vectors.oaep) {
      const pair = keys.pair(key);
      assert.equal(String(pair.decrypt(bytes(ciphertext), algorithm)), plaintext);
      const wrapped = pair.publicKey.encrypt(Buffer.from(plaintext), algorithm);
      assert.equal(String(pair.decrypt(wrapped, algorithm)), plaintext);
    }
  });

  test(`recorded ${version} - fingerprints and cleaned key texts`, () => {
    for (const { key, ...hashes } of vectors.fingerprints) {
      for (const [hash, finger] of Object.entries(hashes))
        assert.equal(pemFinger(keys.publicFile(key), hash), finger);
    }
    for (const row of vectors.cleanKey) assert.equal(cleanKeyText(row.in), row.out, JSON.stringify(row.in));
  });

  for (const [dialect, suffix] of [
    ['network', 'Network'],
    ['local', 'Local'],
  ] as const) {
    test(`recorded ${version} - msgpack, ${dialect} dialect`, () =>
      msgpackAgrees(vectors, keys, dialect, suffix));
  }

  test(`recorded ${version} - msgpack that others send`, () => {
    for (const { hex, value, error } of vectors.msgpackDecode) {
      const read = (): Value => decode(Buffer.from(hex, 'hex'), 'network');
      if (error !== undefined) assert.throws(read, { message: /./ }, hex);
      else if (JSON.stringify(value).includes('$timestamp')) read();
      else assert.equal(difference(read(), value, keys), undefined, hex);
    }
  });

  test(`recorded ${version} - job ids, topics and socket names`, () => {
    for (const { jid, isJid: valid, ...hashes } of vectors.jids) {
      assert.equal(isJid(jid), valid, jid);
      for (const [hash, path] of Object.entries(hashes)) {
        const digest = createHash(hash).update(jid).digest('hex');
        assert.equal(`jobs/${digest.slice(0, 2)}/${digest.slice(2)}`, path);
      }
    }
    for (const { id, topic, bus } of vectors.minionIds) {
      assert.equal(topicOf(id), topic);
      assert.deepEqual(zmqTopics(true, id), ['broadcast', topic]);
      assert.equal(createHash('sha256').update(id).digest('hex').slice(0, 10), bus);
    }
  });

  test(`recorded ${version} - files of the job cache`, () => {
    for (const { jid, dir, files } of vectors.jobCache) {
      const digest = createHash('sha256').update(jid).digest('hex');
      assert.equal(dir, `jobs/${digest.slice(0, 2)}/${digest.slice(2)}`);
      for (const [name, { hex, decoded }] of Object.entries(files)) {
        if (!name.endsWith('.p')) continue;
        const value = decode(Buffer.from(hex, 'hex'), 'local');
        assert.equal(difference(value, decoded, keys), undefined, `${jid} ${name}`);
        assert.equal(encode(value, 'local').toString('hex'), hex, `${jid} ${name}`);
      }
    }
  });
}

function withIv(iv: Buffer): Random {
  return { ...systemRandom, bytes: () => Buffer.from(iv) };
}

function msgpackAgrees(vectors: Vectors, keys: RecordedKeys, dialect: Dialect, suffix: string): void {
  for (const row of vectors.msgpack) {
    const hex = row[`hex${suffix}`];
    const what = `${String(row['python'])} as ${String(hex)}`;
    if (typeof hex !== 'string') continue;
    // other extension types are nobody's but the program's that made them
    if (/^msgpack\.ExtType|^_Constant/.test(String(row['python']))) continue;
    if (row[`decodeError${suffix}`] !== undefined) {
      assert.throws(() => decode(Buffer.from(hex, 'hex'), dialect), { name: 'MsgpackError' }, what);
      continue;
    }
    const value = decode(Buffer.from(hex, 'hex'), dialect);
    // JSON has one form for both dialects: it was recorded from the network's
    const form = `decoded${suffix}` in row ? row[`decoded${suffix}`] : row['decodedNetwork'];
    if (dialect === 'network') assert.equal(difference(value, form, keys), undefined, what);
    assert.equal(encode(value, dialect).toString('hex'), hex, what);
  }
  for (const row of vectors.msgpackLong) longValueAgrees(row, dialect, suffix);
}

/** The long values, as their Python expressions make them. */
const LONG: ReadonlyMap<string, () => Value> = new Map<string, () => Value>([
  ["'x'*65535", () => 'x'.repeat(65535)],
  ["'x'*65536", () => 'x'.repeat(65536)],
  ["b'\\xff'*65536", () => Buffer.alloc(65536, 0xff)],
  ['[0]*65535', () => new Array<Value>(65535).fill(0)],
  ['[0]*65536', () => new Array<Value>(65536).fill(0)],
  ['{i: 0 for i in range(65536)}', () => new Map(Array.from({ length: 65536 }, (_, index) => [index, 0]))],
]);

function longValueAgrees(row: Record<string, string | number>, dialect: Dialect, suffix: string): void {
  const make = LONG.get(String(row['python']));
  assert.ok(make, `a value for ${row['python']}`);
  const value = make();
  const encoded = encode(value, dialect);
  assert.equal(encoded.length, row[`length${suffix}`]);
  assert.equal(createHash('sha256').update(encoded).digest('hex'), row[`sha256${suffix}`]);
  const back = decode(encoded, dialect);
  if (isDict(back)) assert.equal(back.size, 65536);
  else assert.deepEqual(back, value);
}
