/**
 * A minion's connection to one master: authenticates until it is accepted, stays subscribed, and renews what the master
 * no longer accepts. It needs no restart, whatever happens to master and network.
 */
import { setMaxListeners } from 'node:events';
import type { AuthClient, MinionCredentials } from '../../network/channel/client/authenticate.ts';
import { presenceProof, type PeerRole } from '../../network/channel/presence-proof.ts';
import { subscriberIdentity } from '../../network/channel/subscriber-identity.ts';
import type { ListenedKeys } from '../../network/channel/client/listened-keys.ts';
import {
  keyMarkOf,
  PublicationReader,
  type PublicationFault,
  type PublicationMemory,
} from '../../network/channel/client/publication.ts';
import { RequestChannel } from '../../network/channel/client/request-channel.ts';
import { keepAliveMs } from '../../config/keep-alive.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { readSsl, type SslOption } from '../../config/ssl.ts';
import type { Clock } from '../../host/clock.ts';
import type { NameService } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import { rareLog, type RareLog } from '../../host/rare-lines.ts';
import type { Random } from '../../host/random.ts';
import type { Missed } from '../../network/transport/recent-messages.ts';
import type { PublishClient, RequestClient } from '../../network/transport/transport.ts';
import { publishClient, requestClient } from '../../network/transport/transports.ts';
import type { Dict } from '../../python/values/value.ts';
import { Admission, isForbidden } from './admission.ts';
import { addressName, type MasterAddress } from './master-address.ts';
import { sourceOf } from './source-address.ts';
import { zmqTopics } from './topics.ts';

/** A reply to us is never larger than this; a publication neither. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
const PENDING_REQUESTS_MAX = 10_000;
const HEARTBEAT_MS = 10_000;
const TOKEN_TEXT = Buffer.from('salt');
/** A publication with a bad signature asks for a new authentication at most this often. */
const SUSPICION_MS = 10_000;

/** Why a publication was dropped, in words, and what to do where somebody must. */
const DROPPED: Readonly<Record<PublicationFault, string>> = {
  malformed: 'malformed',
  'no signature':
    'no signature. A master that does not sign on purpose needs sign_pub_messages: False on this minion too; ' +
    'one that has signed before must go on doing so, or its line in masters_that_sign in pki_dir be removed',
  'weak signature':
    'signed with SHA-1, which fips_mode refuses. Set publish_signing_algorithm: PKCS1v15-SHA224 on the master',
  'bad signature': 'bad signature',
  'no publication': "the master's signature is that of a reply. Somebody tries to have this minion run a job",
  'wrong key': 'wrong key',
  'no serial':
    'no serial. Only masters of a cluster (cluster_id) of Salt 3007 send none; for them set require_publish_serial: False on this minion',
  replayed: 'replayed',
};

/** What a connection is made of. */
export interface MasterConnectionDeps {
  readonly address: MasterAddress;
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly names: NameService;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What was published before, and by whom; shared by the connections to all masters. */
  readonly memory: ConnectionMemory;
  /** What we are to this master; a minion when nothing is said. */
  readonly role?: PeerRole;
  /** Called for each genuine publication. */
  readonly onPublication: (load: Dict, connection: MasterConnection) => void;
  /** Called when the subscription stands, again and again, and when it is lost. */
  readonly onLink?: (isUp: boolean, connection: MasterConnection) => void;
  /**
   * Called when the subscription stands, and with each authentication from then on: where the masters of its cluster
   * are, as this one says.
   */
  readonly onMasters?: ((masters: readonly string[], connection: MasterConnection) => void) | undefined;
  /** Called when the master forbids this minion to go on while it runs. */
  readonly onForbidden?: (error: Error, connection: MasterConnection) => void;
  /** Whether the minion ends when this master forbids it to go on. */
  readonly isOnly: () => boolean;
}

/** What the connections of one process remember together. */
export interface ConnectionMemory extends PublicationMemory {
  readonly listened: ListenedKeys;
}

/** Publications that were not taken, by reason. */
export type ConnectionCounters = Map<string, number>;

/** Stays authenticated with one master and subscribed to its publications until it is closed. */
export class MasterConnection {
  readonly requests: RequestChannel;
  readonly counters: ConnectionCounters = new Map();
  readonly address: MasterAddress;
  /** For what is tried again and again with this master: one line a minute for one cause. */
  readonly log: RareLog;
  readonly #deps: MasterConnectionDeps;
  readonly #requester: RequestClient;
  readonly #ssl: SslOption | undefined;
  readonly #reader: PublicationReader;
  readonly #admission: Admission;
  /** Whether the subscription stands, and whether the master has let us in at the last attempt. */
  #isSubscribed = false;
  #isAdmitted = false;
  #isUp = false;
  /** Whether this connection is to be kept; one that is not asks once when it is used, and leaves it at that. */
  #isKept = false;
  #isRetired = false;
  readonly #stop = new AbortController();
  #subscriber: PublishClient | undefined;
  #token: Buffer | undefined;
  #credentials: MinionCredentials | undefined;
  #renewing: Promise<MinionCredentials> | undefined;
  #lastSuspicionMs = -Infinity;
  /** When the subscription stood for the first time, on the monotonic clock. */
  #listeningSinceMs: number | undefined;

  constructor(deps: MasterConnectionDeps) {
    this.#deps = deps;
    this.address = deps.address;
    this.log = rareLog(deps.log, deps.clock);
    setMaxListeners(0, this.#stop.signal);
    const { opts, clock, random, client } = deps;
    this.#ssl = opts.get('transport') === 'zeromq' ? undefined : readSsl(opts.raw('ssl'));
    this.#requester = requestClient(opts.get('transport'), {
      address: () => ({ ...deps.address, ...sourceOf(opts, 'source_ret_port', deps.log) }),
      messageBytesMax: MESSAGE_BYTES_MAX,
      pendingMax: PENDING_REQUESTS_MAX,
      keepAliveMs: keepAliveMs(opts),
      heartbeatMs: HEARTBEAT_MS,
      reconnectMs: { min: 100, max: 5000 },
      ...this.#tls,
      clock,
      random,
    });
    const requester = this.#requester;
    const attempted = (isAccepted: boolean): void => this.#noteLink({ isAdmitted: isAccepted });
    this.#admission = new Admission({
      ...deps,
      requester,
      isWanted: () => this.#isKept,
      stop: this.#stop.signal,
      attempted,
    });
    this.#reader = new PublicationReader({
      requireSignature: opts.get('sign_pub_messages'),
      requireSerial: opts.get('require_publish_serial'),
      withoutSha1: opts.get('fips_mode'),
      ...deps.memory,
    });
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
    return addressName(this.address);
  }

  /** Whether the subscription stands and the master lets us in. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Authenticates, waiting as long as it takes.
   * @throws RejectedError, FingerprintError: the minion must not go on
   */
  async authenticate(): Promise<void> {
    this.#isKept = true;
    this.#take(await this.#admission.untilAccepted());
  }

  #tellMasters(): void {
    this.#deps.onMasters?.(this.#credentials?.masters ?? [], this);
  }

  /** One attempt to authenticate. @throws RejectedError, FingerprintError, AuthenticationError, UnreachableError */
  async authenticateOnce(): Promise<void> {
    this.#take(await this.#admission.once());
  }

  #take(credentials: MinionCredentials): MinionCredentials {
    this.#credentials = credentials;
    this.#noteListening();
    if (this.#isSubscribed) this.#tellMasters();
    return credentials;
  }

  /** Subscribes; resolves when the subscription stands for the first time. */
  subscribe(): Promise<void> {
    const { opts, client, clock, random, log, address, role } = this.#deps;
    this.#isKept = true;
    this.#isAdmitted = true;
    this.#subscriber?.close();
    return new Promise((resolve) => {
      this.#listeningSinceMs = undefined;
      this.#subscriber = publishClient(
        opts.get('transport'),
        {
          address: () => ({
            host: address.host,
            port: this.#publishPort(),
            ...sourceOf(opts, 'source_publish_port', log),
          }),
          properties: () =>
            this.#credentials === undefined
              ? new Map()
              : presenceProof(client.id, this.#credentials.session, clock, role, this.#missed()),
          identification: (isFirst) => this.#identify(isFirst, () => this.#missed()),
          topics: zmqTopics(opts.raw('zmq_filtering') === true, client.id, role),
          messageBytesMax: MESSAGE_BYTES_MAX,
          keepAliveMs: keepAliveMs(opts),
          heartbeatMs: HEARTBEAT_MS,
          ...this.#tls,
          reconnect: {
            defaultMs: this.#isTcp ? opts.get('tcp_reconnect_backoff') * 1000 : opts.get('recon_default'),
            maxMs: opts.get('recon_max'),
            randomize: opts.get('recon_randomize'),
          },
          clock,
          random,
        },
        {
          connected: () => {
            this.#noteLink({ isSubscribed: true });
            if (this.#listeningSinceMs !== undefined) this.#reconnected();
            this.#listeningSinceMs ??= clock.monotonicMs();
            this.#noteListening();
            resolve();
            this.#tellMasters();
          },
          disconnected: (error) => {
            const wasSubscribed = this.#isSubscribed;
            this.#noteLink({ isSubscribed: false });
            if (wasSubscribed)
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

  /** Leaves the publish port; requests, such as returns that still wait, can be sent as before. */
  release(): void {
    this.#isKept = false;
    this.#subscriber?.close();
    this.#subscriber = undefined;
    this.#noteLink({ isSubscribed: false });
  }

  /**
   * Listens no more, without anybody who watches the link taking it for lost: another process of this minion listens.
   * Requests go on.
   */
  retire(): void {
    this.#isRetired = true;
    this.#subscriber?.close();
  }

  close(): void {
    this.#isKept = false;
    this.#stop.abort();
    this.#subscriber?.close();
    this.#requester.close();
  }

  get #isTcp(): boolean {
    return this.#deps.opts.get('transport') === 'tcp';
  }

  get #tls(): { readonly ssl?: SslOption } {
    return this.#ssl === undefined ? {} : { ssl: this.#ssl };
  }

  /** Salt compat: over tcp a minion that comes back authenticates anew first, because its master may have restarted. */
  async #identify(isFirst: boolean, missed: () => Missed | undefined): Promise<Buffer> {
    const { client, role } = this.#deps;
    const stale = this.#credentials;
    const { shared } = isFirst || stale === undefined ? await this.#current() : await this.#renew(stale);
    this.#token ??= client.key.signX931(TOKEN_TEXT);
    return subscriberIdentity(client.id, this.#token, shared, role, missed());
  }

  /**
   * What can have passed us by since the connection stood for the first time, or, where another master of the same
   * cluster was listened to before, since then.
   */
  #missed(): Missed | undefined {
    const { memory, clock } = this.#deps;
    const shared = this.#credentials?.shared;
    const elsewhereMs = shared && memory.listened.sinceMs(shared);
    const sinceMs = this.#listeningSinceMs ?? elsewhereMs;
    if (sinceMs === undefined) return undefined;
    const isFirst = this.#listeningSinceMs === undefined;
    const after = isFirst && shared ? memory.serials.lastSerial(keyMarkOf(shared)) : this.#reader.lastSerial;
    return { after, forMs: clock.monotonicMs() - sinceMs };
  }

  #noteListening(): void {
    const { listened } = this.#deps.memory;
    if (this.#isSubscribed && this.#credentials !== undefined && this.#listeningSinceMs !== undefined)
      listened.note(this.#credentials.shared, this.#listeningSinceMs);
  }

  /** Salt compat: 4506 means "as the master says" (docs/internals/wire-protocol.md#transports). */
  #publishPort(): number {
    const own = this.#deps.opts.raw('publish_port');
    if (typeof own === 'number' && own !== 4506 && own > 0) return own;
    return this.#credentials?.publishPort ?? 4505;
  }

  /** The master may have restarted with another shared key: find out before the next job, and not all at once. */
  #reconnected(): void {
    const { opts, clock, random, log } = this.#deps;
    log.info('Connected to the master again.');
    if (this.#isTcp) return; // it has authenticated anew already
    const stale = this.#credentials;
    const delayMs = random.fraction() * opts.get('random_reauth_delay') * 1000;
    void clock.sleep(delayMs, this.#stop.signal).then(() => {
      if (stale !== undefined && !this.#stop.signal.aborted) this.#renew(stale).catch(() => undefined);
    });
  }

  async #publication(parts: Buffer[]): Promise<void> {
    const { onPublication } = this.#deps;
    try {
      let credentials = await this.#current();
      let read = this.#reader.read(parts, credentials);
      if (read === 'wrong key' || (read === 'bad signature' && this.#mayBeSuspicious())) {
        credentials = await this.#renew(credentials);
        read = this.#reader.read(parts, credentials);
      }
      if (typeof read !== 'string') return onPublication(read, this);
      this.#dropped(read);
    } catch (error) {
      this.log.error(`A publication could not be taken: ${(error as Error).message}`, error);
    }
  }

  #dropped(fault: PublicationFault): void {
    const { log } = this.#deps;
    const count = (this.counters.get(fault) ?? 0) + 1;
    this.counters.set(fault, count);
    if (count <= 10 || count % 1000 === 0)
      log.warning(`A publication of ${this.name} was dropped: ${DROPPED[fault]} (${count} so far).`);
  }

  #mayBeSuspicious(): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#lastSuspicionMs < SUSPICION_MS) return false;
    this.#lastSuspicionMs = nowMs;
    return true;
  }

  async #current(): Promise<MinionCredentials> {
    if (this.#credentials !== undefined) return this.#credentials;
    return this.#renewOnce();
  }

  #renew(stale: MinionCredentials): Promise<MinionCredentials> {
    if (this.#credentials !== undefined && this.#credentials !== stale)
      return Promise.resolve(this.#credentials);
    return this.#renewOnce();
  }

  /** Everybody who needs new credentials at the same time shares one authentication. */
  #renewOnce(): Promise<MinionCredentials> {
    this.#renewing ??= this.#admit()
      .then((credentials) => this.#take(credentials))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #admit(): Promise<MinionCredentials> {
    if (!this.#isKept) return this.#admission.once();
    try {
      return await this.#admission.untilAccepted();
    } catch (error) {
      if (isForbidden(error)) this.#deps.onForbidden?.(error, this);
      throw error;
    }
  }

  #noteLink(change: { isSubscribed?: boolean; isAdmitted?: boolean }): void {
    if (this.#isRetired) return;
    this.#isSubscribed = change.isSubscribed ?? this.#isSubscribed;
    this.#isAdmitted = change.isAdmitted ?? this.#isAdmitted;
    const isUp = this.#isSubscribed && this.#isAdmitted;
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.#deps.onLink?.(isUp, this);
  }
}
