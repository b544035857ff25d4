/**
 * Who else is there: each member says so twice a second, and counts as gone when it has been silent for two seconds.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { dict, type Value } from '../../python/values/value.ts';
import type { ClusterLink } from './link.ts';
import { isPresent } from './said-once.ts';
import type { ClusterSeal } from './seal.ts';
import type { ClusterSerial } from './serial.ts';

const BEAT_MS = 500;
const GONE_MS = 2_000;
/** Members that are remembered; more than any cluster has. */
const MEMBERS_MAX = 1_000;
/** How often a wrong clock is told of. */
const TOLD_EVERY_MS = 60_000;

/** A member as the others hear of it. */
export interface Member {
  readonly name: string;
  /** When it was last heard, on this machine's monotonic clock. */
  readonly heardMs: number;
  /** How far its clock was ahead of ours then, ms, with what the message took on its way. */
  readonly aheadMs: number;
  /** Where minions reach it; undefined when they are not told of it, or it gives its minions away. */
  readonly address: string | undefined;
}

/** What the table needs. */
export interface MembersDeps {
  readonly link: Pick<ClusterLink, 'nats'>;
  readonly seal: ClusterSeal;
  readonly subject: string;
  readonly member: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** Where minions reach this member, as long as they are to be told. */
  readonly address?: () => string | undefined;
  readonly serial?: Pick<ClusterSerial, 'highest' | 'heard'>;
  /** Only listens: for who is no member, and wants to know them. */
  readonly isSilent?: boolean;
}

/** The members that are there. */
export class Members {
  readonly #deps: MembersDeps;
  readonly #known = new Map<string, Member>();
  readonly #timer: Timer;
  #toldMs = -Infinity;

  constructor(deps: MembersDeps) {
    this.#deps = deps;
    deps.link.nats.subscribe(deps.subject, {
      callback: (error, message) => {
        if (error === null) this.#hear(message.data);
      },
    });
    this.#beat();
    this.#timer = deps.clock.every(BEAT_MS, () => this.#beat(), { background: true });
  }

  /** The names of those that are there, without this one. */
  others(): string[] {
    return this.#present().map(({ name }) => name);
  }

  /** Where minions reach those of them that are to be told. */
  addresses(): string[] {
    return this.#present().flatMap(({ address }) => address ?? []);
  }

  #present(): Member[] {
    const oldestMs = this.#deps.clock.monotonicMs() - GONE_MS;
    return [...this.#known.values()].filter(({ heardMs }) => heardMs >= oldestMs);
  }

  /**
   * When the last of those that are gone was heard.
   * @param withinMs how long ago at most @returns milliseconds since 1970; undefined when none has gone lately
   */
  lastGoneMs(withinMs: number): number | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    const silentForMs = [...this.#known.values()].map(({ heardMs }) => nowMs - heardMs);
    const gone = silentForMs.filter((ms) => ms > GONE_MS && ms <= withinMs);
    return gone.length === 0 ? undefined : this.#deps.clock.nowMs() - Math.min(...gone);
  }

  /** All that were heard since this master started, without this one. */
  all(): readonly Member[] {
    return [...this.#known.values()];
  }

  close(): void {
    this.#timer.cancel();
  }

  #beat(): void {
    const { link, seal, subject, member, clock, serial, address, isSilent = false } = this.#deps;
    if (isSilent || link.nats.isClosed()) return;
    link.nats.publish(
      subject,
      seal.seal(
        'state',
        dict({ member, atMs: clock.nowMs(), serial: serial?.highest ?? 0, address: address?.() ?? null }),
      ),
    );
  }

  #tellOfClock(name: string, aheadMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#toldMs < TOLD_EVERY_MS) return;
    this.#toldMs = nowMs;
    this.#deps.log?.error(
      `A sign of life of the master ${name} is ${Math.abs(Math.round(aheadMs / 1000))} s away from this master's clock, and does not count. ` +
        'Set the clocks of the masters; where they are right, somebody sends again what was recorded on NATS.',
    );
  }

  #hear(data: Uint8Array): void {
    const said = this.#deps.seal.open('state', data);
    const name: Value | undefined = said?.get('member');
    const atMs = said?.get('atMs');
    if (typeof name !== 'string' || typeof atMs !== 'number' || name === this.#deps.member) return;
    if (!this.#known.has(name) && this.#known.size >= MEMBERS_MAX) return;
    const { clock, serial } = this.#deps;
    const given = said?.get('serial');
    if (typeof given === 'number' && isPresent(atMs, clock)) serial?.heard(given);
    const address = said?.get('address');
    // a recorded sign of life is none: whose clock is elsewhere is not asked anything, as it would refuse it
    const isHere = isPresent(atMs, clock);
    if (!isHere) this.#tellOfClock(name, atMs - clock.nowMs());
    this.#known.set(name, {
      name,
      heardMs: isHere ? clock.monotonicMs() : (this.#known.get(name)?.heardMs ?? -Infinity),
      aheadMs: atMs - clock.nowMs(),
      address: typeof address === 'string' ? address : undefined,
    });
  }
}
