/**
 * What is to be done once in a cluster is done by the member that has the duty. It says so on a stream twice a second;
 * when nothing was heard for two seconds another member takes it. A member that could not say it for a second and a
 * half has stopped before that by itself.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { SubjectTakenError } from '../../network/nats/stream.ts';
import { dict } from '../../python/values/value.ts';
import type { ClusterLink } from './link.ts';
import type { ClusterSeal } from './seal.ts';

const BEAT_MS = 500;
/** Shorter than {@link TAKE_MS} by more than a beat, so that two never have the duty at once. */
const KEEP_MS = 1_400;
const TAKE_MS = 2_000;

/** What it needs. */
export interface DutyDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly subject: string;
  readonly member: string;
  /** Told when this member has the duty, and when it has no more. */
  readonly changed: (isMine: boolean) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The duty, as one member sees it. */
export class Duty {
  readonly #deps: DutyDeps;
  readonly #timer: Timer;
  /** Who had it last, where on the stream he said so, and when that was heard. */
  #holder: string | undefined;
  #sequence = 0;
  #heardMs: number;
  #isMine = false;
  #isAsking = false;
  #saidMs = -Infinity;
  #isClosed = false;

  constructor(deps: DutyDeps) {
    this.#deps = deps;
    this.#heardMs = deps.clock.monotonicMs();
    this.#timer = deps.clock.every(BEAT_MS, () => this.#beat(), { background: true });
  }

  /** Who has it, as far as is known here. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** Somebody has said that the duty is his. */
  heard(data: Uint8Array, sequence: number): void {
    if (sequence <= this.#sequence) return;
    this.#sequence = sequence;
    this.#heardMs = this.#deps.clock.monotonicMs();
    const holder = this.#deps.seal.open('state', data)?.get('holder');
    if (typeof holder !== 'string') return;
    this.#holder = holder;
    if (holder !== this.#deps.member) this.#set(false);
  }

  /** Gives it up at once, for who comes next, and asks for it no more. */
  close(): void {
    this.#isClosed = true;
    this.#timer.cancel();
    this.#set(false);
  }

  #beat(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#isMine && nowMs - this.#saidMs > KEEP_MS) this.#set(false);
    const isFree = nowMs - this.#heardMs > TAKE_MS;
    if ((this.#isMine || isFree || this.#sequence === 0) && !this.#isAsking && this.#deps.link.isThere)
      void this.#say(nowMs);
  }

  async #say(nowMs: number): Promise<void> {
    const { link, seal, subject, member, log } = this.#deps;
    this.#isAsking = true;
    try {
      const said = seal.seal('state', dict({ holder: member }));
      const sequence = await link.streams.append(subject, said, { after: this.#sequence });
      this.#sequence = Math.max(this.#sequence, sequence);
      this.#holder = member;
      this.#heardMs = this.#deps.clock.monotonicMs();
      this.#saidMs = nowMs;
      if (!this.#isClosed) this.#set(true);
    } catch (error) {
      // another was faster, or nobody can tell; both mean that it is not ours
      if (error instanceof SubjectTakenError) this.#set(false);
      else log.debug('The duty could not be taken: the cluster does not answer.');
    } finally {
      this.#isAsking = false;
    }
  }

  #set(isMine: boolean): void {
    if (this.#isMine === isMine) return;
    this.#isMine = isMine;
    this.#deps.log.info(
      isMine ? 'This master has the duty of the cluster now.' : 'This master no longer has the duty.',
    );
    this.#deps.changed(isMine);
  }
}
