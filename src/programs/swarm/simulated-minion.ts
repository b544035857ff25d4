/**
 * One simulated minion: a session of its own, a connection of its own to each port, real authentication, real returns.
 * It has no grains, no pillar, no modules and no files, so a process holds thousands (see `shared-publications.ts` for
 * the one thing they share).
 */
import {
  authenticate,
  type AuthClient,
  type MinionCredentials,
} from '../../network/channel/client/authenticate.ts';
import { presenceProof } from '../../network/channel/presence-proof.ts';
import { RequestChannel } from '../../network/channel/client/request-channel.ts';
import { subscriberIdentity } from '../../network/channel/subscriber-identity.ts';
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING, type RsaPrivateKey } from '../../network/crypto/rsa.ts';
import { AuthenticationError, BrineError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { returnLoad, type Job } from '../minion/job.ts';
import { zmqTopics } from '../minion/topics.ts';
import { matchMinion } from '../../runtime/targeting/match-minion.ts';
import type { PublishClient, RequestClient } from '../../network/transport/transport.ts';
import { publishClient, requestClient } from '../../network/transport/transports.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { Answerer } from './answers.ts';
import { MemoryKeyring } from './memory-keyring.ts';
import { NOTHING_KNOWN, type OpenedPublication, type SharedPublications } from './shared-publications.ts';

const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const PENDING_MAX = 1000;
const HEARTBEAT_MS = 10_000;
const AUTH_TRIES = 5;
const AUTH_TIMEOUT_MS = 15_000;
const RETURN_PATIENCE = { timeoutMs: 30_000, tries: 3 };

/** What all minions of a swarm count together. */
export interface SwarmCounters {
  authentications: number;
  publications: number;
  /** Publications that were not for the minion that got them. */
  notForUs: number;
  /** Publications that could not be opened, or came twice. */
  refused: number;
  returned: number;
  /** Returns that no master took. */
  failed: number;
  reconnects: number;
}

/** What a simulated minion is made of. */
export interface SimulatedMinionDeps {
  readonly id: string;
  readonly key: RsaPrivateKey;
  readonly master: { readonly host: string; readonly port: number };
  readonly publications: SharedPublications;
  readonly answer: Answerer;
  readonly counters: SwarmCounters;
  /** Name of the transport. */
  readonly transport: string;
  /** The master's `zmq_filtering`. */
  readonly filtering: boolean;
  readonly onError: (id: string, error: unknown) => void;
  /** Told when the master has acknowledged the answer to a job. */
  readonly onReturned: (id: string, job: Job) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** A minion that authenticates, subscribes and returns, and runs nothing. */
export class SimulatedMinion {
  readonly id: string;
  readonly #deps: SimulatedMinionDeps;
  readonly #client: AuthClient;
  readonly #requester: RequestClient;
  readonly #channel: RequestChannel;
  #subscriber: PublishClient | undefined;
  #credentials: MinionCredentials | undefined;
  #renewing: Promise<MinionCredentials> | undefined;
  #lastSerial = 0;
  #serialKey = '';

  constructor(deps: SimulatedMinionDeps) {
    this.id = deps.id;
    this.#deps = deps;
    const { id, key, master, transport, clock, random } = deps;
    this.#client = {
      id,
      key,
      keyring: new MemoryKeyring(),
      encAlgo: DEFAULT_ENCRYPTION,
      sigAlgo: DEFAULT_SIGNING,
      autosignGrains: new Map(),
      random,
    };
    this.#requester = requestClient(transport, {
      address: () => master,
      messageBytesMax: MESSAGE_BYTES_MAX,
      pendingMax: PENDING_MAX,
      reconnectMs: { min: 100, max: 5000 },
      clock,
      random,
    });
    this.#channel = new RequestChannel({
      client: this.#client,
      requester: this.#requester,
      credentials: async () => this.#credentials ?? this.#renew(undefined),
      renew: (stale) => this.#renew(stale),
      clock,
      random,
    });
  }

  /**
   * Authenticates and subscribes. A real minion has sent requests before its first job comes, so it has its token then.
   * @throws AuthenticationError when the master does not accept it, UnreachableError */
  async join(): Promise<void> {
    await this.#renew(undefined);
    this.#channel.token();
    await this.#subscribe();
  }

  /**
   * Sends one `_return`; resolves when the master has acknowledged it.
   * @throws UnreachableError, AuthenticationError; BrineError when the master failed at it: its reply is an empty text
   *   then
   */
  async sendReturn(load: Dict): Promise<void> {
    const reply = await this.#channel.send(load, RETURN_PATIENCE);
    if (reply === '') throw new BrineError(`The master failed to take the return of ${this.id}.`);
    this.#deps.counters.returned++;
  }

  /** Sends any request, encrypted as a minion's. @returns the reply @throws UnreachableError, AuthenticationError */
  request(load: Dict): Promise<Value> {
    return this.#channel.send(load, RETURN_PATIENCE);
  }

  close(): void {
    this.#subscriber?.close();
    this.#requester.close();
  }

  /** Everybody who needs new credentials at the same time shares one authentication. */
  #renew(stale: MinionCredentials | undefined): Promise<MinionCredentials> {
    if (this.#credentials !== undefined && this.#credentials !== stale)
      return Promise.resolve(this.#credentials);
    this.#renewing ??= this.#authenticate().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #authenticate(): Promise<MinionCredentials> {
    const { clock, random, counters, id } = this.#deps;
    for (let left = AUTH_TRIES; ; left--) {
      try {
        const outcome = await authenticate(this.#client, this.#requester, AUTH_TIMEOUT_MS);
        if (outcome.kind !== 'accepted') throw new AuthenticationError(refusalText(id, outcome.kind));
        counters.authentications++;
        this.#credentials = outcome.credentials;
        return outcome.credentials;
      } catch (error) {
        if (!(error instanceof UnreachableError) || left <= 1) throw error;
        await clock.sleep(random.fraction() * 1000);
      }
    }
  }

  #subscribe(): Promise<void> {
    const { master, transport, clock, random, filtering, id, counters } = this.#deps;
    return new Promise((resolve) => {
      let subscribedAtMs: number | undefined;
      this.#subscriber = publishClient(
        transport,
        {
          address: () => ({ host: master.host, port: this.#credentials?.publishPort ?? 4505 }),
          properties: () => this.#proof(subscribedAtMs),
          identification: (isFirst) => this.#identify(isFirst),
          topics: zmqTopics(filtering, id),
          messageBytesMax: MESSAGE_BYTES_MAX,
          heartbeatMs: HEARTBEAT_MS,
          reconnect: { defaultMs: 1000, maxMs: 10_000, randomize: true },
          clock,
          random,
        },
        {
          connected: () => {
            if (subscribedAtMs !== undefined) counters.reconnects++;
            subscribedAtMs ??= clock.monotonicMs();
            resolve();
          },
          disconnected: () => undefined,
          message: (parts) => this.#publication(parts),
        },
      );
      this.#subscriber.start();
    });
  }

  async #identify(isFirst: boolean): Promise<Buffer> {
    const { shared } = await this.#renew(isFirst ? undefined : this.#credentials);
    return subscriberIdentity(this.id, this.#deps.key.signX931(Buffer.from('salt')), shared);
  }

  #proof(subscribedAtMs: number | undefined): ReadonlyMap<string, Buffer> {
    const { id, clock } = this.#deps;
    if (this.#credentials === undefined) return new Map();
    const missed =
      subscribedAtMs === undefined
        ? undefined
        : { after: this.#lastSerial, forMs: clock.monotonicMs() - subscribedAtMs };
    return presenceProof(id, this.#credentials.session, clock, 'minion', missed);
  }

  /**
   * The usual publication is answered in the same turn; only one with a new key has to be kept while we authenticate.
   */
  #publication(parts: Buffer[]): void {
    const { counters, onError } = this.#deps;
    counters.publications++;
    const opened = this.#credentials && this.#deps.publications.open(parts, this.#credentials);
    if (opened !== undefined && typeof opened !== 'string') return this.#take(opened);
    const copies = parts.map((part) => Buffer.from(part));
    this.#openAgain(copies).catch((error: unknown) => {
      counters.refused++;
      onError(this.id, error);
    });
  }

  async #openAgain(parts: Buffer[]): Promise<void> {
    const opened = this.#deps.publications.open(parts, await this.#renew(this.#credentials));
    if (typeof opened === 'string') throw new AuthenticationError(`A publication was dropped: ${opened}.`);
    this.#take(opened);
  }

  #take({ job, target, serial }: OpenedPublication): void {
    const { counters, answer, onError, onReturned } = this.#deps;
    if (!this.#isNew(serial)) {
      counters.refused++;
      return;
    }
    const subject = { id: this.id, grains: NOTHING_KNOWN, pillar: NOTHING_KNOWN };
    if (target === undefined || !matchMinion(target, subject)) {
      counters.notForUs++;
      return;
    }
    this.sendReturn(returnLoad(job, this.id, answer(job, this.id))).then(
      () => onReturned(this.id, job),
      (error: unknown) => {
        counters.failed++;
        onError(this.id, error);
      },
    );
  }

  #isNew(serial: number | undefined): boolean {
    const key = this.#credentials?.shared.keyString.reveal() ?? '';
    if (this.#serialKey !== key) {
      this.#serialKey = key;
      this.#lastSerial = 0;
    }
    if (serial === undefined) return true;
    if (serial <= this.#lastSerial) return false;
    this.#lastSerial = serial;
    return true;
  }
}

function refusalText(id: string, kind: 'pending' | 'rejected' | 'full'): string {
  if (kind === 'full') return `The master has as many minions as max_minions allows; ${id} was turned away.`;
  if (kind === 'pending')
    return `The key of ${id} waits to be accepted; set auto_accept on the master, or preseed the keys.`;
  return `The master rejects the key of ${id}; it may know another key under this id (salt-key -d ${id} removes it).`;
}

/** Names the swarm's counters at zero. */
export function newCounters(): SwarmCounters {
  return {
    authentications: 0,
    publications: 0,
    notForUs: 0,
    refused: 0,
    returned: 0,
    failed: 0,
    reconnects: 0,
  };
}

/** One line about an error, for logs. */
export function swarmErrorText(id: string, error: unknown): string {
  return `${id}: ${messageOf(error)}`;
}
