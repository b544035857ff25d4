/**
 * What the publish ports of all transports have in common: publications are counted and kept for a moment, a peer that
 * cannot keep up is cut off, never waited for, and one that was away gets what it has missed.
 */
import { isOrdinaryEnd } from './accept.ts';
import { RecentMessages, type Missed } from './recent-messages.ts';
import type { PublishServerCounters, PublishServerOptions } from './transport.ts';

/** A peer that publications are sent to. */
export interface PublishingPeer {
  /** Bytes for it that the system has not taken yet. */
  readonly queuedBytes: number;
  /** Sends a message made for this transport; one whose connection is at its end gets nothing. */
  write(bytes: Buffer): void;
  /** Ends the connection now. */
  destroy(error: Error): void;
}

/** One message of a publication. */
export interface PublishingMessage {
  /** As it goes over the wire. */
  readonly bytes: Buffer;
  /** Of the publication; without it no peer can say that it has missed it. */
  readonly number: number | undefined;
  /** Where peers choose by topic. */
  readonly topic?: string;
}

/** What a peer gets of what it has missed. */
export interface ResendOptions {
  /** When it said what it has missed, on the monotonic clock; default now. */
  readonly askedAtMs?: number;
  /** Whether it wants messages of a topic; default all. */
  readonly wants?: (topic: string) => boolean;
}

class SlowSubscriberError extends Error {
  override readonly name = 'SlowSubscriberError';
}

/** Counts and keeps publications and cuts off peers that cannot keep up. */
export class Publishing {
  readonly counters: PublishServerCounters = {
    published: 0,
    delivered: 0,
    resent: 0,
    slowPeersCut: 0,
    refusedPeers: 0,
  };
  readonly #options: PublishServerOptions;
  readonly #recent: RecentMessages;

  constructor(options: PublishServerOptions) {
    this.#options = options;
    this.#recent = new RecentMessages(options.clock);
  }

  /** Sends one message. @returns how many peers it went to */
  send({ bytes, number, topic = '' }: PublishingMessage, peers: Iterable<PublishingPeer>): number {
    this.counters.published++;
    if (number !== undefined) this.#recent.add(number, topic, bytes);
    let count = 0;
    for (const peer of peers) if (this.#write(peer, bytes)) count++;
    this.counters.delivered += count;
    return count;
  }

  /** Sends what a peer has missed, oldest first; a publication that went out under several topics once. */
  resend(peer: PublishingPeer, missed: Missed, { askedAtMs, wants = () => true }: ResendOptions = {}): void {
    const wanted = this.#recent.missed(missed, askedAtMs).filter(({ topic }) => wants(topic));
    const each = new Map(wanted.map(({ number, bytes }) => [number, bytes]));
    for (const bytes of each.values()) if (this.#write(peer, bytes)) this.counters.resent++;
  }

  /**
   * Counts and reports a peer that does not speak as it should; that one goes, or is cut off for being slow, is no such
   * case.
   */
  ended(from: string, error: Error | undefined): void {
    if (isOrdinaryEnd(error) || error instanceof SlowSubscriberError) return;
    this.counters.refusedPeers++;
    this.#options.refused?.(from, error as Error);
  }

  #write(peer: PublishingPeer, bytes: Buffer): boolean {
    if (peer.queuedBytes > this.#options.peerQueueBytesMax) {
      this.counters.slowPeersCut++;
      peer.destroy(new SlowSubscriberError('the subscriber does not keep up'));
      return false;
    }
    peer.write(bytes);
    return true;
  }
}
