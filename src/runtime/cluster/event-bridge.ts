/**
 * The event bus of a cluster: what is fired on the bus of one member is heard on the buses of all. An event says in its
 * frame's head where it was fired, so that it is passed on once, and reacted to and kept where it was fired only.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';
import type { LocalPlace } from '../../host/local-place.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { EventBusReader, EventBusWriter } from '../../network/events/bus-client.ts';
import { encodeRelayed, type BusEvent } from '../../network/events/framing.ts';
import { isBytes, type Dict, type Value } from '../../python/values/value.ts';
import { contentBytesMax } from '../../network/nats/connect.ts';
import { cutParcel, ParcelJoiner } from './parcels.ts';
import { HeardOnce, Numbered } from './said-once.ts';
import type { ClusterSeal } from './seal.ts';

/**
 * Bytes of events that may wait for NATS, and for the bus here. Beyond them events are dropped and counted: the job
 * cache has what counts.
 */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const BATCH_BYTES = 256 * 1024;
const RECONNECT_MS = 100;

/** What the bridge needs. */
export interface EventBridgeDeps {
  readonly nats: NatsConnection;
  readonly isThere: () => boolean;
  readonly seal: ClusterSeal;
  readonly subject: string;
  readonly member: string;
  readonly busPub: LocalPlace;
  readonly busPull: LocalPlace;
  readonly eventBytesMax: number;
  /** Told the tag of each event of another master, after it was passed on. */
  readonly passed: (tag: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Passes events on in both directions. */
export class EventBridge {
  readonly counters = { sent: 0, received: 0, dropped: 0 };
  readonly #deps: EventBridgeDeps;
  readonly #writer: EventBusWriter;
  readonly #joiner = new ParcelJoiner();
  readonly #said: Numbered;
  readonly #heardOnce: HeardOnce;
  #reader: EventBusReader | undefined;
  #out: [string, Buffer][] = [];
  #outBytes = 0;
  #isPlanned = false;
  #isClosed = false;

  constructor(deps: EventBridgeDeps) {
    this.#deps = deps;
    const { busPull: path, clock, random, eventBytesMax } = deps;
    this.#said = new Numbered(clock, random);
    this.#heardOnce = new HeardOnce(clock);
    this.#writer = new EventBusWriter({ path, clock, eventBytesMax, queueBytesMax: WAITING_BYTES_MAX });
  }

  /** Listens to both sides. @returns when it hears this master's bus */
  async start(): Promise<void> {
    this.#writer.open();
    this.#deps.nats.subscribe(this.#deps.subject, {
      callback: (error, message) => {
        if (error === null) this.#receive(message.data);
      },
    });
    await this.#listen();
  }

  /** Fires an event of this master. */
  fire(tag: string, data: Dict): void {
    this.#writer.fire(tag, data);
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.close();
    this.#writer.close();
  }

  async #listen(): Promise<void> {
    const { busPub, clock } = this.#deps;
    while (!this.#isClosed) {
      try {
        this.#reader = await EventBusReader.connect(
          busPub,
          () => true,
          (event) => this.#heard(event),
          () => void this.#listen(),
        );
        return;
      } catch {
        await clock.sleep(RECONNECT_MS);
      }
    }
  }

  #heard(event: BusEvent): void {
    if (event.origin !== undefined) return;
    if (!this.#deps.isThere() || this.#outBytes > WAITING_BYTES_MAX) {
      this.counters.dropped++;
      return;
    }
    this.#out.push([event.tag, event.packed]);
    this.#outBytes += event.packed.length;
    if (this.#outBytes > BATCH_BYTES) return this.#send();
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    this.#isPlanned = false;
    const events = this.#out;
    if (events.length === 0) return;
    this.#out = [];
    this.#outBytes = 0;
    const { nats, seal, subject, member, random } = this.#deps;
    if (nats.isClosed()) return;
    const sealed = seal.seal(
      'event',
      this.#said.marked({ member, events: events.map(([tag, packed]): Value => [tag, packed]) }),
    );
    const most = contentBytesMax(nats);
    for (const part of cutParcel(sealed, most, random)) nats.publish(subject, part);
    this.counters.sent += events.length;
  }

  #receive(data: Uint8Array): void {
    const whole = this.#joiner.take(data, 0);
    const said = whole === undefined ? undefined : this.#deps.seal.open('event', whole);
    const member = said?.get('member');
    const events = said?.get('events');
    if (typeof member !== 'string' || member === this.#deps.member || !Array.isArray(events)) return;
    if (said === undefined || !this.#heardOnce.isNew(said)) return;
    for (const event of events) {
      const [tag, packed] = Array.isArray(event) ? event : [];
      if (typeof tag !== 'string' || packed === undefined || !isBytes(packed)) continue;
      this.counters.received++;
      this.#writer.pass(encodeRelayed(tag, Buffer.from(packed), member));
      this.#deps.passed(tag);
    }
  }
}
