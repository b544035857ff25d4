/**
 * The one door of the request server. Every message passes here exactly once, in this order: shape, version, decryption
 * with the key of the id it claims, age, identity, token, replay. Only then is its command looked up in an explicit table;
 * nothing from the network ever names a property. Whatever happens, the answer is exactly one reply.
 * Follows salt/channel/server.py `handle_message` (3006.16; wire-protocol.md, 3.4) and is stricter where marked.
 */
import type { Crypticle } from '../crypto/crypticle.ts';
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING } from '../crypto/rsa.ts';
import { messageOf } from '../errors/errors.ts';
import type { Clock } from '../host/clock.ts';
import { isValidMinionId } from '../host/files.ts';
import type { Logger } from '../host/log.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { parseRequestEnvelope, type AesEnvelope, type ClearEnvelope } from '../wire/envelope.ts';
import { claimedId } from '../wire/claimed-id.ts';
import { asBytes, encode, type Encodable } from '../wire/msgpack.ts';
import type { AcceptedKeys } from './accepted-keys.ts';
import type { ReplayGuard } from './replay-guard.ts';
import type { SessionKeys } from './session-keys.ts';

/** An encrypted request after every check: `id` is who sent it. */
export interface AesRequest {
  readonly id: string;
  readonly cmd: string;
  /** The load without `nonce` and `tok`; `id` is the authenticated one. */
  readonly load: Dict;
  readonly version: number;
  readonly nonce: string;
  readonly encAlgo: string;
  readonly sigAlgo: string;
}

/** A reply of a handler: a value to encrypt, or finished bytes (pillar wraps its own). */
export type AesReply = { readonly value: Encodable } | { readonly raw: Encodable };

/** Serves one command of a minion. */
export type AesHandler = (request: AesRequest) => Promise<AesReply> | AesReply;

/** Serves one command in the clear; the handler checks the credentials inside the load. */
export type ClearHandler = (load: Dict, from: string) => Promise<Encodable> | Encodable;

/** Serves `_auth`. */
export type AuthHandler = (
  load: Dict,
  version: number,
  from: string,
  publishPort: number,
) => Promise<Encodable> | Encodable;

/** What the door needs. */
export interface DoorParts {
  readonly clear: ReadonlyMap<string, ClearHandler>;
  readonly aes: ReadonlyMap<string, AesHandler>;
  readonly authenticate: AuthHandler;
  readonly sessions: SessionKeys;
  readonly keys: AcceptedKeys;
  readonly replays: ReplayGuard;
  /** The shared key in force, and the one before it during a rotation. For versions below 3 only. */
  readonly sharedKeys: () => readonly Crypticle[];
  /** `minimum_auth_version` */
  readonly minimumVersion: number;
  /** `request_server_ttl`, seconds; 0 is no limit */
  readonly ttlSeconds: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why messages were turned away, counted. */
export type Refusal =
  | 'malformed'
  | 'version'
  | 'invalid id'
  | 'no session'
  | 'undecryptable'
  | 'load shape'
  | 'id mismatch'
  | 'too old'
  | 'bad token'
  | 'replay'
  | 'unknown command'
  | 'handler failed';

const BAD_LOAD = encode('bad load', 'network');
const NOT_MSGPACK = encode({ msg: 'bad load' }, 'network');
const NOT_A_DICT = encode('payload and load must be a dict', 'network');
const HANDLER_FAILED = encode('Some exception handling minion payload', 'network');
const UNKNOWN_CLEAR = encode({}, 'network');

/** Turns a request's bytes into its reply's bytes. */
export class Door {
  readonly counters = new Map<Refusal, number>();
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /**
   * Never throws.
   * @param from the sender's address, for log lines
   * @param publishPort of the transport that it came by; 0 is the master's usual one
   */
  async handle(body: Buffer, from: string, publishPort = 0): Promise<Buffer> {
    try {
      const envelope = parseRequestEnvelope(body);
      if (envelope === 'not msgpack') return this.#refuse('malformed', from, NOT_MSGPACK);
      if (envelope === 'not an envelope') return this.#refuse('malformed', from);
      if (envelope.version < this.#parts.minimumVersion) return this.#refuse('version', from);
      if (envelope.enc === 'clear') return await this.#clear(envelope, from, publishPort);
      if (envelope.version >= 3 && !isRoutedById(body, envelope)) return this.#refuse('malformed', from);
      return await this.#aes(envelope, from);
    } catch (error) {
      this.#failed(`A request from ${from} could not be handled`, error);
      return HANDLER_FAILED;
    }
  }

  async #clear({ load, version }: ClearEnvelope, from: string, publishPort: number): Promise<Buffer> {
    const cmd = load.get('cmd');
    if (cmd === undefined) return this.#refuse('load shape', from, HANDLER_FAILED);
    if (cmd === '_auth')
      return encode(await this.#parts.authenticate(load, version, from, publishPort), 'network');
    const handler = typeof cmd === 'string' ? this.#parts.clear.get(cmd) : undefined;
    if (handler === undefined) return this.#refuse('unknown command', from, UNKNOWN_CLEAR);
    return encode(await handler(load, from), 'network');
  }

  async #aes(envelope: AesEnvelope, from: string): Promise<Buffer> {
    const opened = envelope.version >= 3 ? this.#openSession(envelope) : this.#openShared(envelope);
    if (typeof opened === 'string') return this.#refuse(opened, from);
    const { crypticle, value } = opened;
    if (!isDict(value)) return this.#refuse('load shape', from, NOT_A_DICT);
    const request = this.#identify(envelope, value);
    if (typeof request === 'string') return this.#refuse(request, from);
    const replyNonce = envelope.version >= 2 ? request.nonce : '';
    const handler = this.#parts.aes.get(request.cmd);
    if (handler === undefined) {
      if (!value.has('cmd')) return this.#refuse('load shape', from, HANDLER_FAILED);
      this.#count('unknown command', from);
      return encode(crypticle.dumps({}, replyNonce), 'network');
    }
    return encode(await this.#answer(handler, request, crypticle, replyNonce), 'network');
  }

  /** Salt compat: a handler that fails answers with an encrypted empty text. */
  async #answer(
    handler: AesHandler,
    request: AesRequest,
    crypticle: Crypticle,
    nonce: string,
  ): Promise<Encodable> {
    try {
      const reply = await handler(request);
      return 'raw' in reply ? reply.raw : crypticle.dumps(reply.value, nonce);
    } catch (error) {
      this.#failed(`The request ${request.cmd} of ${request.id} failed`, error);
      return crypticle.dumps('', nonce);
    }
  }

  #openSession(envelope: AesEnvelope): { crypticle: Crypticle; value: Value | undefined } | Refusal {
    const { sessions } = this.#parts;
    if (!isValidMinionId(envelope.id)) return 'invalid id';
    const crypticle = sessions.get(envelope.id);
    if (crypticle === undefined) return 'no session';
    const value = open(crypticle, envelope.load);
    if (value !== FAILED) return { crypticle, value };
    // another worker may have made a new session since we read the file
    const current = sessions.reload(envelope.id);
    if (current === undefined || current.keyString.reveal() === crypticle.keyString.reveal())
      return 'undecryptable';
    const second = open(current, envelope.load);
    return second === FAILED ? 'undecryptable' : { crypticle: current, value: second };
  }

  #openShared(envelope: AesEnvelope): { crypticle: Crypticle; value: Value | undefined } | Refusal {
    for (const crypticle of this.#parts.sharedKeys()) {
      const value = open(crypticle, envelope.load);
      if (value !== FAILED) return { crypticle, value };
    }
    return 'undecryptable';
  }

  /** Who sent it, and that it is fresh. Salt compat: stricter, the token is demanded of every version (CVE-2025-62349). */
  #identify(envelope: AesEnvelope, load: Dict): AesRequest | Refusal {
    const { keys, replays, ttlSeconds, clock } = this.#parts;
    const id = load.get('id');
    const ts = load.get('ts');
    const nonce = load.get('nonce');
    const token = asBytes(load.get('tok'));
    if (!isValidMinionId(id)) return 'invalid id';
    if (envelope.version >= 3) {
      if (id !== envelope.id) return 'id mismatch';
      if (typeof ts !== 'number' || typeof nonce !== 'string' || nonce.length !== 32) return 'load shape';
      if (ttlSeconds > 0 && clock.nowMs() / 1000 - ts > ttlSeconds) return 'too old';
    }
    if (token === undefined || !keys.verifyToken(id, token)) return 'bad token';
    if (envelope.version >= 3) {
      const freshness = replays.check(id, nonce as string, ts as number);
      if (freshness === 'clock set back') this.#endSession(id);
      if (freshness !== 'fresh') return 'replay';
    }
    const cmd = load.get('cmd');
    load.delete('nonce');
    load.delete('tok');
    return {
      id,
      cmd: typeof cmd === 'string' ? cmd : '',
      load,
      version: envelope.version,
      nonce: typeof nonce === 'string' ? nonce : '',
      encAlgo: typeof envelope.encAlgo === 'string' ? envelope.encAlgo : DEFAULT_ENCRYPTION,
      sigAlgo: typeof envelope.sigAlgo === 'string' ? envelope.sigAlgo : DEFAULT_SIGNING,
    };
  }

  /** The minion authenticates anew and goes on with its corrected clock; what was recorded before opens no more. */
  #endSession(id: string): void {
    this.#parts.sessions.remove(id);
    this.#parts.replays.forget(id);
  }

  #refuse(reason: Refusal, from: string, reply = BAD_LOAD): Buffer {
    this.#count(reason, from);
    return reply;
  }

  #count(reason: Refusal, from: string): void {
    const count = this.#increment(reason);
    if (isWorthALine(count))
      this.#parts.log.warning(`A request from ${from} was refused: ${reason} (${count} so far).`);
  }

  #failed(what: string, error: unknown): void {
    const count = this.#increment('handler failed');
    if (isWorthALine(count))
      this.#parts.log.error(`${what}: ${messageOf(error)} (${count} failures so far).`, error);
  }

  #increment(reason: Refusal): number {
    const count = (this.counters.get(reason) ?? 0) + 1;
    this.counters.set(reason, count);
    return count;
  }
}

/** The first of each kind are logged, then one in a thousand: a flood costs no disk. */
function isWorthALine(count: number): boolean {
  return count <= 10 || count % 1000 === 0;
}

/**
 * The request server chooses the worker by the id as it stands in the bytes, and each worker knows which requests it has
 * served. An envelope that is written so that the two of them read different ids would reach another worker and be
 * served again.
 */
function isRoutedById(body: Buffer, { id }: AesEnvelope): boolean {
  return typeof id !== 'string' || claimedId(body) === Buffer.from(id).toString('latin1');
}

const FAILED = Symbol('undecryptable');

function open(crypticle: Crypticle, sealed: Buffer): Value | undefined | typeof FAILED {
  try {
    return crypticle.loads(sealed);
  } catch {
    return FAILED;
  }
}
