/** Programs' ends of the event bus: reading and firing. */
import { connect, type Socket } from 'node:net';
import { UnreachableError } from '../../errors/errors.ts';
import { placeText, type LocalPlace } from '../../host/local-place.ts';
import { connectOptions, localAddress } from '../transport/address.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Dict } from '../../python/values/value.ts';
import { encodeEvent, EventReader, parseEvent, tagOf, type BusEvent } from './framing.ts';

function open(place: LocalPlace): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(connectOptions(localAddress(place)));
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', (cause) => {
      reject(
        new UnreachableError(`The event bus at ${placeText(place)} cannot be reached: ${cause.message}`, {
          cause,
        }),
      );
    });
  });
}

function split(
  reader: EventReader,
  chunk: Buffer,
): Pick<ReturnType<EventReader['push']>, 'bodies' | 'origins'> | undefined {
  try {
    return reader.push(chunk);
  } catch {
    return undefined;
  }
}

/**
 * What a reader is given besides the place: which tags it wants, what takes an event, what is told when the bus has
 * gone away.
 */
export type EventListeners = [
  wanted: (tag: string) => boolean,
  onEvent: (event: BusEvent) => void,
  closed?: () => void,
];

/** The door answers with one byte; what follows are events. */
function welcomed(socket: Socket, place: LocalPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (): void =>
      reject(new UnreachableError(`The door to events at ${placeText(place)} has closed the connection.`));
    socket.once('close', refused);
    socket.once('readable', () => {
      if (socket.read(1) === null) return; // it is closing
      socket.off('close', refused);
      resolve();
    });
  });
}

/** Reads events. */
export class EventBusReader {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Connects and starts reading.
   * @param wanted decides by the tag alone, before anything is decoded
   * @param closed called once when the bus has gone away
   * @throws UnreachableError
   */
  static async connect(
    path: LocalPlace,
    wanted: (tag: string) => boolean,
    onEvent: (event: BusEvent) => void,
    closed: () => void = () => undefined,
  ): Promise<EventBusReader> {
    return EventBusReader.#read(await open(path), wanted, onEvent, closed);
  }

  /**
   * Connects to the door for users who may not read the bus (`event-door.ts`), and starts reading what is fired of
   * their jobs.
   * @param secret 64 hexadecimal digits, whose digest requests name
   * @throws UnreachableError
   */
  static async connectAsGuest(
    path: LocalPlace,
    secret: string,
    ...[wanted, onEvent, closed = () => undefined]: EventListeners
  ): Promise<EventBusReader> {
    const socket = await open(path);
    socket.write(`${secret}\n`);
    await welcomed(socket, path);
    return EventBusReader.#read(socket, wanted, onEvent, closed);
  }

  static #read(
    socket: Socket,
    wanted: (tag: string) => boolean,
    onEvent: (event: BusEvent) => void,
    closed: () => void,
  ): EventBusReader {
    const reader = new EventReader();
    socket.on('data', (chunk: Buffer) => {
      const frames = split(reader, chunk);
      // what does not speak the bus's language is as good as gone
      if (frames === undefined) socket.destroy();
      for (const [index, body] of frames?.bodies.entries() ?? []) {
        const tag = tagOf(body);
        const event = tag !== undefined && wanted(tag) ? parseEvent(body, frames?.origins[index]) : undefined;
        if (event !== undefined) onEvent(event);
      }
    });
    socket.on('close', closed);
    socket.resume();
    return new EventBusReader(socket);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }
}

/** How a writer behaves. */
export interface WriterOptions {
  readonly path: LocalPlace;
  readonly clock: Clock;
  /** `max_event_size` */
  readonly eventBytesMax: number;
  /**
   * Bytes kept while the bus is away, where older events are dropped first, and while it hangs, where newer ones are;
   * both are counted.
   */
  readonly queueBytesMax: number;
}

const RECONNECT_MS = 100;

/** Fires events. While the hub restarts, events wait in a bounded queue. */
export class EventBusWriter {
  readonly counters = { fired: 0, dropped: 0 };
  readonly #options: WriterOptions;
  #socket: Socket | undefined;
  #queue: Buffer[] = [];
  #queueBytes = 0;
  #out: Buffer[] = [];
  #flushPlanned = false;
  #connecting = false;
  #retry: Timer | undefined;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Connects before there is an event to fire. */
  open(): void {
    if (this.#socket === undefined) this.#connect();
  }

  /** Fires one event; returns at once. */
  fire(tag: string, data: Dict): void {
    const { clock, eventBytesMax } = this.#options;
    this.counters.fired++;
    this.#send(encodeEvent(tag, data, clock, eventBytesMax));
  }

  /** Passes on an event of another master, as `framing.ts` has encoded it; returns at once. */
  pass(frame: Buffer): void {
    this.counters.fired++;
    this.#send(frame);
  }

  /**
   * Resolves when everything fired so far has been handed to the system.
   * @throws UnreachableError when there is no bus
   */
  async flush(): Promise<void> {
    if (this.#socket === undefined && this.#queue.length > 0) {
      const socket = await open(this.#options.path);
      this.#adopt(socket);
    }
    this.#writeOut();
    const socket = this.#socket;
    if (socket !== undefined && socket.writableLength > 0) {
      await new Promise<void>((resolve) => socket.write('', () => resolve()));
    }
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#writeOut();
    this.#socket?.end();
  }

  #send(frame: Buffer): void {
    if (this.#socket === undefined) {
      this.#enqueue(frame);
      this.#connect();
      return;
    }
    if (this.#socket.writableLength > this.#options.queueBytesMax) {
      this.counters.dropped++;
      return;
    }
    this.#out.push(frame);
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    setImmediate(() => this.#writeOut());
  }

  #writeOut(): void {
    this.#flushPlanned = false;
    if (this.#out.length === 0 || this.#socket === undefined) return;
    this.#socket.write(this.#out.length === 1 ? (this.#out[0] as Buffer) : Buffer.concat(this.#out));
    this.#out = [];
  }

  #enqueue(frame: Buffer): void {
    this.#queue.push(frame);
    this.#queueBytes += frame.length;
    while (this.#queueBytes > this.#options.queueBytesMax) {
      this.#queueBytes -= (this.#queue.shift() as Buffer).length;
      this.counters.dropped++;
    }
  }

  #connect(): void {
    if (this.#connecting || this.#closed || this.#retry !== undefined) return;
    this.#connecting = true;
    open(this.#options.path).then(
      (socket) => this.#adopt(socket),
      () => {
        this.#connecting = false;
        this.#retry = this.#options.clock.after(
          RECONNECT_MS,
          () => {
            this.#retry = undefined;
            this.#connect();
          },
          { background: true },
        );
      },
    );
  }

  #adopt(socket: Socket): void {
    this.#connecting = false;
    this.#socket = socket;
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      for (const frame of this.#out.splice(0)) this.#enqueue(frame);
      if (!this.#closed && this.#queue.length > 0) this.#connect();
    });
    this.#out.push(...this.#queue);
    this.#queue = [];
    this.#queueBytes = 0;
    this.#writeOut();
  }
}
