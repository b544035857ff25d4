/** The shared key of minions, one for all masters of a cluster: a minion may take a publication from one and have logged in at another. */
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { isKeyString } from '../../network/crypto/crypticle.ts';
import { patiently } from '../../network/nats/patiently.ts';
import { SubjectTakenError } from '../../network/nats/stream.ts';
import { dict } from '../../python/values/value.ts';
import type { ClusterLink } from './link.ts';
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
  readonly log: Logger;
}

/** Keeps this master's shared key and the cluster's the same. */
export class ClusterKey {
  readonly #deps: ClusterKeyDeps;
  /** The cluster's key, and its place in the stream. */
  #known: { readonly key: string; readonly sequence: number } | undefined;

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
    const key = this.#deps.seal.open('state', data)?.get('aes');
    if (typeof key !== 'string' || !isKeyString(key)) return;
    this.#known = { key, sequence };
    if (this.#deps.current().reveal() !== key) this.#deps.adopt(new Secret(key));
  }

  /** This master has a new key in force: its own, which the others are to have, or the cluster's, which it has adopted. */
  async changed(): Promise<void> {
    if (this.#known === undefined || this.#known.key === this.#deps.current().reveal()) return;
    await this.#offer(this.#known.sequence);
  }

  async #offer(after: number): Promise<void> {
    const { link, seal, stream, subject, current, log } = this.#deps;
    const key = current().reveal();
    try {
      const sequence = await link.streams.append(subject, seal.seal('state', dict({ aes: key })), { after });
      this.#known = { key, sequence };
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
