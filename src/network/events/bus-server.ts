/**
 * The hub of the event bus: what comes in on the pull socket goes out, untouched, to everybody on the pub socket. A
 * reader that does not keep up is cut off; it never holds up the others.
 */
import type { Server, Socket } from 'node:net';
import type { Logger } from '../../host/log.ts';
import type { LocalPlace } from '../../host/local-place.ts';
import { localAddress } from '../transport/address.ts';
import { listen } from '../transport/listen.ts';
import type { EventDoor } from './event-door.ts';
import type { KeptFeed } from './kept-feed.ts';
import { EventReader } from './framing.ts';

/** How the hub behaves. */
export interface BusServerOptions {
  readonly pubPath: LocalPlace;
  readonly pullPath: LocalPlace;
  /** Permission bits of the pub socket: 0660 when other users may read events. */
  readonly pubMode: number;
  /** Bytes waiting for one reader; at more it is cut off. */
  readonly readerQueueBytesMax: number;
  readonly log: Logger;
  /** Keeps events for the reactor, when there is one. */
  readonly feed?: KeptFeed;
  /** Where users who may not read the bus hear of their own jobs, when there are such users. */
  readonly door?: EventDoor;
}

/** What the hub has seen. */
export interface BusCounters {
  events: number;
  slowReadersCut: number;
  malformedWriters: number;
}

/** A running hub. */
export class EventBusServer {
  readonly counters: BusCounters = { events: 0, slowReadersCut: 0, malformedWriters: 0 };
  readonly #options: BusServerOptions;
  readonly #readers = new Set<Socket>();
  readonly #writers = new Set<Socket>();
  readonly #servers: Server[] = [];

  constructor(options: BusServerOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Bytes that wait for the reader that is furthest behind. */
  get waitingBytes(): number {
    return Math.max(0, ...[...this.#readers].map((reader) => reader.writableLength));
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const { pubPath, pullPath, pubMode } = this.#options;
    const pub = await listen({ address: localAddress(pubPath), mode: pubMode }, (socket) =>
      this.#addReader(socket),
    );
    const pull = await listen({ address: localAddress(pullPath), mode: 0o600 }, (socket) =>
      this.#addWriter(socket),
    );
    this.#servers.push(pub.server, pull.server);
    await this.#options.door?.start();
    await this.#options.feed?.start();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    this.#options.feed?.close();
    this.#options.door?.close();
    for (const socket of [...this.#readers, ...this.#writers]) socket.destroy();
  }

  /** Sends whole frames to every reader. */
  broadcast(frames: Buffer): void {
    for (const reader of this.#readers) {
      if (reader.writableLength > this.#options.readerQueueBytesMax) this.#cutOff(reader);
      else reader.write(frames);
    }
  }

  #addReader(socket: Socket): void {
    this.#readers.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#readers.delete(socket));
    socket.resume();
  }

  #addWriter(socket: Socket): void {
    const reader = new EventReader();
    this.#writers.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#writers.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      try {
        const { whole, bodies } = reader.push(chunk);
        this.counters.events += bodies.length;
        if (whole.length === 0) return;
        this.broadcast(whole);
        this.#options.feed?.push(whole, bodies.length);
        this.#options.door?.push(bodies);
      } catch (error) {
        this.counters.malformedWriters++;
        this.#options.log.warning(
          'A local program wrote something else than events to the event bus; it was cut off.',
          error,
        );
        socket.destroy();
      }
    });
  }

  #cutOff(reader: Socket): void {
    this.counters.slowReadersCut++;
    const megabytes = Math.round(reader.writableLength / 1024 / 1024);
    this.#options.log.warning(
      `A reader of the event bus does not keep up (${megabytes} MB are waiting for it); it was cut off.`,
    );
    this.#readers.delete(reader);
    reader.destroy();
  }
}
