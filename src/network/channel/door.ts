/**
 * The one door of the request server. Every message passes here exactly once, in this order: shape, version, decryption
 * with the key of the id it claims, age, identity, token, replay. Only then is its command looked up in an explicit
 * table; nothing from the network ever names a property. Whatever happens, the answer is exactly one reply. Follows
 * salt/channel/server.py `handle_message` (3006.16; docs/internals/wire-protocol.md#envelopes) and is stricter where
 * marked.
 */
import type { Crypticle } from '../crypto/crypticle.ts';
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING } from '../crypto/rsa.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { spokenError } from '../../host/disk-refusal.ts';
import { isValidMinionId } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { AUTHENTICATED, BudgetError, CLEAR, requireWithin, type Budget } from '../../formats/wire/budget.ts';
import {
  glance,
  parseRequestEnvelope,
  type AesEnvelope,
  type ClearEnvelope,
} from '../../formats/wire/envelope.ts';
import { asBytes, decode, encode, MsgpackError, type Encodable } from '../../formats/wire/msgpack.ts';
import { isNonce } from '../../formats/wire/nonce.ts';
import { MASTER_FAILURE } from './master-failure.ts';
import type { AcceptedKeys } from './accepted-keys.ts';
import { UNKNOWN_STANDING, type ReplayCheck, type ReplayStanding } from './replay-guard.ts';
import type { SessionKeys } from './session-keys.ts';
import {
  codeOf,
  sessionMark,
  type ElsewhereRequest,
  type ElsewhereVerdict,
  type SessionElsewhere,
} from './sessions-elsewhere.ts';

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
export interface DoorDeps {
  readonly clear: ReadonlyMap<string, ClearHandler>;
  readonly aes: ReadonlyMap<string, AesHandler>;
  readonly authenticate: AuthHandler;
  readonly sessions: SessionKeys;
  readonly keys: AcceptedKeys;
  /**
   * Asks the master that has given a session whether a request that it has sealed is new. Throws when that cannot be
   * asked. Without it only sessions that were given here count.
   */
  readonly claimElsewhere?: (member: string, request: ElsewhereRequest) => Promise<ElsewhereVerdict>;
  /** Whether what a command in the clear says of its user holds: only then may it be larger than a stranger's. */
  readonly knowsUser: (head: Dict) => boolean;
  /** The shared key in force, and the one before it during a rotation. For versions below 3 only. */
  readonly sharedKeys: () => readonly Crypticle[];
  /** `minimum_auth_version` */
  readonly minimumVersion: number;
  /** `request_server_ttl`, seconds; 0 is no limit */
  readonly ttlSeconds: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the door says of a request: its reply, and for the guard against replays what became of it. */
export interface DoorAnswer {
  readonly reply: Buffer;
  readonly outcome: ReplayCheck;
}

/** Why messages were turned away, counted. */
export type DoorRefusal =
  | 'malformed'
  | 'over budget'
  | 'version'
  | 'invalid id'
  | 'no session'
  | 'undecryptable'
  | 'load shape'
  | 'id mismatch'
  | 'too old'
  | 'too new'
  | 'bad token'
  | 'replay'
  | 'unknown command'
  | 'handler failed';

const BAD_LOAD = encode('bad load', 'network');
const NOT_MSGPACK = encode({ msg: 'bad load' }, 'network');
const NOT_A_DICT = encode('payload and load must be a dict', 'network');
const HANDLER_FAILED = encode(MASTER_FAILURE, 'network');
const UNKNOWN_CLEAR = encode({}, 'network');
/** A load that is larger is looked at before it is decoded: who sent it, and whether it is new. */
const GLANCE_BYTES = 64 * 1024;
const USER_FIELDS = ['user', 'key'];
const SENDER_FIELDS = ['id', 'ts', 'nonce', 'tok'];
/** Seconds from 1970 to 2106: what no clock says is no time. */
const TS_MAX = 2 ** 32;
/** How far ahead a minion's clock may be where a request has an age at all. */
const AHEAD_MAX_SECONDS = 86_400;

/** A line about somebody, whom a flood of others does not hide. */
interface RefusalLine {
  readonly kind: string;
  readonly text: string;
}

/** What is looked at of an envelope that is refused for its version. */
type Envelope = Pick<ClearEnvelope | AesEnvelope, 'version' | 'enc' | 'load'> & Pick<AesEnvelope, 'id'>;

/** A message that is turned away. */
class Refused extends Error {
  readonly reason: DoorRefusal;
  readonly reply: Buffer;
  readonly line: RefusalLine | undefined;

  /**
   * @param detail for the log
   * @param line what the log says in the place of the usual line
   */
  constructor(reason: DoorRefusal, reply = BAD_LOAD, detail = '', line?: RefusalLine) {
    super(detail === '' ? reason : `${reason}, ${detail}`);
    this.reason = reason;
    this.reply = reply;
    this.line = line;
  }
}

/** A sealed load that was opened, and what opened it. */
interface Opened {
  readonly crypticle: Crypticle;
  /** The load's msgpack; undefined when it is none of Salt's. */
  readonly packed: Buffer | undefined;
  /** The session, when another master of a cluster has given it. */
  readonly givenBy?: SessionElsewhere;
}

/** What the guard against replays knows of a request's sender, and what it will be told. */
interface Passage {
  readonly standing: ReplayStanding;
  outcome: ReplayCheck;
}

/** Turns a request's bytes into its reply's bytes. */
export class Door {
  readonly counters = new Map<DoorRefusal, number>();
  /** Commands of the tables, and `_auth`, to how often they were asked for. */
  readonly served = new Map<string, number>();
  readonly #deps: DoorDeps;
  readonly #tellFailure: (kind: string, text: string, error: unknown) => void;
  readonly #tellRefusal: (kind: string, text: string) => void;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
    this.#tellRefusal = rareLines(deps.clock, (text) => deps.log.warning(text));
    this.#tellFailure = rareLines(deps.clock, (text, error) => deps.log.error(text, error));
  }

  /**
   * Never throws.
   * @param from the sender's address, for log lines
   * @param publishPort of the transport that it came by; 0 is the master's usual one
   * @param standing what the guard against replays, which has let it pass, knows of its sender
   */
  async handle(
    body: Buffer,
    from: string,
    publishPort = 0,
    standing = UNKNOWN_STANDING,
  ): Promise<DoorAnswer> {
    const passage: Passage = { standing, outcome: { kind: 'refused' } };
    let reply: Buffer;
    try {
      reply = await this.#serve(body, from, publishPort, passage);
    } catch (error) {
      reply = error instanceof Refused ? error.reply : HANDLER_FAILED;
      if (error instanceof Refused) this.#count(error, from);
      else this.#failed('', `A request from ${from} could not be handled`, error);
    }
    return { reply, outcome: passage.outcome };
  }

  async #serve(body: Buffer, from: string, publishPort: number, passage: Passage): Promise<Buffer> {
    const envelope = parseRequestEnvelope(body);
    if (envelope === 'not msgpack') throw new Refused('malformed', NOT_MSGPACK);
    if (envelope === 'not an envelope') throw new Refused('malformed');
    if (envelope === 'over budget') throw new Refused('over budget');
    if (envelope.version < this.#deps.minimumVersion)
      this.#refuseVersion({ id: undefined, ...envelope }, from);
    return envelope.enc === 'clear'
      ? this.#clear(envelope, from, publishPort)
      : this.#aes(envelope, from, passage);
  }

  /**
   * Names the minion, as 3008 does, so that somebody can find and upgrade it: each one has lines of its own. Who has to
   * be upgraded says its id in the clear, when it introduces itself.
   */
  #refuseVersion({ version, enc, load, id: claimed }: Envelope, from: string): never {
    const id = enc === 'clear' ? glanceAt(load, ['id']).get('id') : claimed;
    const who = isValidMinionId(id) ? `the minion ${id}` : 'a minion that does not say its id';
    const { minimumVersion } = this.#deps;
    const text =
      `A request of ${who} from ${from} was refused: it speaks version ${version} of the protocol, and ` +
      `minimum_auth_version is ${minimumVersion}. Upgrade that minion, or lower minimum_auth_version.`;
    throw new Refused('version', BAD_LOAD, '', { kind: isValidMinionId(id) ? id : from, text });
  }

  async #clear(envelope: ClearEnvelope, from: string, publishPort: number): Promise<Buffer> {
    const load = decodeMap(envelope.load, this.#clearBudget(envelope.load));
    const cmd = load.get('cmd');
    if (cmd === undefined) throw new Refused('load shape', HANDLER_FAILED);
    if (cmd === '_auth') {
      this.#countServed(cmd);
      return encode(await this.#deps.authenticate(load, envelope.version, from, publishPort), 'network');
    }
    const handler = typeof cmd === 'string' ? this.#deps.clear.get(cmd) : undefined;
    if (handler === undefined || typeof cmd !== 'string') throw new Refused('unknown command', UNKNOWN_CLEAR);
    this.#countServed(cmd);
    return encode(await handler(load, from), 'network');
  }

  /** Only who has shown a key may send more than a stranger. */
  #clearBudget(load: Buffer): Budget {
    return fits(load, CLEAR) || !this.#deps.knowsUser(glanceAt(load, USER_FIELDS)) ? CLEAR : AUTHENTICATED;
  }

  async #aes(envelope: AesEnvelope, from: string, passage: Passage): Promise<Buffer> {
    const { crypticle, packed, givenBy } =
      envelope.version >= 3 ? this.#openSession(envelope, passage.standing) : this.#openShared(envelope);
    if (packed === undefined) throw new Refused('load shape', NOT_A_DICT);
    if (packed.length > GLANCE_BYTES) this.#vouch(envelope, glanceAt(packed, SENDER_FIELDS), passage);
    const load = decodeMap(packed, AUTHENTICATED);
    const request = this.#identify(envelope, load, passage);
    if (givenBy !== undefined) await this.#claim(givenBy, request.id, envelope, passage);
    const replyNonce = envelope.version >= 2 ? request.nonce : '';
    const handler = this.#deps.aes.get(request.cmd);
    if (handler === undefined) {
      if (!load.has('cmd')) throw new Refused('load shape', HANDLER_FAILED);
      this.#count(new Refused('unknown command'), from);
      return encode(crypticle.dumps({}, replyNonce), 'network');
    }
    this.#countServed(request.cmd);
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
      this.#failed(request.cmd, `The request ${request.cmd} of ${request.id} failed`, error);
      return crypticle.dumps('', nonce);
    }
  }

  #openSession(envelope: AesEnvelope, standing: ReplayStanding): Opened {
    const { sessions } = this.#deps;
    const { id } = envelope;
    if (!isValidMinionId(id)) throw new Refused('invalid id');
    const crypticle = sessions.get(id, standing);
    const opened =
      (crypticle && open(crypticle, envelope.load)) ?? openAny(sessions.elsewhere.known(id), envelope.load);
    if (opened !== undefined) return opened;
    // another worker may have made a new session since we read the file
    const current = sessions.reload(id, standing);
    const isKnown = current === undefined || current.keyString.reveal() === crypticle?.keyString.reveal();
    const second =
      (isKnown ? undefined : open(current, envelope.load)) ??
      openAny(sessions.elsewhere.read(id), envelope.load);
    if (second === undefined)
      throw new Refused(crypticle === undefined && current === undefined ? 'no session' : 'undecryptable');
    return second;
  }

  /** Who has given the session remembers what was sent with it. */
  async #claim(
    { member, crypticle }: SessionElsewhere,
    id: string,
    { load }: AesEnvelope,
    { outcome }: Passage,
  ): Promise<void> {
    const ts = outcome.kind === 'genuine' ? outcome.ts : NaN;
    let verdict: ElsewhereVerdict;
    try {
      const request = { id, code: codeOf(load), ts, mark: sessionMark(crypticle) };
      verdict = (await this.#deps.claimElsewhere?.(member, request)) ?? 'ended';
    } catch (error) {
      throw new Refused('no session', BAD_LOAD, `the master ${member} has given it: ${messageOf(error)}`);
    }
    if (verdict === 'seen') throw new Refused('replay');
    if (verdict === 'ended')
      throw new Refused('no session', BAD_LOAD, `it has ended on the master ${member}`);
  }

  #openShared(envelope: AesEnvelope): Opened {
    for (const crypticle of this.#deps.sharedKeys()) {
      const opened = open(crypticle, envelope.load);
      if (opened !== undefined) return opened;
    }
    throw new Refused('undecryptable');
  }

  #identify(envelope: AesEnvelope, load: Dict, passage: Passage): AesRequest {
    const { id, nonce } = this.#vouch(envelope, load, passage);
    const cmd = load.get('cmd');
    load.delete('nonce');
    load.delete('tok');
    return {
      id,
      cmd: typeof cmd === 'string' ? cmd : '',
      load,
      version: envelope.version,
      nonce,
      encAlgo: typeof envelope.encAlgo === 'string' ? envelope.encAlgo : DEFAULT_ENCRYPTION,
      sigAlgo: typeof envelope.sigAlgo === 'string' ? envelope.sigAlgo : DEFAULT_SIGNING,
    };
  }

  /**
   * Makes sure who sent it, and that it is new. Salt compat: stricter, the token is demanded of every version
   * (CVE-2025-62349).
   * @param load at least its fields about the sender
   */
  #vouch(envelope: AesEnvelope, load: Dict, passage: Passage): { id: string; nonce: string } {
    const { keys } = this.#deps;
    const id = load.get('id');
    const nonce = load.get('nonce');
    const token = asBytes(load.get('tok'));
    const hasSession = envelope.version >= 3;
    if (!isValidMinionId(id)) throw new Refused('invalid id');
    if (hasSession && id !== envelope.id) throw new Refused('id mismatch');
    // the reply repeats it, and that to a request for pillar signs it; versions before 2 have none
    const isNamed = hasSession || nonce !== undefined;
    if (isNamed && !isNonce(nonce)) throw new Refused('load shape');
    const ts = hasSession ? this.#timeIn(load) : NaN;
    if (token === undefined || !keys.verifyToken(id, token)) throw new Refused('bad token');
    if (ts <= passage.standing.servedUntil) {
      // a recording, or genuine from a clock that was set back: a new session tells one from the other
      this.#deps.sessions.remove(id);
      passage.outcome = { kind: 'session ended' };
      throw new Refused('replay');
    }
    passage.outcome = { kind: 'genuine', ts };
    return { id, nonce: typeof nonce === 'string' ? nonce : '' };
  }

  /**
   * The sender's clock, seconds. Salt compat: all versions send whole seconds; Salt takes whatever compares as no
   * older.
   */
  #timeIn(load: Dict): number {
    const { ttlSeconds, clock } = this.#deps;
    const ts = load.get('ts');
    if (typeof ts !== 'number' || !Number.isInteger(ts) || ts < 0 || ts >= TS_MAX)
      throw new Refused('load shape', BAD_LOAD, 'ts is no time');
    if (ttlSeconds > 0) {
      const ageSeconds = clock.nowMs() / 1000 - ts;
      if (ageSeconds > ttlSeconds) throw new Refused('too old');
      if (-ageSeconds > Math.max(ttlSeconds, AHEAD_MAX_SECONDS)) throw new Refused('too new');
    }
    return ts;
  }

  #count({ reason, message, line }: Refused, from: string): void {
    const count = this.#increment(reason);
    if (line !== undefined) this.#tellRefusal(line.kind, line.text);
    else if (isWorthALine(count))
      this.#deps.log.warning(`A request from ${from} was refused: ${message} (${count} so far).`);
  }

  /** @param kind what failed, whoever asked: a fault that lasts is a line a minute for each */
  #failed(kind: string, what: string, error: unknown): void {
    this.#increment('handler failed');
    this.#tellFailure(kind, `${what}: ${spokenError(error)}`, error);
  }

  #countServed(cmd: string): void {
    this.served.set(cmd, (this.served.get(cmd) ?? 0) + 1);
  }

  #increment(reason: DoorRefusal): number {
    const count = (this.counters.get(reason) ?? 0) + 1;
    this.counters.set(reason, count);
    return count;
  }
}

/** The first of each kind are logged, then one in a thousand: a flood costs no disk. */
function isWorthALine(count: number): boolean {
  return count <= 10 || count % 1000 === 0;
}

/** Undefined when the load was sealed with another key. */
function open(crypticle: Crypticle, sealed: Buffer): Opened | undefined {
  try {
    return { crypticle, packed: crypticle.open(sealed) };
  } catch {
    return undefined;
  }
}

function openAny(sessions: readonly SessionElsewhere[], sealed: Buffer): Opened | undefined {
  for (const givenBy of sessions) {
    const opened = open(givenBy.crypticle, sealed);
    if (opened !== undefined) return { ...opened, givenBy };
  }
  return undefined;
}

function decodeMap(packed: Buffer, budget: Budget): Dict {
  let value: Value;
  try {
    value = decode(packed, 'network', budget);
  } catch (error) {
    throw refusedFor(error);
  }
  if (!isDict(value)) throw new Refused('load shape', NOT_A_DICT);
  return value;
}

function glanceAt(packed: Buffer, names: readonly string[]): Dict {
  try {
    return glance(packed, names);
  } catch (error) {
    throw refusedFor(error);
  }
}

function refusedFor(error: unknown): unknown {
  if (error instanceof BudgetError) return new Refused('over budget', BAD_LOAD, error.message);
  return error instanceof MsgpackError ? new Refused('malformed') : error;
}

function fits(packed: Buffer, budget: Budget): boolean {
  try {
    requireWithin(packed, budget);
    return true;
  } catch {
    return false;
  }
}
