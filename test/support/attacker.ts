/** What tests of doors, locks and wires are made of: keys, logs that are kept, and a minion that can also lie. */
import { createCipheriv, createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  authenticate,
  type AuthClient,
  type AuthOutcome,
  type MinionCredentials,
} from '../../src/network/channel/client/authenticate.ts';
import { PublicationReader, type PublicationPolicy } from '../../src/network/channel/client/publication.ts';
import { MasterKeyring, type MasterKeyPolicy } from '../../src/network/channel/client/master-key.ts';
import { RsaPrivateKey } from '../../src/network/crypto/rsa.ts';
import { systemClock } from '../../src/host/clock.ts';
import { createLogger, type Logger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { Requester } from '../../src/network/transport/zmtp/requester.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode, encode, type Encodable } from '../../src/formats/wire/msgpack.ts';

const pairs = new Map<string, { pem: string; key: RsaPrivateKey }>();

/** A key pair by name, made once. */
export function keyPair(name: string): { pem: string; key: RsaPrivateKey } {
  let pair = pairs.get(name);
  if (pair === undefined) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    pair = { pem, key: RsaPrivateKey.parse(pem) };
    pairs.set(name, pair);
  }
  return pair;
}

/** A folder that goes away with the test. */
export function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'bu-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A logger that keeps its lines as `level: message`. */
export function keptLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = createLogger('test', [
    { level: 0, write: ({ level, message }) => lines.push(`${level}: ${message}`) },
  ]);
  return { log, lines };
}

/** A minion's policy about its master's key. */
export function keyPolicy(pkiDir: string, change: Partial<MasterKeyPolicy> = {}): MasterKeyPolicy {
  return {
    pkiDir,
    pinnedName: 'minion_master.pub',
    openMode: false,
    finger: '',
    hashType: 'sha256',
    verifySigned: false,
    alwaysVerifySigned: false,
    signKeyName: 'master_sign',
    signingAlgorithm: 'PKCS1v15-SHA1',
    ...change,
  };
}

/** Who authenticates, with usual algorithms. */
export function authClient(id: string, key: RsaPrivateKey, policy: MasterKeyPolicy): AuthClient {
  return {
    id,
    key,
    keyring: new MasterKeyring(policy),
    encAlgo: 'OAEP-SHA1',
    sigAlgo: 'PKCS1v15-SHA1',
    autosignGrains: new Map(),
    random: systemRandom,
  };
}

/** Reads publications as a minion that begins with an empty memory. */
export function publicationReader(
  requireSignature: boolean,
  change: Partial<PublicationPolicy> = {},
): PublicationReader {
  const serials = new Map<string, number>();
  const signers = new Set<string>();
  return new PublicationReader({
    requireSignature,
    requireSerial: true,
    withoutSha1: false,
    serials: {
      lastSerial: (mark) => serials.get(mark) ?? 0,
      noteSerial: (mark, serial) => void serials.set(mark, serial),
    },
    signers: { has: (key) => signers.has(key), note: (key) => void signers.add(key) },
    ...change,
  });
}

/**
 * A reply to `_auth` that is at the same time a publication: its nonce is made so that the whole opens with the shared
 * key. Salt's masters sign it, because they repeat any nonce.
 * @param ret what the master answers to this request: false, or true for a key that waits
 * @param load the job, with a serial above those that were published
 */
export function replyThatIsAPublication(
  sharedKey: string,
  ret: boolean,
  load: Readonly<Record<string, Encodable>>,
): { readonly nonce: Buffer; readonly reply: Buffer } {
  const key = Buffer.from(sharedKey, 'base64');
  const plain = Buffer.concat([Buffer.from('pickle::'), encode(load, 'network')]);
  const sealedBytes = (Math.floor(plain.length / 16) + 1) * 16;
  // 15 bytes stand before the nonce; the initialisation vector takes its first byte
  const nonce = Buffer.alloc(1 + sealedBytes + 32, 0x61);
  const iv = encode({ ret, nonce }, 'network').subarray(0, 16);
  const cipher = createCipheriv('aes-192-cbc', key.subarray(0, 24), iv);
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  const mac = createHmac('sha256', key.subarray(24)).update(sealed).digest();
  Buffer.concat([sealed.subarray(15), mac]).copy(nonce);
  return { nonce, reply: encode({ ret, nonce }, 'network') };
}

/** The fields of a request that a liar may choose; an undefined one is left out. */
export interface Lies {
  /** Fields of the envelope. */
  readonly outer?: Readonly<Record<string, Encodable | undefined>>;
  /** Fields of the sealed load. */
  readonly inner?: Readonly<Record<string, Encodable | undefined>>;
  /** Seals with another key than our session's. */
  readonly sealWith?: { dumps(value: Encodable): Buffer };
}

/** A version 3 request as a minion makes it, with some of it changed. */
export function requestBytes(
  id: string,
  key: RsaPrivateKey,
  session: { dumps(value: Encodable): Buffer },
  load: Readonly<Record<string, Encodable | undefined>>,
  lies: Lies = {},
): Buffer {
  const inner = {
    ...load,
    nonce: systemRandom.bytes(16).toString('hex'),
    ts: Math.floor(systemClock.nowMs() / 1000),
    tok: key.signX931(Buffer.from('salt')),
    id,
    ...lies.inner,
  };
  const outer = {
    enc: 'aes',
    load: (lies.sealWith ?? session).dumps(inner),
    version: 3,
    id,
    enc_algo: 'OAEP-SHA1',
    sig_algo: 'PKCS1v15-SHA1',
    ...lies.outer,
  };
  return encode(outer, 'network');
}

/** A minion made of the channel's own code that says whatever the test wants. */
export class Attacker {
  readonly id: string;
  readonly key: RsaPrivateKey;
  readonly client: AuthClient;
  readonly requester: Requester;
  credentials: MinionCredentials | undefined;

  constructor(t: TestContext, id: string, port: number, keyName = id) {
    this.id = id;
    this.key = keyPair(keyName).key;
    this.client = authClient(id, this.key, keyPolicy(folder(t)));
    this.requester = rawRequester(t, port);
  }

  async authenticate(): Promise<AuthOutcome> {
    const outcome = await authenticate(this.client, this.requester, 20_000);
    if (outcome.kind === 'accepted') this.credentials = outcome.credentials;
    return outcome;
  }

  /** Bytes of a request. */
  request(load: Readonly<Record<string, Encodable | undefined>>, lies: Lies = {}): Buffer {
    return requestBytes(this.id, this.key, this.session, load, lies);
  }

  /** Sends bytes as they are. @returns the reply, decoded but not opened */
  async send(bytes: Buffer, timeoutMs = 20_000): Promise<Value> {
    return decode(await this.requester.request(bytes, timeoutMs), 'network');
  }

  /** Sends a request and opens its reply. */
  async call(load: Readonly<Record<string, Encodable | undefined>>): Promise<Value | undefined> {
    const nonce = systemRandom.bytes(16).toString('hex');
    const reply = await this.requester.request(this.request(load, { inner: { nonce } }), 20_000);
    const sealed = decode(reply, 'network');
    if (!(sealed instanceof Uint8Array)) throw new Error(`an open reply: ${String(sealed)}`);
    return this.session.loads(Buffer.from(sealed), nonce);
  }

  get session(): MinionCredentials['session'] {
    if (this.credentials === undefined) throw new Error(`${this.id} has no session`);
    return this.credentials.session;
  }
}

/** A requester that speaks ZMTP and says what it is given. */
export function rawRequester(t: TestContext, port: number): Requester {
  const requester = new Requester({
    address: () => ({ host: '127.0.0.1', port }),
    messageBytesMax: 64 * 1024 * 1024,
    pendingMax: 10_000,
    reconnectMs: { min: 20, max: 200 },
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => requester.close());
  return requester;
}

/** A request in the clear. */
export function clearBytes(
  load: Readonly<Record<string, Encodable | undefined>>,
  version: number | undefined = 3,
): Buffer {
  return encode({ enc: 'clear', load, version }, 'network');
}

/** The load of a `_return`. */
export function returnOf(jid: string, value: Value = true): Readonly<Record<string, Encodable>> {
  return { cmd: '_return', jid, fun: 'test.ping', fun_args: [], return: value, retcode: 0, success: true };
}

/** The load of an `_auth` of version 3. */
export function authLoad(id: string, pub: string, change: Parameters<typeof dict>[0] = {}): Dict {
  return dict({
    cmd: '_auth',
    id,
    nonce: '0123456789abcdef0123456789abcdef',
    enc_algo: 'OAEP-SHA1',
    sig_algo: 'PKCS1v15-SHA1',
    pub,
    ...change,
  });
}

/**
 * Writes bytes to a socket.
 * @returns what came back before the other side closed; a side that stays silent is left after `patienceMs`
 */
export function poke(
  address: { port: number } | { path: string },
  bytes: readonly Buffer[],
  patienceMs = 500,
): Promise<{ closed: boolean; received: Buffer }> {
  return new Promise((resolve) => {
    const socket = connect('path' in address ? address : { host: '127.0.0.1', port: address.port });
    const received: Buffer[] = [];
    const timer = systemClock.after(patienceMs, () => finish(false));
    const finish = (closed: boolean): void => {
      timer.cancel();
      socket.destroy();
      resolve({ closed, received: Buffer.concat(received) });
    };
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
    for (const each of bytes) socket.write(each);
  });
}
