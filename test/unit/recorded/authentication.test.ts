/**
 * Every recorded authentication, from both sides: our minion reads the master's reply, our master answers the minion's
 * request.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  authenticate,
  type AuthClient,
  type AuthOutcome,
} from '../../../src/network/channel/client/authenticate.ts';
import { SessionKeys } from '../../../src/network/channel/session-keys.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { Options } from '../../../src/config/option.ts';
import { Crypticle } from '../../../src/network/crypto/crypticle.ts';
import { isEncryptionAlgorithm, isSigningAlgorithm } from '../../../src/network/crypto/rsa.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { systemRandom, type Random } from '../../../src/host/random.ts';
import { Secret } from '../../../src/host/secret.ts';
import { KeyStore } from '../../../src/storage/keys/store.ts';
import { Authenticator } from '../../../src/programs/master/auth/authenticator.ts';
import { AutoKey } from '../../../src/programs/master/auth/autosign.ts';
import { publicKeySigner } from '../../../src/programs/master/master-key.ts';
import type { Requester } from '../../../src/network/transport/zmtp/requester.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../src/python/values/value.ts';
import { asBytes, decode, encode } from '../../../src/formats/wire/msgpack.ts';
import { authClient, folder, keptLog, keyPolicy } from '../../support/attacker.ts';
import { bytes, RecordedKeys, rowsOf, SALTS } from './recording.ts';

interface Row {
  readonly name: string;
  readonly result: string;
  readonly origin: string;
  readonly recording: string;
  readonly id: string | null;
  readonly version: number;
  readonly minionKey?: string;
  readonly aesKey?: string;
  readonly sessionKey?: string;
  readonly pubSigBy?: string;
  readonly request: string;
  readonly reply: string | null;
}

const DEFAULTS = { encAlgo: 'OAEP-SHA1', sigAlgo: 'PKCS1v15-SHA1' };

for (const version of SALTS) {
  const keys = new RecordedKeys(version);
  const rows = rowsOf<Row>(version, 'auth');

  test(`recorded ${version} - our minion understands every outcome`, async (t) => {
    const usable = rows.filter((row) => row.reply !== null && row.minionKey !== undefined);
    assert.ok(usable.length > 40);
    for (const row of usable) await checkOutcome(t, keys, row);
  });

  test(`recorded ${version} - a reply to another request, or by another master, is not trusted`, async (t) => {
    const row = rows.find(({ name }) => name.startsWith('main: second start of web1')) as Row;
    const minion = new RecordedMinion(t, keys, row);
    await assert.rejects(minion.attempt({ nonce: Buffer.alloc(16) }), /nonce did not validate/);
    await assert.rejects(minion.attempt({ token: Buffer.alloc(56) }), /not the master we know/);
    minion.pin('rogue');
    await assert.rejects(minion.attempt({}), /public key has changed/);
  });

  for (const recording of ['main', 'keys', 'sign', 'full', 'risky']) {
    test(`recorded ${version} - our master answers as the recorded one, configured as for ${recording}`, async (t) => {
      const master = new RecordedMaster(t, version, keys, recording);
      for (const row of rows.filter((each) => each.recording === recording)) await master.compare(row);
    });
  }
}

/** The load of a recorded request. */
function loadOf(row: Row): Dict {
  return (decode(bytes(row.request), 'network') as Dict).get('load') as Dict;
}

/** A minion that says again what was said in a recording. */
class RecordedMinion {
  readonly load: Dict;
  sent: Buffer | undefined;
  readonly #keys: RecordedKeys;
  readonly #row: Row;
  readonly #pki: string;

  constructor(t: TestContext, keys: RecordedKeys, row: Row) {
    this.load = loadOf(row);
    this.#keys = keys;
    this.#row = row;
    this.#pki = folder(t);
    if (this.load.has('token')) this.pin('master');
    if (row.pubSigBy !== undefined)
      writeFileSync(join(this.#pki, 'master_sign.pub'), keys.publicFile(row.pubSigBy));
  }

  /** Trusts this key as the master's. */
  pin(name: string): void {
    writeFileSync(join(this.#pki, 'minion_master.pub'), this.#keys.publicFile(name));
  }

  /** Reads the recorded reply, with these instead of the recorded random bytes. */
  attempt(change: { nonce?: Buffer; token?: Buffer }): Promise<AuthOutcome> {
    const { load } = this;
    const token = asBytes(load.get('token'));
    const opened = token && this.#keys.pair('master').decrypt(token, this.#algorithms().encAlgo);
    const nonce = change.nonce ?? Buffer.from(String(load.get('nonce') ?? ''), 'hex');
    const key = change.token ?? Buffer.from(opened?.toString() ?? '', 'base64');
    const random: Random = {
      ...systemRandom,
      bytes: (count) => (count === 16 ? nonce : key.length === count ? key : Buffer.alloc(count)),
    };
    const requester = {
      request: async (body: Buffer) => {
        this.sent = body;
        return bytes(this.#row.reply as string);
      },
    } as unknown as Requester;
    return authenticate(this.#client(random), requester, 1000);
  }

  #client(random: Random): AuthClient {
    const { sigAlgo, encAlgo } = this.#algorithms();
    const policy = keyPolicy(this.#pki, {
      verifySigned: this.#row.pubSigBy !== undefined,
      signingAlgorithm: sigAlgo,
    });
    const grains = this.load.get('autosign_grains');
    const key = this.#keys.pair(this.#row.minionKey as string);
    return {
      ...authClient(String(this.#row.id), key, policy),
      encAlgo,
      sigAlgo,
      autosignGrains: grains !== undefined && isDict(grains) ? grains : new Map(),
      random,
    };
  }

  /** The algorithms of the request; our minion knows no others. */
  #algorithms(): typeof DEFAULTS {
    const encAlgo = String(this.load.get('enc_algo'));
    const sigAlgo = String(this.load.get('sig_algo'));
    return {
      encAlgo: isEncryptionAlgorithm(encAlgo) ? encAlgo : DEFAULTS.encAlgo,
      sigAlgo: isSigningAlgorithm(sigAlgo) ? sigAlgo : DEFAULTS.sigAlgo,
    };
  }
}

/** What our minion makes of each recorded result. */
async function checkOutcome(t: TestContext, keys: RecordedKeys, row: Row): Promise<void> {
  const minion = new RecordedMinion(t, keys, row);
  const attempt = minion.attempt({});
  if (row.version < 2 || row.result === 'text' || row.result.startsWith('ret "bad')) {
    await assert.rejects(attempt, { name: 'AuthenticationError' }, row.name);
    return;
  }
  const outcome = await attempt;
  const kinds = new Map([
    ['accepted', 'accepted'],
    ['ret true', 'pending'],
    ['ret false', 'rejected'],
    ['ret "full"', 'full'],
  ]);
  assert.equal(outcome.kind, kinds.get(row.result), row.name);
  if (outcome.kind === 'accepted') {
    const { shared, session, masterKey } = outcome.credentials;
    assert.equal(shared.keyString.reveal(), row.aesKey, row.name);
    assert.equal(session.keyString.reveal(), row.sessionKey, row.name);
    assert.equal(masterKey.pem, keys.pair('master').publicKey.pem);
  }
  if (row.origin.startsWith('real') && row.version === 3) sameRequest(minion, row);
}

/** A real minion's request is ours byte for byte, but for the wrapping of the token. */
function sameRequest(minion: RecordedMinion, row: Row): void {
  const theirs = decode(bytes(row.request), 'network') as Dict;
  const ours = decode(minion.sent as Buffer, 'network') as Dict;
  for (const message of [theirs, ours]) {
    const load = message.get('load') as Dict;
    if (load.has('token')) load.set('token', 'wrapped');
  }
  assert.deepEqual(encode(ours, 'network'), encode(theirs, 'network'), row.name);
}

/** What the operator did just before a request. */
const OPERATOR: ReadonlyMap<string, (keys: KeyStore) => void> = new Map([
  ['keys: web1 accepted after pending', (keys: KeyStore) => void keys.move('web1', 'pending', 'accepted')],
  ['keys: db1 rejected', (keys: KeyStore) => void keys.move('db1', 'pending', 'rejected')],
]);

/** A master of ours with the keys, and in the situation, of a recorded one. */
class RecordedMaster {
  readonly #keys: RecordedKeys;
  readonly #store: KeyStore;
  readonly #root: string;
  readonly #authenticator: Authenticator;
  #row: Row | undefined;

  constructor(t: TestContext, version: string, keys: RecordedKeys, recording: string) {
    this.#keys = keys;
    this.#root = folder(t);
    this.#store = new KeyStore(this.#root, { undecidedMax: 100 });
    this.#store.ensureFolders();
    const opts = new Options(masterOptions, dict(this.#options(version, recording)));
    const { log } = keptLog();
    const masterKey = keys.pair('master');
    this.#authenticator = new Authenticator({
      opts,
      masterKey,
      keys: this.#store,
      autoKey: new AutoKey(opts, this.#store, log),
      sessions: new SessionKeys(join(this.#root, 'sessions'), 86_400_000, systemClock),
      sharedKey: () =>
        new Crypticle(new Secret((this.#row as Row).aesKey ?? (keys.shared(recording)[0] as string))),
      signPublicKey: publicKeySigner(opts, masterKey),
      isDraining: () => false,
      connectedIds: async () => new Set(this.#row?.result.includes('full') ? ['web1', 'db1'] : []),
      fireEvent: () => undefined,
      log,
    });
  }

  async compare(row: Row): Promise<void> {
    this.#row = row;
    OPERATOR.get(row.name)?.(this.#store);
    if (row.sessionKey !== undefined)
      writeFileSync(join(this.#root, 'sessions', String(row.id)), row.sessionKey);
    const reply = await this.#authenticator.authenticate(loadOf(row), row.version);
    // a real master leaves these without an answer, and 'text' is the door's own
    if (row.reply === null || row.result === 'text') return;
    const ours = decode(encode(reply, 'network'), 'network') as Dict;
    const theirs = decode(bytes(row.reply), 'network') as Dict;
    if (row.result !== 'accepted') assert.deepEqual(encode(ours, 'network'), bytes(row.reply), row.name);
    else if (row.version < 2) this.#compareAcceptance(ours, theirs, row);
    else this.#compareSigned(ours, theirs, row);
  }

  #compareSigned(ours: Dict, theirs: Dict, row: Row): void {
    assert.deepEqual([...ours.keys()], [...theirs.keys()], row.name);
    const sigAlgo = String(loadOf(row).get('sig_algo') ?? DEFAULTS.sigAlgo);
    const load = asBytes(ours.get('load')) as Buffer;
    const { publicKey } = this.#keys.pair('master');
    assert.ok(publicKey.verify(load, asBytes(ours.get('sig')) as Buffer, sigAlgo), row.name);
    const theirLoad = decode(asBytes(theirs.get('load')) as Buffer, 'network') as Dict;
    this.#compareAcceptance(decode(load, 'network') as Dict, theirLoad, row);
  }

  /** The same fields in the same order, the same bytes but for wrapped keys, and the same keys inside these. */
  #compareAcceptance(ours: Dict, theirs: Dict, row: Row): void {
    assert.deepEqual([...ours.keys()], [...theirs.keys()], row.name);
    const pair = this.#keys.pair(row.minionKey as string);
    const encAlgo = String(loadOf(row).get('enc_algo') ?? DEFAULTS.encAlgo);
    const opened = (value: Value | undefined): string | undefined =>
      pair.decrypt(asBytes(value) as Buffer, encAlgo)?.toString();
    for (const [field, value] of theirs) {
      const own = ours.get(field) as Value;
      if (['aes', 'session', 'token'].includes(String(field))) {
        assert.notEqual(opened(own), undefined);
        // a minion that is new, or has a new key, gets a new session
        const session = readFileSync(join(this.#root, 'sessions', String(row.id)), 'utf8');
        assert.equal(
          opened(own),
          field === 'session' ? session : opened(value),
          `${row.name}: ${String(field)}`,
        );
      } else assert.deepEqual(own, value, `${row.name}: ${String(field)}`);
    }
  }

  #options(version: string, recording: string): DictInit {
    const ports: Record<string, number> = { keys: 10, sign: 20, full: 50 };
    const port = (version === '3006.16' ? 23000 : 24000) + (ports[recording] ?? 0);
    const common = { pki_dir: this.#root, publish_port: port };
    if (recording === 'keys') {
      const grains = join(this.#root, 'grains');
      mkdirSync(grains);
      for (const [name, value] of AUTOSIGN) writeFileSync(join(grains, name), `${value}\n`);
      return { ...common, autosign_grains_dir: grains };
    }
    const sign = { master_sign_pubkey: true };
    writeFileSync(join(this.#root, 'master_sign.pem'), this.#keys.privateFile('master_sign'));
    return {
      ...common,
      auto_accept: true,
      ...(recording === 'sign' ? sign : {}),
      ...(recording === 'full' ? { max_minions: 1 } : {}),
    };
  }
}

/** The grains by which the recorded master let a minion in. */
const AUTOSIGN: readonly (readonly [string, string])[] = [['serial', 'S-77']];
