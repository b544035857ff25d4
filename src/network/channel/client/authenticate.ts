/**
 * The minion's half of `_auth`: one attempt, every outcome (docs/internals/wire-protocol.md#authentication;
 * salt/crypt.py, 3006.16).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Crypticle, generateKeyString, isKeyString } from '../../crypto/crypticle.ts';
import type { RsaPrivateKey, RsaPublicKey } from '../../crypto/rsa.ts';
import { AuthenticationError } from '../../../errors/errors.ts';
import type { Random } from '../../../host/random.ts';
import { Secret } from '../../../host/secret.ts';
import type { RequestClient } from '../../transport/transport.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { CLEAR } from '../../../formats/wire/budget.ts';
import { PROTOCOL_VERSION } from '../../../formats/wire/envelope.ts';
import { asBytes, decode, encode, type Encodable } from '../../../formats/wire/msgpack.ts';
import { isMasterFailure } from '../master-failure.ts';
import { SEVERAL_MASTERS, type MasterKeyring } from './master-key.ts';

/** More masters than any cluster has. */
const MASTERS_MAX = 64;
/** A host or an address, perhaps with a port. */
const MASTER = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?::\d{1,5})?$/;

/** What an accepted minion holds until the next authentication. */
export interface MinionCredentials {
  /** The key that all minions share: opens publications. */
  readonly shared: Crypticle;
  /** The key of this minion alone: requests and their replies. */
  readonly session: Crypticle;
  readonly publishPort: number;
  readonly masterKey: RsaPublicKey;
  /** Where the masters of its cluster are; nothing from a master that stands alone. */
  readonly masters?: readonly string[];
}

/** How an attempt ended. */
export type AuthOutcome =
  | { readonly kind: 'accepted'; readonly credentials: MinionCredentials }
  | { readonly kind: 'pending' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'full' };

/** Who authenticates, and how. */
export interface AuthClient {
  readonly id: string;
  readonly key: RsaPrivateKey;
  readonly keyring: MasterKeyring;
  /** `encryption_algorithm` */
  readonly encAlgo: string;
  /** `signing_algorithm` */
  readonly sigAlgo: string;
  /** `minion_sign_messages` */
  readonly signsMessages?: boolean;
  /** `autosign_grains` with their values; empty when there are none */
  readonly autosignGrains: Dict;
  readonly random: Random;
}

/**
 * One attempt.
 * @param timeoutMs `auth_timeout`
 * @throws UnreachableError when there is no answer, AuthenticationError when the answer cannot be trusted
 */
export async function authenticate(
  client: AuthClient,
  requester: RequestClient,
  timeoutMs: number,
): Promise<AuthOutcome> {
  const nonce = client.random.bytes(16).toString('hex');
  const token = generateKeyString(client.random);
  const pinned = client.keyring.pinned();
  const wrappedToken = pinned?.encrypt(Buffer.from(token.reveal()), client.encAlgo);
  const load: Encodable = {
    cmd: '_auth',
    id: client.id,
    nonce,
    enc_algo: client.encAlgo,
    sig_algo: client.sigAlgo,
    autosign_grains: client.autosignGrains.size > 0 ? client.autosignGrains : undefined,
    token: wrappedToken,
    pub: client.key.publicKey.pem,
  };
  const body = encode({ enc: 'clear', load, version: PROTOCOL_VERSION }, 'network');
  const reply = openReply(await requester.request(body, timeoutMs), client);
  verifyNonce(reply.content, nonce);
  return readOutcome(reply, client, pinned === undefined ? undefined : { token, wrappedFor: pinned });
}

/** The master failed at the authentication: nothing is said of who is right. */
export class MasterFailedError extends AuthenticationError {}

/** What only the holder of a master's key can give back. */
interface SentToken {
  readonly token: Secret;
  readonly wrappedFor: RsaPublicKey;
}

/** A reply whose signature has been checked. */
interface SignedReply {
  readonly content: Dict;
  readonly masterKey: RsaPublicKey;
  readonly isNewKey: boolean;
}

function openReply(bytes: Buffer, client: AuthClient): SignedReply {
  const outer = decodeMap(bytes);
  const inner = outer.get('load');
  if (inner !== undefined && isDict(inner)) throw unsignedReply(inner);
  const load = asBytes(inner);
  const sig = asBytes(outer.get('sig'));
  if (load === undefined || sig === undefined) {
    throw new AuthenticationError(
      'The master answered the authentication in a form that we do not speak; it needs Salt 3006.12 or newer, 3007.4 or newer, or Brine.',
    );
  }
  const content = decodeMap(load);
  const presented = content.get('pub_key');
  const pubSig = content.get('pub_sig');
  const judged =
    typeof presented === 'string'
      ? client.keyring.judge(presented, typeof pubSig === 'string' ? pubSig : undefined)
      : { key: client.keyring.pinned(), isNew: false };
  // a refusal names no key: before the first acceptance there is nothing to check it with
  if (judged.key === undefined) return { content, masterKey: client.key.publicKey, isNewKey: false };
  if (!judged.key.verify(load, sig, client.sigAlgo)) {
    throw new AuthenticationError(
      `The payload signature did not validate: it was not made with the master's key in ${client.keyring.path}. ` +
        `If the master has a new key on purpose, remove that file and restart the minion. ${SEVERAL_MASTERS}`,
    );
  }
  return { content, masterKey: judged.key, isNewKey: judged.isNew };
}

function unsignedReply(load: Dict): AuthenticationError {
  const ret = load.get('ret');
  if (ret === 'bad enc algo')
    return new AuthenticationError('The master does not support our encryption_algorithm.');
  if (ret === 'bad sig algo')
    return new AuthenticationError('The master does not support our signing_algorithm.');
  return new AuthenticationError(
    'The master sent an unsigned reply to the authentication; it was not trusted.',
  );
}

function decodeMap(bytes: Buffer): Dict {
  let value: Value;
  try {
    value = decode(bytes, 'network', CLEAR);
  } catch (cause) {
    throw new AuthenticationError('The reply to the authentication cannot be read.', { cause });
  }
  if (isDict(value)) return value;
  if (isMasterFailure(value))
    throw new MasterFailedError(
      'It answered that it could not handle the request. The log of the master says why; its disk may be full, or one of its files not writable.',
    );
  throw new AuthenticationError(
    value === 'bad load'
      ? 'The master refused the authentication request ("bad load"); it may demand another protocol version (minimum_auth_version); its log says so.'
      : 'The reply to the authentication cannot be read.',
  );
}

function verifyNonce(content: Dict, nonce: string): void {
  if (content.get('nonce') !== nonce) throw new AuthenticationError('The payload nonce did not validate.');
}

function readOutcome(reply: SignedReply, client: AuthClient, sent: SentToken | undefined): AuthOutcome {
  const ret = reply.content.get('ret');
  if (ret === false) return { kind: 'rejected' };
  if (ret === 'full') return { kind: 'full' };
  if (ret !== undefined) return { kind: 'pending' };
  const credentials = readCredentials(reply, client, sent);
  if (reply.isNewKey) client.keyring.remember(reply.masterKey);
  return { kind: 'accepted', credentials };
}

function readCredentials(
  { content, masterKey, isNewKey }: SignedReply,
  client: AuthClient,
  sent: SentToken | undefined,
): MinionCredentials {
  const shared = unwrap(content.get('aes'), 'aes', client).split('_|-')[0] as string;
  if (content.get('session') === undefined) {
    throw new AuthenticationError(
      'The master gave no session key; it needs Salt 3006.12 or newer, 3007.4 or newer, or Brine.',
    );
  }
  const session = unwrap(content.get('session'), 'session', client);
  if (!isKeyString(shared) || !isKeyString(session))
    throw new AuthenticationError('The master sent a malformed session key.');
  const digest = createHash('sha256').update(shared).digest('hex');
  const sig = asBytes(content.get('sig'));
  if (sig === undefined || !masterKey.opensTo(sig, Buffer.from(digest))) {
    throw new AuthenticationError('The master did not sign the session key with its own key.');
  }
  // the token was wrapped for the key we knew: another one, trusted on its signature or in open mode, cannot open it;
  // with several masters that sign their keys it may even be the known one by now
  if (sent !== undefined && !isNewKey && sent.wrappedFor.pem === masterKey.pem)
    verifyToken(content.get('token'), sent.token, client);
  const port = content.get('publish_port');
  return {
    shared: new Crypticle(new Secret(shared)),
    session: new Crypticle(new Secret(session)),
    publishPort: isPort(port) ? port : 4505,
    masterKey,
    masters: readMasters(content.get('masters')),
  };
}

function readMasters(value: Value | undefined): string[] {
  const isFew = Array.isArray(value) && value.length <= MASTERS_MAX;
  return isFew ? (value.filter((each) => typeof each === 'string' && MASTER.test(each)) as string[]) : [];
}

function isPort(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

function verifyToken(echoed: Value | undefined, token: Secret, client: AuthClient): void {
  const bytes = asBytes(echoed);
  const plain = bytes && client.key.decrypt(bytes, client.encAlgo);
  const expected = Buffer.from(token.reveal());
  if (plain === undefined || plain.length !== expected.length || !timingSafeEqual(plain, expected)) {
    throw new AuthenticationError(
      'The master could not open what was encrypted for its key: it is not the master we know.',
    );
  }
}

function unwrap(value: Value | undefined, name: string, client: AuthClient): string {
  const bytes = asBytes(value);
  const plain = bytes && client.key.decrypt(bytes, client.encAlgo);
  if (plain === undefined)
    throw new AuthenticationError(
      `The key ${name} in the master's reply cannot be opened with our private key.`,
    );
  return plain.toString('latin1');
}
