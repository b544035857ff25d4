/**
 * The shared key of minions, one for all masters of a cluster: a minion may take a publication from one and have logged
 * in at another.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { isKeyString } from '../../network/crypto/crypticle.ts';
import { patiently } from '../../network/nats/patiently.ts';
import { SubjectTakenError } from '../../network/nats/stream.ts';
import { dict } from '../../python/values/value.ts';
import type { ClusterLink } from './link.ts';
import type { StreamPosition } from './position-file.ts';
import type { ClusterSeal } from './seal.ts';

/** What it needs. */
export interface ClusterKeyDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly stream: string;
  readonly subject: string;
  /** The key in force on this master. */
  readonly current: () => Secret;
  /** Puts another key in force on this master. */
  readonly adopt: (key: Secret) => void;
  /** The version of the newest key that this master has known, which outlives it. */
  readonly version: Pick<StreamPosition, 'value' | 'reached' | 'flush'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps this master's shared key and the cluster's the same. */
export class ClusterKey {
  readonly #deps: ClusterKeyDeps;
  /** The cluster's key, its place in the stream, and its version, which grows with every key. */
  #known: { readonly key: string; readonly sequence: number; readonly version: number } | undefined;

  constructor(deps: ClusterKeyDeps) {
    this.#deps = deps;
  }

  /** Takes the cluster's key over; the first member gives it its own. */
  async start(): Promise<void> {
    const { link, stream, subject } = this.#deps;
    const last = await patiently(() => link.streams.last(stream, subject));
    if (last !== undefined) this.heard(last.data, last.sequence);
    if (this.#known === undefined) await this.#offer(last?.sequence ?? 0);
  }

  /** A key was said on the stream. */
  heard(data: Uint8Array, sequence: number): void {
    if (this.#known !== undefined && sequence <= this.#known.sequence) return;
    const said = this.#deps.seal.open('state', data);
    const key = said?.get('aes');
    const version = said?.get('version');
    if (typeof key !== 'string' || !isKeyString(key) || typeof version !== 'number') return;
    if (version < this.#deps.version.value) return this.#putRight(sequence);
    this.#deps.version.reached(version);
    this.#deps.version.flush();
    this.#known = { key, sequence, version };
    if (this.#deps.current().reveal() !== key) this.#deps.adopt(new Secret(key));
  }

  /**
   * Somebody has put a key of before into the stream, which minions know that may have been deleted since: the newest
   * one follows it, so that whoever comes later finds that.
   */
  #putRight(sequence: number): void {
    this.#deps.log.error(
      'An old shared key of the cluster was said again on NATS, and is not taken. Who may write there sends what was recorded: look at who has access to NATS.',
    );
    if (this.#known !== undefined) void this.#offer(sequence);
  }

  /**
   * This master has a new key in force: its own, which the others are to have, or the cluster's, which it has adopted.
   */
  async changed(): Promise<void> {
    if (this.#known === undefined || this.#known.key === this.#deps.current().reveal()) return;
    await this.#offer(this.#known.sequence);
  }

  async #offer(after: number): Promise<void> {
    const { link, seal, stream, subject, current, log } = this.#deps;
    const key = current().reveal();
    // the clock's time, so that versions go on growing where the stream has begun anew
    const version = Math.max(Math.floor(this.#deps.clock.nowMs()), this.#deps.version.value + 1);
    try {
      const said = seal.seal('state', dict({ aes: key, version }));
      const sequence = await link.streams.append(subject, said, { after });
      this.#deps.version.reached(version);
      this.#deps.version.flush();
      this.#known = { key, sequence, version };
    } catch (error) {
      if (!(error instanceof SubjectTakenError)) {
        log.error(`The new shared key could not be told to the cluster: ${messageOf(error)}`);
        return link.failed(messageOf(error));
      }
      // another was faster: his counts
      const last = await link.streams.last(stream, subject);
      if (last !== undefined) this.heard(last.data, last.sequence);
    }
  }
}
