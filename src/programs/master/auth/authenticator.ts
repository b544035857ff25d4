/**
 * Authentication of minions: every outcome of `_auth`, in Salt's order (salt/channel/server.py `_auth`, 3006.16;
 * docs/internals/wire-protocol.md#authentication). Nothing is stored before the key has been parsed, and every request
 * gets one reply.
 */
import { createHash } from 'node:crypto';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { SessionKeys } from '../../../network/channel/session-keys.ts';
import { isKeyString, type Crypticle } from '../../../network/crypto/crypticle.ts';
import { cleanKeyText } from '../../../network/crypto/pem.ts';
import {
  DEFAULT_ENCRYPTION,
  DEFAULT_SIGNING,
  isEncryptionAlgorithm,
  isSigningAlgorithm,
  RsaPublicKey,
  type RsaPrivateKey,
} from '../../../network/crypto/rsa.ts';
import { messageOf } from '../../../errors/errors.ts';
import { tags } from '../../../network/events/tags.ts';
import type { Logger } from '../../../host/log.ts';
import {
  DecisionsClosedError,
  isStorableId,
  KeyStoreFullError,
  type KeyStore,
} from '../../../storage/keys/store.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { asBytes, encode, type Encodable } from '../../../formats/wire/msgpack.ts';
import { isNonce } from '../../../formats/wire/nonce.ts';
import { countedLines, countedWarnings } from '../counted-log.ts';
import type { AutoKey } from './autosign.ts';
import { hasUnseen } from '../../../python/values/visible.ts';

/** What authentication needs. */
export interface AuthenticatorDeps {
  readonly opts: MasterOptions;
  readonly masterKey: RsaPrivateKey;
  readonly keys: KeyStore;
  readonly autoKey: AutoKey;
  readonly sessions: SessionKeys;
  /** The shared key in force. */
  readonly sharedKey: () => Crypticle;
  /** Makes the signature of the master's public key, when `master_sign_pubkey` is on. */
  readonly signPublicKey: ((algorithm: string) => string) | undefined;
  /** The minions that are connected now, asked for only when `max_minions` is set. */
  readonly connectedIds: () => Promise<ReadonlySet<string>>;
  /** Whether this master gives its minions away to the others of its cluster. */
  readonly isDraining: () => boolean;
  /** Where the masters of its cluster are, for its minions; nothing when it stands alone. */
  readonly masters?: () => readonly string[];
  readonly fireEvent: (tag: string, data: Dict) => void;
  /** Told of each request what became of it. */
  readonly decided?: (outcome: string) => void;
  readonly log: Logger;
}

/** What was decided about a request. */
type Verdict =
  | { readonly kind: 'accept'; readonly key: RsaPublicKey }
  | {
      readonly kind: 'refuse';
      readonly ret: boolean | 'full';
      readonly act: string;
      readonly result: boolean;
    };

/** What is counted for each act. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['pend', 'pending'],
  ['reject', 'rejected'],
  ['denied', 'denied'],
  ['full', 'full'],
]);

/** A request, read. */
interface AuthRequest {
  readonly id: string;
  readonly pub: string;
  readonly key: RsaPublicKey | undefined;
  /** Why the key cannot be used; empty when it can. */
  readonly keyFault: string;
  readonly nonce: string | undefined;
  readonly token: Buffer | undefined;
  readonly encAlgo: string;
  readonly sigAlgo: string;
  readonly autosignGrains: Value | undefined;
  readonly version: number;
}

/** What a request gets that is refused before anything is looked up, stored or signed. */
const BAD_LOAD = 'bad load';
/** A key text longer than this is no key. */
const KEY_TEXT_MAX = 16 * 1024;

/** Serves `_auth`. */
export class Authenticator {
  readonly #deps: AuthenticatorDeps;
  readonly #warn: (text: string) => void;
  readonly #warnInvalid: (text: string) => void;
  /** A clone of a machine with its key exchanged asks every few seconds, for ever. */
  readonly #tellMismatch: (id: string, text: string) => void;
  #aesSignature: { readonly of: string; readonly sig: Buffer } | undefined;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
    this.#warn = countedWarnings(deps.log);
    this.#warnInvalid = countedWarnings(deps.log);
    this.#tellMismatch = countedLines(deps.log, 'error');
  }

  /**
   * @param publishPort of the transport that the request came by; 0 is the master's usual one
   * @returns the reply for this request
   */
  async authenticate(load: Dict, version: number, publishPort = 0): Promise<Encodable> {
    const { log, decided } = this.#deps;
    const nonce = load.get('nonce');
    if (!hasUsableNonce(nonce, version)) {
      this.#warnInvalid('Authentication request with a nonce that is not 32 hexadecimal characters');
      decided?.('invalid');
      return BAD_LOAD;
    }
    const request = readRequest(load, version);
    const sigAlgo = load.get('sig_algo') ?? DEFAULT_SIGNING;
    const replyTo = { version, nonce, sigAlgo: String(sigAlgo) };
    if (request === undefined) {
      this.#warnInvalid('Authentication request from an invalid id');
      decided?.('invalid');
      return this.#refusal(replyTo, false);
    }
    log.info(`Authentication request from ${request.id}`);
    const verdict = await this.#decideOrTurnAway(request);
    if (verdict.kind === 'refuse') {
      decided?.(OUTCOMES.get(verdict.act) ?? 'refused');
      this.#fire(request, verdict.result, verdict.act);
      return this.#refusal(replyTo, verdict.ret);
    }
    decided?.('accepted');
    log.info(`Authentication accepted from ${request.id}`);
    this.#fire(request, true, 'accept');
    return this.#acceptance(request, verdict.key, publishPort);
  }

  /**
   * When no more keys can wait for a decision, or none can be made because the cluster is away, this one is turned away
   * as one too many, and comes back later.
   */
  async #decideOrTurnAway(request: AuthRequest): Promise<Verdict> {
    try {
      return await this.#decide(request);
    } catch (error) {
      if (!(error instanceof KeyStoreFullError) && !(error instanceof DecisionsClosedError)) throw error;
      this.#warn(error.message);
      return { kind: 'refuse', ret: 'full', act: 'full', result: false };
    }
  }

  async #decide(request: AuthRequest): Promise<Verdict> {
    const { opts, keys, log } = this.#deps;
    const { id } = request;
    if (await this.#isFull(id)) return { kind: 'refuse', ret: 'full', act: 'full', result: false };
    if (opts.get('open_mode')) return this.#accept(request);
    if (keys.has(id, 'rejected')) {
      log.info(`Public key rejected for ${id}. Key is present in rejection key dir.`);
      return refuse('reject');
    }
    const accepted = keys.readKey(id, 'accepted');
    if (accepted !== undefined) {
      if (accepted === request.pub)
        return request.key === undefined ? this.#refuseKey(request) : { kind: 'accept', key: request.key };
      this.#tellMismatch(
        id,
        `Authentication attempt from ${id} failed, the public keys did not match. ` +
          'This may be an attempt to compromise the Salt cluster.',
      );
      return this.#deny(request);
    }
    return this.#decideUnknown(request);
  }

  #decideUnknown(request: AuthRequest): Verdict {
    const { keys, autoKey, log } = this.#deps;
    const { id } = request;
    const pending = keys.readKey(id, 'pending');
    if (autoKey.isRejected(id)) {
      log.info(`New public key for ${id} rejected via autoreject_file`);
      if (pending !== undefined) keys.move(id, 'pending', 'rejected');
      else if (request.key !== undefined) keys.writeRejected(id, request.pub);
      return refuse('reject');
    }
    if (pending !== undefined && pending !== request.pub) {
      this.#tellMismatch(
        id,
        `Authentication attempt from ${id} failed, the public key in pending did not match. ` +
          'This may be an attempt to compromise the Salt cluster.',
      );
      return this.#deny(request);
    }
    if (request.key === undefined) return this.#refuseKey(request);
    if (autoKey.isAccepted(id, request.autosignGrains)) {
      const verdict = this.#accept(request);
      if (pending !== undefined) keys.remove(id, 'pending');
      return verdict;
    }
    if (pending === undefined) {
      keys.writePending(id, request.pub);
      log.info(`New public key for ${id} placed in pending`);
    } else
      log.info(
        `Authentication failed from host ${id}, the key is in pending and needs to be accepted with salt-key -a ${id}`,
      );
    return { kind: 'refuse', ret: true, act: 'pend', result: true };
  }

  #accept(request: AuthRequest): Verdict {
    const { keys, sessions } = this.#deps;
    if (request.key === undefined) return this.#refuseKey(request);
    const known = keys.readKey(request.id, 'accepted');
    if (known !== request.pub) {
      keys.writeAccepted(request.id, request.pub);
      sessions.remove(request.id);
    }
    return { kind: 'accept', key: request.key };
  }

  /** Nobody is let in with a key that is none, or too weak, wherever it may stand already. */
  #refuseKey({ id, keyFault }: AuthRequest): Verdict {
    this.#tellMismatch(id, `The public key that ${id} presented is refused: ${keyFault}.`);
    return refuse('error');
  }

  /** Keeps the key that was presented for an id whose own key is another, so that an operator can see it. */
  #deny(request: AuthRequest): Verdict {
    if (request.key !== undefined) this.#deps.keys.writeDenied(request.id, request.pub);
    return { kind: 'refuse', ret: false, act: 'denied', result: false };
  }

  async #isFull(id: string): Promise<boolean> {
    const { opts, connectedIds, isDraining, log } = this.#deps;
    if (isDraining()) {
      log.info(`This master is being drained (salt-run cluster.drain); ${id} is sent on to another one`);
      return true;
    }
    const maxMinions = opts.get('max_minions');
    if (maxMinions <= 0) return false;
    const connected = await connectedIds();
    if (connected.size <= maxMinions || connected.has(id)) return false;
    log.info(`Too many minions connected (max_minions=${maxMinions}). Rejecting connection from id ${id}`);
    return true;
  }

  #fire({ id, pub, autosignGrains }: AuthRequest, result: boolean, act: string): void {
    const { opts, fireEvent } = this.#deps;
    if (!opts.get('auth_events')) return;
    const event = dict({ result, act, id, pub });
    const isTold = truthy(autosignGrains) && opts.get('auth_events_autosign_grains').includes(act);
    if (isTold) event.set('autosign_grains', autosignGrains ?? null);
    fireEvent(tags.auth, event);
  }

  #refusal(
    replyTo: { version: number; nonce: string | undefined; sigAlgo: string },
    ret: boolean | 'full',
  ): Encodable {
    if (replyTo.version < 2) return { enc: 'clear', load: { ret } };
    return this.#signed({ ret, nonce: replyTo.nonce }, replyTo.sigAlgo);
  }

  #signed(reply: Encodable, sigAlgo: string): Encodable {
    if (!isSigningAlgorithm(sigAlgo, this.#withoutSha1))
      return { enc: 'clear', load: { ret: 'bad sig algo' } };
    const load = encode(reply, 'network');
    return { enc: 'clear', load, sig: this.#deps.masterKey.sign(load, sigAlgo) };
  }

  #acceptance(request: AuthRequest, key: RsaPublicKey, publishPort: number): Encodable {
    const { masterKey, sessions, signPublicKey } = this.#deps;
    const { encAlgo, sigAlgo } = request;
    if (!isSigningAlgorithm(sigAlgo, this.#withoutSha1))
      return { enc: 'clear', load: { ret: 'bad sig algo' } };
    if (!isEncryptionAlgorithm(encAlgo, this.#withoutSha1))
      return { enc: 'clear', load: { ret: 'bad enc algo' } };
    const aes = this.#deps.sharedKey().keyString.reveal();
    const wrap = (text: Buffer): Buffer => key.encrypt(text, encAlgo);
    const token = request.token && openToken(masterKey, request.token, encAlgo);
    // the addresses are those of the usual transport; who came by another one would not be understood there
    const masters = publishPort === 0 ? (this.#deps.masters?.() ?? []) : [];
    const reply = {
      enc: 'pub',
      pub_key: masterKey.publicKey.pem,
      publish_port: publishPort || this.#deps.opts.get('publish_port'),
      pub_sig: signPublicKey?.(sigAlgo),
      token: token && wrap(token),
      aes: wrap(Buffer.from(aes)),
      session: wrap(Buffer.from(sessions.ensure(request.id).keyString.reveal())),
      sig: this.#signatureOver(aes),
      nonce: request.nonce,
      // Salt compat: ours only; Salt's minions read no field that they do not know
      masters: masters.length > 0 ? [...masters] : undefined,
    };
    return request.version < 2 ? reply : this.#signed(reply, sigAlgo);
  }

  get #withoutSha1(): boolean {
    return this.#deps.opts.get('fips_mode');
  }

  /** The X9.31 block over the hash of the shared key is the same for every minion until the key changes. */
  #signatureOver(aes: string): Buffer {
    if (this.#aesSignature?.of !== aes) {
      const digest = createHash('sha256').update(aes).digest('hex');
      this.#aesSignature = { of: aes, sig: this.#deps.masterKey.signX931(Buffer.from(digest)) };
    }
    return this.#aesSignature.sig;
  }
}

/**
 * Every reply from version 2 on is signed, and repeats the nonce. Salt compat: 3006.16 signs whatever is sent as one,
 * of any length, and so also what is a publication at the same time.
 */
function hasUsableNonce(nonce: Value | undefined, version: number): nonce is string | undefined {
  return isNonce(nonce) || (nonce === undefined && version < 2);
}

/**
 * The reply returns only what a minion's token is (salt/crypt.py `generate_key_string`): the master opens nothing else
 * for anybody.
 */
function openToken(masterKey: RsaPrivateKey, token: Buffer, encAlgo: string): Buffer | undefined {
  const plain = masterKey.decrypt(token, encAlgo);
  return plain !== undefined && isKeyString(plain.toString('latin1')) ? plain : undefined;
}

function refuse(act: string): Verdict {
  return { kind: 'refuse', ret: false, act, result: false };
}

function readRequest(load: Dict, version: number): AuthRequest | undefined {
  const id = load.get('id');
  const pub = load.get('pub');
  const nonce = load.get('nonce');
  const token = asBytes(load.get('token'));
  // Salt compat: no id that cannot be told from another, or that steers the operator's terminal; Salt stores them
  if (!isStorableId(id) || hasUnseen(id) || id.trim() !== id) return undefined;
  const text = typeof pub === 'string' && pub.length <= KEY_TEXT_MAX ? cleanKeyText(pub) : '';
  return {
    id,
    pub: text,
    ...parseKey(text),
    nonce: typeof nonce === 'string' ? nonce : undefined,
    token: token !== undefined && token.length <= 2048 ? token : undefined,
    encAlgo: String(load.get('enc_algo') ?? DEFAULT_ENCRYPTION),
    sigAlgo: String(load.get('sig_algo') ?? DEFAULT_SIGNING),
    autosignGrains: load.get('autosign_grains'),
    version,
  };
}

function parseKey(text: string): Pick<AuthRequest, 'key' | 'keyFault'> {
  try {
    return { key: RsaPublicKey.parse(text), keyFault: '' };
  } catch (error) {
    return { key: undefined, keyFault: messageOf(error) };
  }
}
