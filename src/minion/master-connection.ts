/**
 * A minion's connection to one master: authenticates until it is accepted, stays subscribed, and renews what the master no
 * longer accepts. It needs no restart, whatever happens to master and network.
 */
import { setMaxListeners } from 'node:events';
import { authenticate, type AuthClient, type Credentials } from '../channel/client/authenticate.ts';
import { FingerprintError } from '../channel/client/master-key.ts';
import { presenceProof } from '../channel/presence-proof.ts';
import { PublicationReader } from '../channel/client/publication.ts';
import { RequestChannel } from '../channel/client/request-channel.ts';
import type { MinionOptions } from '../config/minion-options.ts';
import { AuthenticationError, BrineError, UnreachableError } from '../errors/errors.ts';
import type { Clock } from '../host/clock.ts';
import type { Logger } from '../host/log.ts';
import type { Random } from '../host/random.ts';
import { Requester } from '../transport/zmtp/requester.ts';
import { Subscriber } from '../transport/zmtp/subscriber.ts';
import type { Dict } from '../values/value.ts';
import { zmqTopics } from './topics.ts';
import type { MasterAddress } from './master-address.ts';

/** A reply to us is never larger than this; a publication neither. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
const PENDING_REQUESTS_MAX = 10_000;
const HEARTBEAT_MS = 10_000;
/** A publication with a bad signature asks for a new authentication at most this often. */
const SUSPICION_MS = 10_000;

/** The master refuses this minion for good: exit 77. */
export class RejectedError extends BrineError {
  override readonly name = 'RejectedError';
  override readonly exitCode = 77;
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly address: MasterAddress;
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called for each genuine publication. */
  readonly onPublication: (load: Dict, connection: MasterConnection) => void;
  /** Called when the subscription stands, again and again, and when it is lost. */
  readonly onLink?: (isUp: boolean, connection: MasterConnection) => void;
  /** Called when the master forbids this minion to go on while it runs. */
  readonly onForbidden?: (error: Error, connection: MasterConnection) => void;
}

/** Publications that were not taken, by reason. */
export type ConnectionCounters = Map<string, number>;

/** See the file's comment. */
export class MasterConnection {
  readonly requests: RequestChannel;
  readonly counters: ConnectionCounters = new Map();
  readonly address: MasterAddress;
  readonly #parts: ConnectionParts;
  readonly #requester: Requester;
  readonly #reader: PublicationReader;
  #isUp = false;
  readonly #stop = new AbortController();
  #subscriber: Subscriber | undefined;
  #credentials: Credentials | undefined;
  #renewing: Promise<Credentials> | undefined;
  #lastSuspicionMs = -Infinity;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.address = parts.address;
    setMaxListeners(0, this.#stop.signal);
    const { opts, clock, random, client } = parts;
    this.#requester = new Requester({
      address: () => parts.address,
      messageBytesMax: MESSAGE_BYTES_MAX,
      pendingMax: PENDING_REQUESTS_MAX,
      keepAliveMs: 300_000,
      heartbeatMs: HEARTBEAT_MS,
      reconnectMs: { min: 100, max: 5000 },
      clock,
      random,
    });
    this.#reader = new PublicationReader(opts.get('sign_pub_messages'));
    this.requests = new RequestChannel({
      client,
      requester: this.#requester,
      credentials: () => this.#current(),
      renew: (stale) => this.#renew(stale),
      clock,
      random,
    });
  }

  /** `host:port` of the request port, as configured. */
  get name(): string {
    const { host, port } = this.address;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  /** Whether the subscription stands. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Authenticates, waiting as long as it takes.
   * @throws RejectedError, FingerprintError: the minion must not go on
   */
  async authenticate(): Promise<void> {
    this.#credentials = await this.#untilAccepted();
  }

  /** One authentication with the patience of a command, not of a daemon. @throws AuthenticationError, UnreachableError, RejectedError */
  async authenticateOnce(timeoutMs: number): Promise<void> {
    const outcome = await authenticate(this.#parts.client, this.#requester, timeoutMs);
    if (outcome.kind === 'accepted') {
      this.#credentials = outcome.credentials;
      return;
    }
    const { id } = this.#parts.client;
    if (outcome.kind === 'rejected')
      throw new RejectedError(
        `The Salt Master has rejected this minion's public key!\n${rejectionAdvice(id)}`,
      );
    if (outcome.kind === 'full')
      throw new AuthenticationError(
        'The master has as many minions as max_minions allows; this one was turned away.',
      );
    throw new AuthenticationError(
      `The key of ${id} is waiting to be accepted on the master. Accept it there with: salt-key -a ${id}`,
    );
  }

  /** Subscribes; resolves when the subscription stands for the first time. */
  subscribe(): Promise<void> {
    const { opts, client, clock, random, log, address } = this.#parts;
    return new Promise((resolve) => {
      let wasConnected = false;
      this.#subscriber = new Subscriber(
        {
          address: () => ({ host: address.host, port: this.#publishPort() }),
          properties: () =>
            this.#credentials === undefined
              ? new Map()
              : presenceProof(client.id, this.#credentials.session, clock),
          topics: zmqTopics(opts.raw('zmq_filtering') === true, client.id),
          messageBytesMax: MESSAGE_BYTES_MAX,
          keepAliveMs: 300_000,
          heartbeatMs: HEARTBEAT_MS,
          reconnect: {
            defaultMs: opts.get('recon_default'),
            maxMs: opts.get('recon_max'),
            randomize: opts.get('recon_randomize'),
          },
          clock,
          random,
        },
        {
          connected: () => {
            this.#isUp = true;
            this.#parts.onLink?.(true, this);
            if (wasConnected) this.#reconnected();
            wasConnected = true;
            resolve();
          },
          disconnected: (error) => {
            const wasUp = this.#isUp;
            this.#isUp = false;
            if (wasUp) this.#parts.onLink?.(false, this);
            if (wasUp)
              log.warning(
                `The connection to the master's publish port was lost${error ? `: ${error.message}` : ''}; reconnecting.`,
              );
          },
          message: (parts) => void this.#publication(parts.map((part) => Buffer.from(part))),
        },
      );
      this.#subscriber.start();
    });
  }

  close(): void {
    this.#stop.abort();
    this.#subscriber?.close();
    this.#requester.close();
  }

  /** Salt compat: 4506 means "as the master says" (wire-protocol.md, 1.1). */
  #publishPort(): number {
    const own = this.#parts.opts.raw('publish_port');
    if (typeof own === 'number' && own !== 4506 && own > 0) return own;
    return this.#credentials?.publishPort ?? 4505;
  }

  /** The master may have restarted with another shared key: find out before the next job, and not all at once. */
  #reconnected(): void {
    const { opts, clock, random, log } = this.#parts;
    log.info('Connected to the master again.');
    const stale = this.#credentials;
    const delayMs = random.fraction() * opts.get('random_reauth_delay') * 1000;
    void clock.sleep(delayMs, this.#stop.signal).then(() => {
      if (stale !== undefined && !this.#stop.signal.aborted) this.#renew(stale).catch(() => undefined);
    });
  }

  async #publication(parts: Buffer[]): Promise<void> {
    const { log, onPublication } = this.#parts;
    try {
      let credentials = await this.#current();
      let read = this.#reader.read(parts, credentials);
      if (read === 'wrong key' || (read === 'bad signature' && this.#mayBeSuspicious())) {
        credentials = await this.#renew(credentials);
        read = this.#reader.read(parts, credentials);
      }
      if (typeof read !== 'string') return onPublication(read, this);
      const count = (this.counters.get(read) ?? 0) + 1;
      this.counters.set(read, count);
      if (count <= 10 || count % 1000 === 0)
        log.warning(`A publication was dropped: ${read} (${count} so far).`);
    } catch (error) {
      log.error(`A publication could not be taken: ${(error as Error).message}`, error);
    }
  }

  #mayBeSuspicious(): boolean {
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#lastSuspicionMs < SUSPICION_MS) return false;
    this.#lastSuspicionMs = nowMs;
    return true;
  }

  async #current(): Promise<Credentials> {
    if (this.#credentials !== undefined) return this.#credentials;
    return this.#renewOnce();
  }

  #renew(stale: Credentials): Promise<Credentials> {
    if (this.#credentials !== undefined && this.#credentials !== stale)
      return Promise.resolve(this.#credentials);
    return this.#renewOnce();
  }

  /** Everybody who needs new credentials at the same time shares one authentication. */
  #renewOnce(): Promise<Credentials> {
    this.#renewing ??= this.#untilAccepted()
      .then((credentials) => (this.#credentials = credentials))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #untilAccepted(): Promise<Credentials> {
    const { opts, client, log } = this.#parts;
    const waits = new AcceptanceWait(opts);
    let silent = 0;
    for (;;) {
      if (this.#stop.signal.aborted) throw new UnreachableError('The minion is stopping.');
      try {
        const outcome = await authenticate(client, this.#requester, opts.get('auth_timeout') * 1000);
        silent = 0;
        if (outcome.kind === 'accepted') {
          log.info(`Authentication with master at ${this.address.host} successful!`);
          return outcome.credentials;
        }
        await this.#notAccepted(outcome.kind, waits);
      } catch (error) {
        if (error instanceof RejectedError || error instanceof FingerprintError) throw error;
        await this.#failed(error as Error, ++silent, waits);
      }
    }
  }

  async #notAccepted(kind: 'pending' | 'rejected' | 'full', waits: AcceptanceWait): Promise<void> {
    const { opts, client, clock, random, log } = this.#parts;
    const seconds = waits.next();
    if (kind === 'pending') {
      log.error(
        `The Salt Master has cached the public key for this node, this salt minion will wait for ${seconds} seconds before attempting to re-authenticate. ` +
          `Accept the key on the master with: salt-key -a ${client.id}`,
      );
    } else if (kind === 'full') {
      log.error(
        `The master has as many minions as max_minions allows; the next attempt is in ${seconds} seconds.`,
      );
    } else if (opts.get('rejected_retry')) {
      log.error(
        `The Salt Master has rejected this minion's public key.\n${rejectionAdvice(client.id)}\nThe Salt Minion will attempt to re-authenicate.`,
      );
    } else {
      log.critical(
        `The Salt Master has rejected this minion's public key!\n${rejectionAdvice(client.id)}\nOr restart the Salt Master in open mode to clean out the keys. The Salt Minion will now exit.`,
      );
      await clock.sleep(10_000 + random.fraction() * 10_000, this.#stop.signal);
      throw new RejectedError(`The master has rejected the key of ${client.id}.`);
    }
    await clock.sleep(seconds * 1000, this.#stop.signal);
  }

  async #failed(error: Error, times: number, waits: AcceptanceWait): Promise<void> {
    const { opts, clock, random, log } = this.#parts;
    const where = `${this.address.host}:${this.address.port}`;
    if (error instanceof AuthenticationError) {
      log.critical(`The master at ${where} could not be trusted: ${error.message}`, error);
      return clock.sleep(waits.next() * 1000, this.#stop.signal);
    }
    log.error(`The master at ${where} did not answer the authentication: ${error.message}`, error);
    const limit = times < opts.get('auth_tries') ? 1 : Math.max(1, opts.get('random_reauth_delay'));
    await clock.sleep(random.fraction() * limit * 1000, this.#stop.signal);
  }
}

/** `acceptance_wait_time`, growing by itself up to `acceptance_wait_time_max` when that is set. */
class AcceptanceWait {
  readonly #step: number;
  readonly #max: number;
  #seconds = 0;

  constructor(opts: MinionOptions) {
    this.#step = opts.get('acceptance_wait_time');
    this.#max = opts.get('acceptance_wait_time_max');
  }

  next(): number {
    this.#seconds = this.#max > 0 ? Math.min(this.#max, this.#seconds + this.#step) : this.#step;
    return this.#seconds;
  }
}

function rejectionAdvice(id: string): string {
  return `To repair this issue, delete the public key for this minion on the Salt Master (salt-key -d ${id}).`;
}
