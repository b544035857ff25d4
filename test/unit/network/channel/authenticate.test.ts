import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { authenticate, type AuthOutcome } from '../../../../src/network/channel/client/authenticate.ts';
import type { MasterKeyPolicy } from '../../../../src/network/channel/client/master-key.ts';
import { generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import type { RsaPrivateKey } from '../../../../src/network/crypto/rsa.ts';
import { pemFinger } from '../../../../src/network/crypto/fingerprint.ts';
import type { Requester } from '../../../../src/network/transport/zmtp/requester.ts';
import type { Dict } from '../../../../src/python/values/value.ts';
import { asBytes, decode, encode, type Encodable } from '../../../../src/formats/wire/msgpack.ts';
import { authClient, folder, keyPair, keyPolicy } from '../../../support/attacker.ts';

type Fields = Record<string, Encodable | undefined>;

const aes = generateKeyString().reveal();
const session = generateKeyString().reveal();
const mine = keyPair('m1').key;
const master = keyPair('master').key;
const signer = keyPair('signer').key;
const impostor = keyPair('impostor').key;

/** What an honest master with this key answers. */
function acceptance(load: Dict, key: RsaPrivateKey): Fields {
  const wrap = (text: string): Buffer => mine.publicKey.encrypt(Buffer.from(text), 'OAEP-SHA1');
  const token = asBytes(load.get('token'));
  const opened = token && key.decrypt(token, 'OAEP-SHA1');
  const digest = createHash('sha256').update(aes).digest('hex');
  return {
    enc: 'pub',
    pub_key: key.publicKey.pem,
    publish_port: 4505,
    token: opened && wrap(opened.toString('latin1')),
    aes: wrap(aes),
    session: wrap(session),
    sig: key.signX931(Buffer.from(digest)),
    nonce: load.get('nonce'),
  };
}

function signed(content: Fields, key: RsaPrivateKey): Encodable {
  const load = encode(content, 'network');
  return { enc: 'clear', load, sig: key.sign(load, 'PKCS1v15-SHA1') };
}

interface Scene {
  readonly pki: string;
  readonly seen: Dict[];
  /** One attempt at a master that answers with these. */
  attempt(
    answer: (load: Dict) => Encodable | Buffer,
    policy?: Partial<MasterKeyPolicy>,
  ): Promise<AuthOutcome>;
  /** One attempt at an honest master with this key, its acceptance changed. */
  honest(key?: RsaPrivateKey, change?: Fields, policy?: Partial<MasterKeyPolicy>): Promise<AuthOutcome>;
  pin(key: RsaPrivateKey): void;
  readonly pinned: () => string | undefined;
}

function scene(t: TestContext): Scene {
  const pki = folder(t);
  const path = join(pki, 'minion_master.pub');
  const seen: Dict[] = [];
  const attempt: Scene['attempt'] = (answer, policy = {}) => {
    const requester = {
      request: async (body: Buffer) => {
        const load = (decode(body, 'network') as Dict).get('load') as Dict;
        seen.push(load);
        const reply = answer(load);
        return Buffer.isBuffer(reply) ? reply : encode(reply, 'network');
      },
    };
    return authenticate(
      authClient('m1', mine, keyPolicy(pki, policy)),
      requester as unknown as Requester,
      1000,
    );
  };
  return {
    pki,
    seen,
    attempt,
    honest: (key = master, change = {}, policy = {}) =>
      attempt((load) => signed({ ...acceptance(load, key), ...change }, key), policy),
    pin: (key) => writeFileSync(path, key.publicKey.pem),
    pinned: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  };
}

const distrusted = { name: 'AuthenticationError' };

test('authenticate - first use: accepted, and the master key is written down', async (t) => {
  const { honest, pinned, seen } = scene(t);
  const outcome = await honest();
  assert.equal(outcome.kind, 'accepted');
  assert.equal(outcome.kind === 'accepted' && outcome.credentials.session.keyString.reveal(), session);
  assert.equal(outcome.kind === 'accepted' && outcome.credentials.shared.keyString.reveal(), aes);
  assert.equal(pinned(), master.publicKey.pem);
  assert.deepEqual([...(seen[0]?.keys() ?? [])], ['cmd', 'id', 'nonce', 'enc_algo', 'sig_algo', 'pub']);
  assert.match(String(seen[0]?.get('nonce')), /^[0-9a-f]{32}$/);
});

test('authenticate - a known master must echo the token', async (t) => {
  const here = scene(t);
  here.pin(master);
  assert.equal((await here.honest()).kind, 'accepted');
  assert.ok(here.seen[0]?.has('token'));
  const wrong = mine.publicKey.encrypt(Buffer.from('another'), 'OAEP-SHA1');
  for (const token of [undefined, wrong, Buffer.alloc(256), 'text'])
    await assert.rejects(here.honest(master, { token }), distrusted);
});

test('authenticate - every outcome that is no acceptance', async (t) => {
  const here = scene(t);
  here.pin(master);
  const refusal = (ret: Encodable) =>
    here.attempt((load) => signed({ ret, nonce: load.get('nonce') }, master));
  assert.deepEqual(await refusal(false), { kind: 'rejected' });
  assert.deepEqual(await refusal('full'), { kind: 'full' });
  assert.deepEqual(await refusal(true), { kind: 'pending' });
  const first = scene(t);
  const pending = await first.attempt((load) => signed({ ret: true, nonce: load.get('nonce') }, master));
  assert.deepEqual(pending, { kind: 'pending' });
  assert.equal(first.pinned(), undefined, 'a refusal pins nothing');
});

test('authenticate - unsigned refusals do not stop a minion (CVE-2022-22935)', async (t) => {
  const here = scene(t);
  for (const pinnedFirst of [false, true]) {
    if (pinnedFirst) here.pin(master);
    for (const ret of [false, true, 'full'] as Encodable[])
      await assert.rejects(
        here.attempt(() => ({ enc: 'clear', load: { ret } })),
        /unsigned reply/,
      );
    await assert.rejects(
      here.attempt(() => ({ enc: 'clear', load: { ret: 'bad enc algo' } })),
      /encryption_algorithm/,
    );
    await assert.rejects(
      here.attempt(() => ({ enc: 'clear', load: { ret: 'bad sig algo' } })),
      /signing_algorithm/,
    );
  }
});

test('authenticate - a signature by another key, or none, is refused', async (t) => {
  const here = scene(t);
  here.pin(master);
  const forged = here.attempt((load) => signed({ ret: false, nonce: load.get('nonce') }, impostor));
  await assert.rejects(forged, /signature did not validate.*minion_master\.pub/);
  const halfForged = here.attempt((load) => signed(acceptance(load, master), impostor));
  await assert.rejects(halfForged, distrusted);
  const unsigned = here.attempt((load) => ({
    enc: 'clear',
    load: encode(acceptance(load, master), 'network'),
  }));
  await assert.rejects(unsigned, distrusted);
});

test('authenticate - a replayed reply has the wrong nonce', async (t) => {
  const here = scene(t);
  for (const nonce of ['f'.repeat(32), '', undefined, 7])
    await assert.rejects(here.honest(master, { nonce }), /nonce did not validate/);
  assert.equal(here.pinned(), undefined, 'nothing was written');
});

test('authenticate - an acceptance without pub_key is not trusted, known master or not', async (t) => {
  const here = scene(t);
  const forged = (load: Dict): Encodable => {
    const content = { ...acceptance(load, impostor), pub_key: undefined };
    return signed(content, impostor);
  };
  await assert.rejects(here.attempt(forged), distrusted);
  here.pin(master);
  await assert.rejects(here.attempt(forged), distrusted);
});

test('authenticate - a master whose key has changed is refused by the name of the file', async (t) => {
  const here = scene(t);
  here.pin(master);
  await assert.rejects(
    here.honest(impostor),
    /public key has changed.*minion_master\.pub.*restart the minion/s,
  );
  assert.equal(here.pinned(), master.publicKey.pem);
  assert.equal((await here.honest(impostor, {}, { openMode: true })).kind, 'accepted');
  assert.equal(here.pinned(), impostor.publicKey.pem);
});

test('authenticate - master_finger: the right one passes, another ends the minion with 42', async (t) => {
  const here = scene(t);
  const finger = pemFinger(master.publicKey.pem, 'sha256');
  assert.equal((await here.honest(master, {}, { finger })).kind, 'accepted');
  const other = scene(t);
  await assert.rejects(other.honest(impostor, {}, { finger }), { name: /Error/, exitCode: 42 });
  assert.equal(other.pinned(), undefined);
});

test('authenticate - signed master keys, every case of the table', async (t) => {
  const sigOf = (key: RsaPrivateKey, text = key.publicKey.pem): string =>
    `${signer.sign(Buffer.from(text), 'PKCS1v15-SHA1').toString('base64')}\n`;
  const withKey = (): Scene => {
    const here = scene(t);
    writeFileSync(join(here.pki, 'master_sign.pub'), signer.publicKey.pem);
    return here;
  };
  const verify = { verifySigned: true };
  const first = withKey();
  assert.equal((await first.honest(master, { pub_sig: sigOf(master) }, verify)).kind, 'accepted');
  assert.equal((await first.honest(master, { pub_sig: sigOf(master) }, verify)).kind, 'accepted', 'known');
  assert.equal(
    (await first.honest(impostor, { pub_sig: sigOf(impostor) }, verify)).kind,
    'accepted',
    'changed, signed',
  );
  assert.equal(first.pinned(), impostor.publicKey.pem);
  const newline = withKey();
  const fileForm = sigOf(master, `${master.publicKey.pem}\n`);
  assert.equal(
    (await newline.honest(master, { pub_sig: fileForm }, verify)).kind,
    'accepted',
    'as salt-key signs',
  );
  const unsigned = withKey();
  await assert.rejects(unsigned.honest(master, {}, verify), /no signature of its public key/);
  await assert.rejects(unsigned.honest(impostor, { pub_sig: sigOf(master) }, verify), /does not fit/);
  unsigned.pin(master);
  await assert.rejects(unsigned.honest(master, {}, verify), /verify_master_pubkey_sign is on/);
  await assert.rejects(
    unsigned.honest(master, { pub_sig: sigOf(master) }),
    /verify_master_pubkey_sign is off/,
  );
  await assert.rejects(unsigned.honest(impostor, {}, verify), distrusted);
  const always = { verifySigned: true, alwaysVerifySigned: true };
  await assert.rejects(unsigned.honest(master, { pub_sig: sigOf(impostor) }, always), /does not fit/);
  const keyless = scene(t);
  await assert.rejects(
    keyless.honest(master, { pub_sig: sigOf(master) }, verify),
    /is missing: .*master_sign\.pub/,
  );
});

test('authenticate - keys that are not for us, malformed or not signed by the master', async (t) => {
  const here = scene(t);
  const wrap = (text: string, key = mine): Buffer => key.publicKey.encrypt(Buffer.from(text), 'OAEP-SHA1');
  for (const field of ['aes', 'session']) {
    for (const value of [undefined, 'text', wrap('short'), wrap(aes, impostor), Buffer.alloc(256)])
      await assert.rejects(here.honest(master, { [field]: value }), distrusted, field);
  }
  for (const sig of [undefined, impostor.signX931(Buffer.from('x')), Buffer.alloc(256), 'text'])
    await assert.rejects(here.honest(master, { sig }), /did not sign the session key/);
  const swapped = generateKeyString().reveal();
  await assert.rejects(here.honest(master, { aes: wrap(swapped) }), /did not sign the session key/);
  assert.equal(here.pinned(), undefined, 'nothing was written');
});

test('authenticate - replies that are no replies', async (t) => {
  const here = scene(t);
  const odd: (Encodable | Buffer)[] = [
    'bad load',
    {},
    { enc: 'clear' },
    { load: 'x' },
    1,
    [],
    { load: [], sig: [] },
  ];
  odd.push(Buffer.alloc(0), Buffer.from([0xc1]), { enc: 'clear', load: Buffer.from([0xc1]), sig: 'x' });
  for (const reply of odd)
    await assert.rejects(
      here.attempt(() => reply),
      distrusted,
      String(reply),
    );
  await assert.rejects(
    here.attempt(() => 'bad load'),
    /another protocol version \(minimum_auth_version\)/,
  );
  for (const pub_key of ['no key', keyPair('m1').pem])
    await assert.rejects(here.honest(master, { pub_key }), distrusted);
  writeFileSync(join(here.pki, 'minion_master.pub'), 'garbage');
  await assert.rejects(
    here.honest(),
    /minion_master\.pub cannot be used: the text is no public key in PEM form\. Remove the file/,
  );
});
