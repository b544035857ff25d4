/** A master's connection to the NATS servers of its cluster, and whether they take anything now. */
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { messageOf } from '../../errors/errors.ts';
import { connectNats, watchConnection, type NatsAccess } from '../../network/nats/connect.ts';
import { NatsStreams } from '../../network/nats/stream.ts';

/** How long NATS may take to answer; as long is a message under way whose fate is not known. */
export const NATS_TIMEOUT_MS = 2_000;
const PROBE_MS = 500;

/** What the link is made of. */
export interface LinkDeps {
  readonly access: NatsAccess;
  /** Shown in NATS' lists of connections. */
  readonly name: string;
  /** A stream whose servers are asked whether they take messages again. */
  readonly probe: string;
  readonly clock: Clock;
  readonly log: Logger;
}

function openStreams(nats: NatsConnection, { clock, log }: LinkDeps): Promise<NatsStreams> {
  const report = (sentence: string): void => log.error(sentence);
  return NatsStreams.open(nats, { timeoutMs: NATS_TIMEOUT_MS, clock, report });
}

/** The connection. It is there, or away: without a server, or without enough servers to keep anything. */
export class ClusterLink {
  readonly nats: NatsConnection;
  readonly streams: NatsStreams;
  /** Times that it went away. */
  readonly counters = { cuts: 0 };
  readonly #deps: LinkDeps;
  readonly #listeners: ((isThere: boolean) => void)[] = [];
  #awaySinceMs: number | undefined;
  #probe: Timer | undefined;

  private constructor(deps: LinkDeps, nats: NatsConnection, streams: NatsStreams) {
    this.#deps = deps;
    this.nats = nats;
    this.streams = streams;
    watchConnection(nats, (isThere) => (isThere ? this.#ask() : this.failed('the connection is lost')));
  }

  /** @throws UnreachableError when no server answers, or they have no JetStream */
  static async open(deps: LinkDeps): Promise<ClusterLink> {
    const nats = await connectNats(deps.access, { name: deps.name, timeoutMs: NATS_TIMEOUT_MS });
    try {
      return new ClusterLink(deps, nats, await openStreams(nats, deps));
    } catch (error) {
      await nats.close();
      throw error;
    }
  }

  /** True while messages are kept. */
  get isThere(): boolean {
    return this.#awaySinceMs === undefined;
  }

  /** Since when it is away, ms since 1970. */
  get awaySinceMs(): number | undefined {
    return this.#awaySinceMs;
  }

  /** Why nothing can be done that the other masters are to know of, and what to do. */
  get refusal(): string {
    return (
      `The cluster cannot be reached (NATS at ${this.#deps.access.servers.join(', ')}), and the other masters would not ` +
      'know of it. Try again when salt-run cluster.status says that it is back.'
    );
  }

  /** Told whenever it goes away or comes back. */
  onChange(listener: (isThere: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Notes that NATS did not take something; from now on it is away, until it answers. */
  failed(reason: string): void {
    if (this.#awaySinceMs !== undefined) return;
    this.#awaySinceMs = this.#deps.clock.nowMs();
    this.counters.cuts++;
    this.#deps.log.error(
      `The cluster cannot be reached: ${reason}. Jobs are refused, returns wait on the disk; it is tried again all the time.`,
    );
    this.#tell(false);
    this.#later();
  }

  async close(): Promise<void> {
    this.#probe?.cancel();
    this.#probe = undefined;
    this.#listeners.length = 0;
    await this.nats.close();
  }

  #later(): void {
    this.#probe?.cancel();
    this.#probe = this.#deps.clock.after(PROBE_MS, () => this.#ask(), { background: true });
  }

  #ask(): void {
    if (this.isThere || this.nats.isClosed()) return;
    this.streams.range(this.#deps.probe).then(
      () => this.#back(),
      (error: unknown) => {
        this.#deps.log.debug(`The cluster is still away: ${messageOf(error)}`);
        void this.streams.unanswered(this.#deps.probe);
        this.#later();
      },
    );
  }

  #back(): void {
    if (this.#awaySinceMs === undefined) return;
    const seconds = Math.round((this.#deps.clock.nowMs() - this.#awaySinceMs) / 1000);
    this.#awaySinceMs = undefined;
    this.#deps.log.warning(`The cluster is back after ${seconds} s.`);
    this.#tell(true);
  }

  #tell(isThere: boolean): void {
    for (const listener of this.#listeners) listener(isThere);
  }
}
