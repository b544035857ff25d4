/**
 * Authenticated requests of a minion: encrypts with the session key, numbers with a nonce, checks the reply's, and
 * authenticates anew when the master no longer understands (docs/internals/wire-protocol.md#requests).
 */
import { MacError } from '../../crypto/crypticle.ts';
import { AuthenticationError, UnreachableError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Random } from '../../../host/random.ts';
import type { RequestClient } from '../../transport/transport.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { ENVELOPE } from '../../../formats/wire/budget.ts';
import { PROTOCOL_VERSION } from '../../../formats/wire/envelope.ts';
import { asBytes, decode, encode } from '../../../formats/wire/msgpack.ts';
import { isMasterFailure } from '../master-failure.ts';
import { isSignedCommand, signMessage } from '../message-signature.ts';
import type { AuthClient, MinionCredentials } from './authenticate.ts';
import { knownPillar, openPillarReply } from './pillar-reply.ts';

const TOKEN_TEXT = Buffer.from('salt');

/** What the channel is made of. */
export interface RequestChannelDeps {
  readonly client: AuthClient;
  readonly requester: RequestClient;
  /** The credentials in force. @throws AuthenticationError, UnreachableError */
  readonly credentials: () => Promise<MinionCredentials>;
  /** Credentials newer than `stale`; concurrent callers share one authentication. */
  readonly renew: (stale: MinionCredentials) => Promise<MinionCredentials>;
  readonly clock: Clock;
  readonly random: Random;
}

/** How patient a request is. */
export interface Patience {
  readonly timeoutMs: number;
  /** Attempts, the first included. */
  readonly tries: number;
}

/** Sends requests to one master. */
export class RequestChannel {
  readonly #deps: RequestChannelDeps;
  /** The proof that we hold our key never changes, so it is made once. */
  #token: Buffer | undefined;

  constructor(deps: RequestChannelDeps) {
    this.#deps = deps;
  }

  /**
   * Sends one command.
   * @param load `cmd` and its fields; id, nonce, time and token are added
   * @returns the reply
   * @throws UnreachableError when every attempt went unanswered, AuthenticationError when the master refuses us
   */
  async send(load: Dict, patience: Patience): Promise<Value> {
    // the reply to a request for pillar has a form of its own, whoever asks
    const isPillar = load.get('cmd') === '_pillar';
    return this.#retry(patience, (timeoutMs) => this.#once(load, timeoutMs, isPillar));
  }

  /** Asks for the pillar: the reply has a form of its own. */
  async pillar(load: Dict, patience: Patience): Promise<Dict> {
    const pillar = await this.#retry(patience, (timeoutMs) => this.#once(load, timeoutMs, true));
    return pillar as Dict;
  }

  async #retry(patience: Patience, attempt: (timeoutMs: number) => Promise<Value>): Promise<Value> {
    for (let left = patience.tries; ; left--) {
      try {
        return await attempt(patience.timeoutMs);
      } catch (error) {
        if (!(error instanceof UnreachableError) || left <= 1) throw error;
      }
    }
  }

  async #once(load: Dict, timeoutMs: number, isPillar: boolean): Promise<Value> {
    let credentials = await this.#within(timeoutMs, this.#deps.credentials());
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#exchange(load, credentials, timeoutMs, isPillar);
      } catch (error) {
        if (!(error instanceof MacError) || attempt > 0) throw refusedError(error, load);
        credentials = await this.#within(timeoutMs, this.#deps.renew(credentials));
      }
    }
  }

  /** An authentication may take as long as it likes, but a request does not wait longer for it than for its reply. */
  #within(timeoutMs: number, authentication: Promise<MinionCredentials>): Promise<MinionCredentials> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void =>
        reject(new UnreachableError('The master has not let this minion in yet; the request was not sent.'));
      const timer = this.#deps.clock.after(timeoutMs, giveUp);
      authentication.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  async #exchange(
    load: Dict,
    credentials: MinionCredentials,
    timeoutMs: number,
    isPillar: boolean,
  ): Promise<Value> {
    const { client, requester, random } = this.#deps;
    const nonce = random.bytes(16).toString('hex');
    const body = encode(
      {
        enc: 'aes',
        load: credentials.session.dumps(this.#sealed(load, nonce)),
        version: PROTOCOL_VERSION,
        id: client.id,
        enc_algo: client.encAlgo,
        sig_algo: client.sigAlgo,
      },
      'network',
    );
    const reply = readReply(await requester.request(body, timeoutMs));
    if (isMasterFailure(reply))
      throw new UnreachableError(`The master could not handle ${String(load.get('cmd'))}: ${String(reply)}.`);
    if (isPillar && isDict(reply)) return openPillarReply(reply, nonce, client, credentials);
    const sealed = asBytes(reply);
    if (sealed === undefined)
      throw new AuthenticationError(
        `The master answered ${String(load.get('cmd'))} with an unencrypted reply.`,
      );
    const value = credentials.session.loads(sealed, nonce);
    if (isPillar) return knownPillar(value);
    return value === undefined ? new Map() : value;
  }

  /** What every request carries; signed here once, else with the first request. */
  token(): Buffer {
    return (this.#token ??= this.#deps.client.key.signX931(TOKEN_TEXT));
  }

  #sealed(load: Dict, nonce: string): Dict {
    const { client, clock } = this.#deps;
    const out: Dict = new Map(load);
    out.set('nonce', nonce);
    out.set('ts', Math.floor(clock.nowMs() / 1000));
    out.set('tok', this.token());
    out.set('id', client.id);
    if (client.signsMessages && isSignedCommand(load)) out.set('sig', signMessage(out, client.key));
    return out;
  }
}

function readReply(bytes: Buffer): Value {
  try {
    // a sealed reply is one long field at most
    return decode(bytes, 'network', ENVELOPE);
  } catch (cause) {
    throw new AuthenticationError('The reply of the master cannot be read.', { cause });
  }
}

/** A reply that cannot be opened after a fresh authentication is a refusal. */
function refusedError(error: unknown, load: Dict): unknown {
  if (!(error instanceof MacError)) return error;
  const cmd = String(load.get('cmd'));
  return new AuthenticationError(
    `The master refused the request ${cmd}, although it has just accepted our key.`,
    { cause: error },
  );
}
