/**
 * What stands before all workers, in the process that reads the request port: it says who a request claims to be from,
 * so that one minion's requests reach the same worker; it keeps large requests of strangers from the workers; and it
 * claims each sealed request at the guard against replays, so that it is served once, whichever worker gets it.
 */
import { isValidMinionId } from '../../host/files.ts';
import type { Dict } from '../../python/values/value.ts';
import { CLEAR, UNPROVEN } from '../../formats/wire/budget.ts';
import { glance, parseRequestEnvelope } from '../../formats/wire/envelope.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import {
  SEEN,
  UNKNOWN_STANDING,
  type ReplayCheck,
  type ReplayGuard,
  type ReplayStanding,
} from './replay-guard.ts';

const BAD_LOAD = encode('bad load', 'network');
const USER_FIELDS = ['user', 'key'];

/** What a gate needs. */
export interface RequestGateDeps {
  readonly guard: ReplayGuard;
  /**
   * Whether the key of a user stands somewhere in the bytes of a request. Takes microseconds, whatever the bytes are.
   */
  readonly hasUserKey: (body: Buffer) => boolean;
  /** Whether what a command in the clear says of its user holds. */
  readonly knowsUser: (head: Dict) => boolean;
  /** Whether a minion has ever been given a session key. */
  readonly hasSession: (id: string) => boolean;
  /** Told of each request that is turned away, with the reason and what can be done. */
  readonly refused: (from: string, reason: string) => void;
}

/** A request that may go to a worker. */
export interface Admission {
  /** Who it says it is from; undefined when it does not, or not credibly. It proves nothing. */
  readonly id: string | undefined;
  /** What the worker needs to know of its sender. */
  readonly standing: ReplayStanding;
  /** Must be called once, with what became of it. */
  settle(outcome: ReplayCheck): void;
}

/** Lets a request through to a worker, or turns it away. */
export class RequestGate {
  readonly counters = { replays: 0, overBudget: 0 };
  readonly #deps: RequestGateDeps;

  constructor(deps: RequestGateDeps) {
    this.#deps = deps;
  }

  /** @returns the request's way to a worker, or the reply that turns it away */
  admit(body: Buffer, from: string): Admission | Buffer {
    const envelope = this.#envelopeOf(body);
    if (envelope === 'over budget' || (typeof envelope === 'string' && body.length > CLEAR.bytesMax))
      return this.#overBudget(body, from);
    if (typeof envelope === 'string') return UNCLAIMED;
    if (envelope.enc === 'clear') {
      if (body.length > CLEAR.bytesMax && !this.#isOfUser(envelope.load)) return this.#overBudget(body, from);
      return envelope.load.includes(LOGIN_FIELD) ? LOGIN : UNCLAIMED;
    }
    const id = isValidMinionId(envelope.id) ? envelope.id : undefined;
    const { guard, refused, hasSession } = this.#deps;
    if (body.length > CLEAR.bytesMax && envelope.version >= 3 && (id === undefined || !hasSession(id)))
      return this.#overBudget(body, from);
    const claim = guard.claim(envelope.load, id);
    if (claim === SEEN) {
      this.counters.replays++;
      refused(from, `it was served before or is being served (replay), in the name of ${id ?? 'no minion'}`);
      return BAD_LOAD;
    }
    return { id, standing: claim.standing, settle: (outcome) => guard.settle(claim, outcome) };
  }

  /** A walk over many values costs milliseconds: only whoever has a user's key is worth it. */
  #envelopeOf(body: Buffer): ReturnType<typeof parseRequestEnvelope> {
    const envelope = parseRequestEnvelope(body, UNPROVEN);
    return envelope === 'over budget' && this.#deps.hasUserKey(body) ? parseRequestEnvelope(body) : envelope;
  }

  #isOfUser(load: Buffer): boolean {
    try {
      return this.#deps.knowsUser(glance(load, USER_FIELDS));
    } catch {
      return false;
    }
  }

  #overBudget(body: Buffer, from: string): Buffer {
    this.counters.overBudget++;
    this.#deps.refused(
      from,
      `${body.length} bytes without a valid key, or with more values than any message has (over budget); ` +
        'what a stranger may send is in docs/internals/limits.md',
    );
    return BAD_LOAD;
  }
}

const UNCLAIMED: Admission = { id: undefined, standing: UNKNOWN_STANDING, settle: () => undefined };
/** In every request that logs in, however it is packed. */
const LOGIN_FIELD = 'eauth';
/**
 * All log-ins reach the same worker, so that failures are counted, and guesses made to wait, for the master as a whole.
 * No minion has such an id.
 */
const LOGIN: Admission = { ...UNCLAIMED, id: '/log-ins' };
