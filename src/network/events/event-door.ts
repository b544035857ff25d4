/**
 * The door by which users of this host who may not read the event bus hear the events of their own jobs, and of no
 * others.
 *
 * Who connects says a secret of his own making, 64 hexadecimal digits and a line feed. A request to publish names the
 * secret's digest, and the master, once it has allowed the job, fires an event that joins the digest and the job's id
 * ({@link tags.listening}). From then on the connection that knows the secret gets what is fired of this job. So the
 * door needs to know neither users nor their rights, and who reads a request on its way, or the bus, learns nothing
 * that opens it.
 */
import { createHash } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import type { Logger } from '../../host/log.ts';
import type { LocalPlace } from '../../host/local-place.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { localAddress } from '../transport/address.ts';
import { listen } from '../transport/listen.ts';
import { frameOf, parseEvent, tagOf } from './framing.ts';
import { jobOfTag, listeningJob, minionOfLink } from './tags.ts';

/** Hexadecimal digits of the secret. */
const SECRET_LENGTH = 64;
/** The byte with which a secret is acknowledged; events follow. */
const WELCOME = '+';
/** Every local user may connect: beyond this the longest-standing connection without a job makes room. */
const GUESTS_MAX = 512;
/** Jobs of one connection; beyond this the oldest is forgotten. A batch asks and publishes many after another. */
const JOBS_MAX = 2_000;
/** Minions of one connection whose connections it is told of. */
const MINIONS_MAX = 200_000;

/** How the door behaves. */
export interface EventDoorOptions {
  readonly path: LocalPlace;
  /** Bytes waiting for one connection; at more it is cut off. */
  readonly readerQueueBytesMax: number;
  readonly log: Logger;
}

/** One connection, and what it may hear. */
interface Guest {
  readonly socket: Socket;
  /** Of its secret; undefined until it has said it. */
  digest: string | undefined;
  readonly jids: Set<string>;
  readonly minions: Set<string>;
}

/** The digest by which a request names the secret of a connection. */
export function listenerDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** True for what may be a {@link listenerDigest}. */
export function isListenerDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** A running door. */
export class EventDoor {
  readonly counters = { crowdedOut: 0, slowReadersCut: 0 };
  readonly #options: EventDoorOptions;
  /** In the order in which they came. */
  readonly #guests = new Set<Guest>();
  readonly #byDigest = new Map<string, Guest>();
  readonly #byJob = new Map<string, Guest>();
  #server: Server | undefined;

  constructor(options: EventDoorOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#guests.size;
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const address = localAddress(this.#options.path);
    const { server } = await listen({ address, mode: 0o666 }, (socket) => this.#welcome(socket));
    this.#server = server;
  }

  close(): void {
    this.#server?.close();
    for (const { socket } of this.#guests) socket.destroy();
  }

  /** Takes what has come in on the bus. */
  push(bodies: readonly Buffer[]): void {
    if (this.#byDigest.size === 0) return;
    for (const body of bodies) {
      const tag = tagOf(body);
      if (tag !== undefined) this.#deliver(tag, body);
    }
  }

  #welcome(socket: Socket): void {
    const guest: Guest = { socket, digest: undefined, jids: new Set(), minions: new Set() };
    this.#makeRoom();
    this.#guests.add(guest);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#forget(guest));
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      if (guest.digest !== undefined) return; // what else is said is thrown away, as on the bus
      said += chunk.toString('latin1', 0, SECRET_LENGTH + 1);
      if (said.length > SECRET_LENGTH) this.#takeSecret(guest, said);
    });
  }

  #takeSecret(guest: Guest, said: string): void {
    const secret = said.slice(0, SECRET_LENGTH);
    const digest = listenerDigest(secret);
    if (!/^[0-9a-f]+$/.test(secret) || said[SECRET_LENGTH] !== '\n' || this.#byDigest.has(digest)) {
      guest.socket.destroy();
      return;
    }
    guest.digest = digest;
    this.#byDigest.set(digest, guest);
    guest.socket.write(WELCOME); // from here on it misses nothing
  }

  #makeRoom(): void {
    if (this.#guests.size < GUESTS_MAX) return;
    const idle = [...this.#guests].find(({ jids }) => jids.size === 0) ?? [...this.#guests][0];
    this.counters.crowdedOut++;
    if (this.counters.crowdedOut === 1)
      this.#options.log.warning(
        `${GUESTS_MAX} programs of local users listen for events of their jobs; the one that waits longest without a job makes room for each more.`,
      );
    if (idle === undefined) return;
    this.#forget(idle);
    idle.socket.destroy();
  }

  #forget(guest: Guest): void {
    this.#guests.delete(guest);
    if (guest.digest !== undefined && this.#byDigest.get(guest.digest) === guest)
      this.#byDigest.delete(guest.digest);
    for (const jid of guest.jids) if (this.#byJob.get(jid) === guest) this.#byJob.delete(jid);
    guest.jids.clear();
  }

  #deliver(tag: string, body: Buffer): void {
    const joined = listeningJob(tag);
    if (joined !== undefined) return this.#join(joined, dataOf(body));
    const minion = minionOfLink(tag);
    if (minion !== undefined) {
      for (const guest of this.#byDigest.values()) if (guest.minions.has(minion)) this.#send(guest, body);
      return;
    }
    const jid = jobOfTag(tag);
    const guest = jid === undefined ? undefined : this.#byJob.get(jid);
    if (guest === undefined) return;
    if (tag.endsWith('/new') || tag.startsWith('syndic/')) learnMinions(guest, dataOf(body));
    this.#send(guest, body);
  }

  #join(jid: string, data: Dict | undefined): void {
    const digest = data?.get('listener');
    const guest = typeof digest === 'string' ? this.#byDigest.get(digest) : undefined;
    if (guest === undefined) return;
    for (const oldest of guest.jids) {
      if (guest.jids.size < JOBS_MAX) break;
      guest.jids.delete(oldest);
      this.#byJob.delete(oldest);
    }
    guest.jids.add(jid);
    this.#byJob.set(jid, guest);
  }

  #send(guest: Guest, body: Buffer): void {
    if (guest.socket.writableLength <= this.#options.readerQueueBytesMax) {
      guest.socket.write(frameOf(body));
      return;
    }
    this.counters.slowReadersCut++;
    this.#options.log.warning(
      'A local user’s program does not keep up with the events of its job; it was cut off.',
    );
    this.#forget(guest);
    guest.socket.destroy();
  }
}

function dataOf(body: Buffer): Dict | undefined {
  try {
    const data = parseEvent(body)?.data;
    return data !== undefined && isDict(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function learnMinions({ minions }: Guest, data: Dict | undefined): void {
  const named = data?.get('minions');
  if (!Array.isArray(named)) return;
  for (const id of named) if (minions.size < MINIONS_MAX) minions.add(String(id));
}
