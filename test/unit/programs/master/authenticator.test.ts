import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SessionKeys } from '../../../../src/network/channel/session-keys.ts';
import { masterOptions, type MasterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { Crypticle, generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { KeyStore } from '../../../../src/storage/keys/store.ts';
import { Authenticator } from '../../../../src/programs/master/auth/authenticator.ts';
import { AutoKey } from '../../../../src/programs/master/auth/autosign.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { asBytes, decode, encode } from '../../../../src/formats/wire/msgpack.ts';
import { authLoad, folder, keptLog, keyPair } from '../../../support/attacker.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const TOKEN = generateKeyString().reveal();
/** A nonce of 32 characters that is nearly one. */
const NEARLY = NONCE.slice(0, 31);
const master = keyPair('master').key;
const mine = keyPair('m1').key;
const other = keyPair('m2').key.publicKey.pem;

interface Office {
  readonly keys: KeyStore;
  readonly root: string;
  readonly events: Dict[];
  readonly shared: Crypticle;
  readonly lines: string[];
  ask(load: Dict, version?: number, publishPort?: number): Promise<Dict>;
  /** Asks as m1, checks signature and nonce, and gives the content. */
  signed(change?: DictInit): Promise<Dict>;
}

function office(
  t: TestContext,
  options: DictInit = {},
  change: { connected?: string[]; undecidedMax?: number; signs?: boolean; masters?: readonly string[] } = {},
): Office {
  const root = folder(t);
  const keys = new KeyStore(root, { undecidedMax: change.undecidedMax ?? 100 });
  keys.ensureFolders();
  const opts: MasterOptions = new Options(masterOptions, dict(options));
  const { log, lines } = keptLog();
  const events: Dict[] = [];
  const shared = new Crypticle(generateKeyString());
  const authenticator = new Authenticator({
    opts,
    masterKey: master,
    keys,
    autoKey: new AutoKey(opts, keys, log),
    sessions: new SessionKeys(join(root, 'sessions'), 86_400_000, systemClock),
    sharedKey: () => shared,
    signPublicKey: change.signs ? () => 'c2lnbmVk\n' : undefined,
    isDraining: () => false,
    masters: () => change.masters ?? [],
    connectedIds: async () => new Set(change.connected ?? []),
    fireEvent: (tag, data) => events.push(new Map<Value, Value>([['tag', tag], ...data])),
    log,
  });
  const ask = async (load: Dict, version = 3, publishPort = 0): Promise<Dict> =>
    decode(
      encode(await authenticator.authenticate(load, version, publishPort), 'network'),
      'network',
    ) as Dict;
  const signed = async (fields: DictInit = {}): Promise<Dict> =>
    openSigned(
      await ask(authLoad('m1', mine.publicKey.pem, fields)),
      String(fields['sig_algo'] ?? 'PKCS1v15-SHA1'),
    );
  return { keys, root, events, shared, lines, ask, signed };
}

function openSigned(reply: Dict, sigAlgo: string): Dict {
  assert.equal(reply.get('enc'), 'clear');
  const load = asBytes(reply.get('load')) as Buffer;
  assert.ok(
    master.publicKey.verify(load, asBytes(reply.get('sig')) as Buffer, sigAlgo),
    'the signature fits',
  );
  const content = decode(load, 'network') as Dict;
  assert.equal(content.get('nonce'), NONCE);
  return content;
}

const ret = (content: Dict): Value | undefined => content.get('ret');
const last = ({ events }: Office): unknown[] =>
  ['tag', 'result', 'act', 'id'].map((key) => events.at(-1)?.get(key) ?? null);
const where = ({ keys }: Office): string => keys.state('m1') ?? 'nowhere';

test('authenticator - 1: an id that is no id is refused, without a trace', async (t) => {
  const here = office(t, { auto_accept: true, open_mode: true });
  const ids: Value[] = [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'a\0b',
    '.hidden',
    '.key_cache',
    'x'.repeat(300),
    7,
    null,
    dict({}),
    ['m1'],
  ];
  for (const id of ids) assert.equal(ret(await here.signed({ id })), false, JSON.stringify(id));
  assert.equal(here.events.length, 0);
  assert.deepEqual(here.keys.list('accepted'), []);
});

test('authenticator - 2: more than max_minions', async (t) => {
  const full = office(t, { max_minions: 1, auto_accept: true }, { connected: ['a', 'b'] });
  assert.equal(ret(await full.signed()), 'full');
  assert.deepEqual(last(full), ['salt/auth', false, 'full', 'm1']);
  assert.equal(where(full), 'nowhere');
  const known = office(t, { max_minions: 1, auto_accept: true }, { connected: ['a', 'm1'] });
  assert.equal((await known.signed()).get('enc'), 'pub');
});

test('authenticator - 3: open_mode accepts and overwrites', async (t) => {
  const here = office(t, { open_mode: true });
  here.keys.writeAccepted('m1', other);
  assert.equal((await here.signed()).get('enc'), 'pub');
  assert.equal(here.keys.readKey('m1', 'accepted'), mine.publicKey.pem);
});

test('authenticator - 4: a rejected key stays rejected, whatever else is known', async (t) => {
  const here = office(t, { auto_accept: true });
  here.keys.writeAccepted('m1', mine.publicKey.pem);
  here.keys.writeRejected('m1', mine.publicKey.pem);
  assert.equal(ret(await here.signed()), false);
  assert.deepEqual(last(here), ['salt/auth', false, 'reject', 'm1']);
});

test('authenticator - 5: another key than the accepted one is denied and kept to be looked at', async (t) => {
  const here = office(t, { auto_accept: true });
  here.keys.writeAccepted('m1', other);
  assert.equal(ret(await here.signed()), false);
  assert.deepEqual(last(here), ['salt/auth', false, 'denied', 'm1']);
  assert.equal(here.keys.readKey('m1', 'accepted'), other);
  assert.equal(here.keys.readKey('m1', 'denied'), mine.publicKey.pem);
});

test('authenticator - 6 and 9: autoreject, unknown and pending', async (t) => {
  const file = join(folder(t), 'reject');
  writeFileSync(file, '# no\nm?\n', { mode: 0o644 });
  const unknown = office(t, { autoreject_file: file });
  assert.equal(ret(await unknown.signed()), false);
  assert.deepEqual(last(unknown), ['salt/auth', false, 'reject', 'm1']);
  assert.equal(where(unknown), 'rejected');
  const pending = office(t, { autoreject_file: file });
  pending.keys.writePending('m1', mine.publicKey.pem);
  assert.equal(ret(await pending.signed()), false);
  assert.equal(where(pending), 'rejected');
  assert.equal(pending.keys.has('m1', 'pending'), false);
});

test('authenticator - 7 and 11: an unknown key waits, and goes on waiting', async (t) => {
  const here = office(t);
  assert.equal(ret(await here.signed()), true);
  assert.deepEqual(last(here), ['salt/auth', true, 'pend', 'm1']);
  assert.equal(where(here), 'pending');
  assert.equal(ret(await here.signed()), true);
  assert.deepEqual(last(here), ['salt/auth', true, 'pend', 'm1']);
});

test('authenticator - 10 and 12: a pending key is not replaced by another, autosigned or not', async (t) => {
  for (const options of [{}, { auto_accept: true }]) {
    const here = office(t, options);
    here.keys.writePending('m1', other);
    assert.equal(ret(await here.signed()), false);
    assert.equal(here.keys.readKey('m1', 'pending'), other);
    assert.equal(here.keys.readKey('m1', 'denied'), mine.publicKey.pem);
    assert.equal(here.keys.has('m1', 'accepted'), false);
  }
});

test('authenticator - 8 and 13: autosigned, unknown and pending', async (t) => {
  const here = office(t, { auto_accept: true });
  here.keys.writePending('m1', mine.publicKey.pem);
  assert.equal((await here.signed()).get('enc'), 'pub');
  assert.equal(where(here), 'accepted');
  assert.equal(here.keys.has('m1', 'pending'), false);
});

test('authenticator - every source of autosigning, and files that others may write are ignored', async (t) => {
  const places = folder(t);
  const list = join(places, 'autosign');
  writeFileSync(list, 'web*\nm\\d+\n', { mode: 0o644 });
  const byFile = office(t, { autosign_file: list });
  assert.equal((await byFile.signed()).get('enc'), 'pub');
  for (const mode of [0o646, 0o664]) {
    chmodSync(list, mode);
    const unsafe = office(t, { autosign_file: list });
    assert.equal(ret(await unsafe.signed()), true);
    assert.match(unsafe.lines.join('\n'), /Wrong permissions/);
  }
  assert.equal(
    (await office(t, { autosign_file: list, permissive_pki_access: true }).signed()).get('enc'),
    'pub',
  );
  const byStub = office(t);
  writeFileSync(join(byStub.root, 'minions_autosign', 'm1'), '');
  assert.equal((await byStub.signed()).get('enc'), 'pub');
  assert.equal(existsSync(join(byStub.root, 'minions_autosign', 'm1')), false, 'the stub is used up');
  const grains = join(places, 'grains');
  mkdirSync(grains);
  writeFileSync(join(grains, 'uuid'), '# known\nabc\n5\n', { mode: 0o644 });
  const options = { autosign_grains_dir: grains };
  assert.equal(
    (await office(t, options).signed({ autosign_grains: dict({ uuid: 'abc' }) })).get('enc'),
    'pub',
  );
  for (const wrong of [
    dict({ uuid: 'abd' }),
    dict({ '../grains/uuid': 'abc' }),
    dict({ uuid: ['abc', 'x'] }),
    dict({ uuid: 5 }),
    'abc',
  ]) {
    assert.equal(ret(await office(t, options).signed({ autosign_grains: wrong as Value })), true);
  }
});

test('authenticator - auth_events_autosign_grains: events of these acts have the grains that were sent', async (t) => {
  for (const [acts, options, has] of [
    [['pend'], {}, true],
    [['accept'], {}, false],
    [['accept'], { auto_accept: true }, true],
    [[], {}, false],
  ] as const) {
    const here = office(t, { ...options, auth_events_autosign_grains: [...acts] });
    await here.signed({ autosign_grains: dict({ uuid: 'abc' }) });
    assert.deepEqual(here.events.at(-1)?.get('autosign_grains'), has ? dict({ uuid: 'abc' }) : undefined);
    await here.signed();
    assert.equal(here.events.at(-1)?.has('autosign_grains'), false);
  }
});

test('authenticator - 14: garbage instead of a key is stored nowhere (CVE-2013-2228, CVE-2017-14696)', async (t) => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  const garbage: Value[] = [
    '',
    'no key',
    weak,
    curve,
    keyPair('m1').pem,
    7,
    null,
    dict({}),
    Buffer.from([255, 254]),
    'x'.repeat(20_000),
  ];
  for (const options of [{}, { auto_accept: true }, { open_mode: true }]) {
    const here = office(t, options);
    for (const pub of garbage) {
      assert.equal(ret(openSigned(await here.ask(authLoad('m1', 'x', { pub })), 'PKCS1v15-SHA1')), false);
    }
    assert.equal(where(here), 'nowhere');
    assert.equal(existsSync(join(here.root, 'sessions', 'm1')), false);
  }
});

test('authenticator - 15 and 16: algorithms that nobody knows', async (t) => {
  const here = office(t, { auto_accept: true });
  const unsigned = async (change: DictInit): Promise<unknown> => {
    const reply = await here.ask(authLoad('m1', mine.publicKey.pem, change));
    assert.equal(reply.has('sig'), false);
    return (reply.get('load') as Dict).get('ret');
  };
  for (const sig_algo of ['md5', '__proto__', 7, null] as Value[])
    assert.equal(await unsigned({ sig_algo: sig_algo ?? 'none' }), 'bad sig algo');
  const token = master.publicKey.encrypt(Buffer.from('t'), 'OAEP-SHA1');
  assert.equal(await unsigned({ enc_algo: 'ROT13', token }), 'bad enc algo');
  assert.equal(await unsigned({ enc_algo: 'ROT13' }), 'bad enc algo');
});

test('authenticator - 17: the acceptance, field by field, with both pairs of algorithms', async (t) => {
  for (const [enc_algo, sig_algo] of [
    ['OAEP-SHA1', 'PKCS1v15-SHA1'],
    ['OAEP-SHA224', 'PKCS1v15-SHA224'],
  ] as const) {
    const here = office(t, { auto_accept: true, publish_port: 14505 }, { signs: true });
    const token = master.publicKey.encrypt(Buffer.from(TOKEN), enc_algo);
    const content = await here.signed({ enc_algo, sig_algo, token });
    assert.deepEqual(
      [...content.keys()],
      ['enc', 'pub_key', 'publish_port', 'pub_sig', 'token', 'aes', 'session', 'sig', 'nonce'],
    );
    const open = (name: string): string | undefined =>
      mine.decrypt(asBytes(content.get(name)) as Buffer, enc_algo)?.toString();
    assert.equal(content.get('pub_key'), master.publicKey.pem);
    assert.equal(content.get('publish_port'), 14505);
    assert.equal(content.get('pub_sig'), 'c2lnbmVk\n');
    assert.equal(open('token'), TOKEN);
    assert.equal(open('aes'), here.shared.keyString.reveal());
    assert.match(open('session') ?? '', /^[A-Za-z0-9+/]{75}=$/);
    assert.notEqual(open('session'), open('aes'));
    const digest = createHash('sha256').update(here.shared.keyString.reveal()).digest('hex');
    assert.ok(master.publicKey.opensTo(asBytes(content.get('sig')) as Buffer, Buffer.from(digest)));
    assert.deepEqual(last(here), ['salt/auth', true, 'accept', 'm1']);
  }
});

test('authenticator - the masters of a cluster are told to who comes by the usual transport, whose addresses they are', async (t) => {
  const { ask } = office(t, { open_mode: true }, { masters: ['a:4506', 'b:4506'] });
  const told = async (publishPort: number): Promise<unknown> => {
    const reply = openSigned(
      await ask(authLoad('m1', mine.publicKey.pem, {}), 3, publishPort),
      'PKCS1v15-SHA1',
    );
    return [reply.get('publish_port'), reply.get('masters')];
  };
  assert.deepEqual(await told(0), [4505, ['a:4506', 'b:4506']]);
  assert.deepEqual(await told(4510), [4510, undefined]);
});

test('authenticator - fips_mode: neither signs nor encrypts with SHA-1 for anybody', async (t) => {
  const here = office(t, { auto_accept: true, fips_mode: true });
  const answer = async (enc_algo: string, sig_algo: string): Promise<Value | undefined> =>
    ((await here.ask(authLoad('m1', mine.publicKey.pem, { enc_algo, sig_algo }))).get('load') as Dict).get(
      'ret',
    );
  assert.equal(await answer('OAEP-SHA224', 'PKCS1v15-SHA1'), 'bad sig algo');
  assert.equal(await answer('OAEP-SHA1', 'PKCS1v15-SHA224'), 'bad enc algo');
  const content = await here.signed({ enc_algo: 'OAEP-SHA224', sig_algo: 'PKCS1v15-SHA224' });
  assert.equal(content.get('enc'), 'pub');
});

test('authenticator - a token that cannot be opened is left out, not answered with an error', async (t) => {
  const here = office(t, { auto_accept: true });
  for (const token of [Buffer.alloc(256, 200), Buffer.alloc(0), Buffer.alloc(5000, 200), 'text'])
    assert.equal((await here.signed({ token })).has('token'), false);
});

test('authenticator - a nonce is 32 hexadecimal characters, else nothing is signed or stored (issue 9, row 1)', async (t) => {
  const here = office(t, { auto_accept: true });
  const nonces: (Value | undefined)[] = [
    ...['', NEARLY, `${NONCE}0`, `${NEARLY}g`, `${NONCE}\n`, `${NEARLY}\n`, 'x'.repeat(64), 'é'.repeat(16)],
    ...[
      Buffer.from(NONCE + NONCE),
      Buffer.alloc(32, 0xff),
      7,
      null,
      [NONCE],
      dict({ [NONCE]: 1 }),
      undefined,
    ],
  ];
  for (const nonce of nonces) {
    const load = authLoad('m1', mine.publicKey.pem, { nonce });
    for (const version of [2, 3, 99])
      assert.equal(await here.ask(load, version), 'bad load', `${version}: ${String(nonce)}`);
    if (nonce !== undefined) assert.equal(await here.ask(load, 0), 'bad load');
  }
  assert.equal(where(here), 'nowhere');
  assert.equal(here.events.length, 0);
  assert.ok(here.lines.length <= 12, 'counted, not written each time');
  const old = authLoad('m1', mine.publicKey.pem);
  old.delete('nonce');
  assert.equal((await here.ask(old, 0)).get('enc'), 'pub', 'versions below 2 have none');
});

test('authenticator - no token of another form is opened for anybody', async (t) => {
  const here = office(t, { auto_accept: true });
  for (const text of ['t', 'x'.repeat(76), `${TOKEN}=`, `${TOKEN.slice(0, 75)}\n`]) {
    const token = master.publicKey.encrypt(Buffer.from(text), 'OAEP-SHA1');
    assert.equal((await here.signed({ token })).has('token'), false, text);
  }
});

test('authenticator - weak keys are refused with a sentence, also where they were accepted by hand (issue 9, row 14)', async (t) => {
  const weak: [string, number, number, RegExp][] = [
    ['e3', 2048, 3, /the public exponent 3; only 65537 is accepted/],
    ['e17', 2048, 17, /the public exponent 17; only 65537/],
    ['short', 2046, 65537, /has 2046 bits; multiples of 8 from 2048 to 16384/],
    ['odd', 2050, 65537, /has 2050 bits; multiples of 8/],
  ];
  for (const [id, modulusLength, publicExponent, sentence] of weak) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const options of [{}, { auto_accept: true }, { open_mode: true }]) {
      const here = office(t, options);
      assert.equal(ret(openSigned(await here.ask(authLoad(id, pem)), 'PKCS1v15-SHA1')), false);
      assert.equal(here.keys.state(id), undefined);
      assert.match(here.lines.join('\n'), sentence);
      writeFileSync(join(here.root, 'minions', id), pem);
      const again = openSigned(await here.ask(authLoad(id, pem)), 'PKCS1v15-SHA1');
      assert.equal(ret(again), false, 'accepted by hand');
    }
  }
});

test('authenticator - versions below 2 are answered unsigned', async (t) => {
  const here = office(t);
  const refusal = await here.ask(authLoad('m1', mine.publicKey.pem), 0);
  assert.deepEqual(refusal, dict({ enc: 'clear', load: dict({ ret: true }) }));
  const accepted = await office(t, { auto_accept: true }).ask(authLoad('m1', mine.publicKey.pem), 1);
  assert.equal(accepted.get('enc'), 'pub');
  assert.ok(isDict(accepted) && !accepted.has('load'));
});

test('authenticator - the event of a key that cannot be used says so, too (salt issue 56200)', async (t) => {
  for (const options of [{}, { auto_accept: true }, { open_mode: true }]) {
    const here = office(t, options);
    for (const pub of ['no key', mine.publicKey.pem.slice(0, 200), '']) {
      assert.equal(ret(await here.signed({ pub })), false);
      assert.deepEqual(last(here), ['salt/auth', false, 'error', 'm1'], JSON.stringify([options, pub]));
    }
  }
  const here = office(t);
  writeFileSync(join(here.root, 'minions', 'm1'), 'no key');
  assert.equal(ret(await here.signed({ pub: 'no key' })), false);
  assert.deepEqual(last(here), ['salt/auth', false, 'error', 'm1']);
});

test('authenticator - auth_events off fires nothing', async (t) => {
  const here = office(t, { auth_events: false, auto_accept: true });
  await here.signed();
  assert.equal(here.events.length, 0);
});

test('authenticator - too many pending keys: the next is turned away, kindly, and the disk stays as it is', async (t) => {
  const here = office(t, {}, { undecidedMax: 3 });
  for (let i = 0; i < 50; i++) {
    const content = openSigned(await here.ask(authLoad(`f${i}`, mine.publicKey.pem)), 'PKCS1v15-SHA1');
    assert.equal(ret(content), i < 3 ? true : 'full');
  }
  assert.equal(readdirSync(join(here.root, 'minions_pre')).length, 3);
  assert.ok(here.lines.filter((line) => line.startsWith('warning')).length <= 10);
});

test('authenticator - loads made of anything get one answer each', async (t) => {
  const here = office(t, { auto_accept: true });
  const odd: Value[] = [
    null,
    true,
    0,
    -1,
    1.5,
    '',
    '\0',
    'x'.repeat(5000),
    [],
    ['x'],
    dict({}),
    dict({ a: [1] }),
    Buffer.from([255]),
    2n ** 63n,
  ];
  const fields = ['id', 'nonce', 'enc_algo', 'sig_algo', 'pub', 'token', 'autosign_grains'];
  for (const field of fields) {
    for (const value of odd) {
      const answer = await here.ask(authLoad('m9', 'x', { [field]: value }));
      if (field === 'nonce') assert.equal(answer, 'bad load');
      else assert.ok(isDict(answer));
    }
  }
});
