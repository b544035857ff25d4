/**
 * Events on the local sockets: a stream of msgpack maps `{head: {}, body: <tag> "\n\n" <msgpack of the data>}`, with
 * bytes apart from text (docs/internals/event-bus.md#frames; salt/transport/ipc.py and salt/utils/event.py 3006.16).
 */
import type { Clock } from '../../host/clock.ts';
import { dict, isBytes, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { EVENT } from '../../formats/wire/budget.ts';
import { decode, decodeAt, encode, MsgpackError, TruncatedMsgpackError } from '../../formats/wire/msgpack.ts';
import { trimLargest } from './trim.ts';

const SEPARATOR = Buffer.from('\n\n');
/** What a frame begins with when its writer is Salt or us: {head: {}, body: …}. */
const HEAD = Buffer.from('82a46865616480a4626f6479', 'hex');
/** In the head of an event that comes from another member of the cluster. Salt's readers look at no head. */
const ORIGIN = 'cluster';
/** Largest event accepted from a local program; Salt trims at 1 MiB by default, operators may raise that. */
const FRAME_BYTES_MAX = 256 * 1024 * 1024;

/** An event: its tag, and its data not yet decoded, because most readers want few of many. */
export class BusEvent {
  readonly tag: string;
  /** The member of the cluster on whose bus it was fired, when it is another one than this master. */
  readonly origin: string | undefined;
  readonly #body: Buffer;
  #data: Dict | undefined;

  constructor(tag: string, body: Buffer, origin?: string) {
    this.tag = tag;
    this.origin = origin;
    this.#body = body;
  }

  /** The data as they were packed. */
  get packed(): Buffer {
    return this.#body;
  }

  /** Size of the data as it was read. */
  get sizeBytes(): number {
    return this.#body.length;
  }

  /** The data. @throws MsgpackError when it is malformed */
  get data(): Dict {
    if (this.#data === undefined) {
      const value = decode(this.#body, 'local', EVENT);
      this.#data = isDict(value) ? value : new Map();
    }
    return this.#data;
  }
}

/** Python's `datetime.utcnow().isoformat()` of a moment. */
export function isoStamp(clock: Clock): string {
  return isoStampAt(clock.nowMs());
}

/** A time as {@link isoStamp} writes the present one. @param ms since 1970 */
export function isoStampAt(ms: number): string {
  const micros = Math.floor((ms % 1000) * 1000);
  const seconds = new Date(ms).toISOString().slice(0, 19);
  return micros === 0 ? seconds : `${seconds}.${String(micros).padStart(6, '0')}`;
}

/**
 * The bytes of one event.
 * @param data gets `_stamp`, as the sender adds it in Salt
 * @param eventBytesMax larger data has its largest values replaced by `VALUE_TRIMMED` (`max_event_size`)
 */
export function encodeEvent(tag: string, data: Dict, clock: Clock, eventBytesMax: number): Buffer {
  const stamped: Dict = new Map(data);
  stamped.set('_stamp', isoStamp(clock));
  let payload = encode(stamped, 'local');
  if (payload.length > eventBytesMax) payload = encode(trimLargest(stamped, eventBytesMax), 'local');
  return frameOf(Buffer.concat([Buffer.from(tag, 'utf8'), SEPARATOR, payload]));
}

/** The bytes of an event out of its body: tag, separator and data. */
export function frameOf(body: Buffer): Buffer {
  return Buffer.concat([HEAD, binHeader(body.length), body]);
}

/**
 * The bytes of an event that was fired on the bus of another member of the cluster, whose name stands in its head.
 * @param packed its data as they were packed there
 */
export function encodeRelayed(tag: string, packed: Buffer, origin: string): Buffer {
  const body = Buffer.concat([Buffer.from(tag, 'utf8'), SEPARATOR, packed]);
  return encode(dict({ head: dict({ [ORIGIN]: origin }), body }), 'local');
}

function binHeader(length: number): Buffer {
  if (length < 0x100) return Buffer.from([0xc4, length]);
  const out = Buffer.alloc(length < 0x10000 ? 3 : 5);
  if (out.length === 3) {
    out[0] = 0xc5;
    out.writeUInt16BE(length, 1);
  } else {
    out[0] = 0xc6;
    out.writeUInt32BE(length, 1);
  }
  return out;
}

/** Splits the stream into frames, and says where whole frames end so that a hub can pass them on untouched. */
export class EventReader {
  #rest: Buffer[] = [];
  #have = 0;
  #need = 1;

  /**
   * Takes a chunk of the stream.
   * @returns the bytes of all frames that are now whole (empty when none is), the body of each of them, and where it
   *   comes from when that is another master
   * @throws MsgpackError when the stream is no stream of events
   */
  push(chunk: Buffer): { whole: Buffer; bodies: Buffer[]; origins: (string | undefined)[] } {
    this.#rest.push(chunk);
    this.#have += chunk.length;
    const bodies: Buffer[] = [];
    const origins: (string | undefined)[] = [];
    if (this.#have < this.#need) return { whole: Buffer.alloc(0), bodies, origins };
    const bytes = this.#rest.length === 1 ? chunk : Buffer.concat(this.#rest, this.#have);
    let at = 0;
    this.#need = 1;
    while (at < bytes.length) {
      const frame = readFrame(bytes, at);
      if (typeof frame === 'number') {
        if (frame > FRAME_BYTES_MAX) throw new MsgpackError(`an event of ${frame} bytes`);
        this.#need = frame;
        break;
      }
      bodies.push(frame.body);
      origins.push(frame.origin);
      at = frame.end;
    }
    const rest = bytes.subarray(at);
    this.#rest = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
    return { whole: bytes.subarray(0, at), bodies, origins };
  }
}

interface Frame {
  readonly body: Buffer;
  readonly end: number;
  readonly origin?: string;
}

/** The frame at `at`, or how many bytes from `at` are needed at least to read it. */
function readFrame(bytes: Buffer, at: number): Frame | number {
  const left = bytes.length - at;
  const headEnd = at + HEAD.length;
  if (left < HEAD.length + 5) return slowFrame(bytes, at) ?? left + 1;
  if (bytes.compare(HEAD, 0, HEAD.length, at, headEnd) !== 0) return slowFrame(bytes, at) ?? left + 1;
  const tag = bytes[headEnd];
  const sizeBytes = tag === 0xc4 ? 1 : tag === 0xc5 ? 2 : tag === 0xc6 ? 4 : 0;
  if (sizeBytes === 0) return slowFrame(bytes, at) ?? left + 1;
  const bodyAt = headEnd + 1 + sizeBytes;
  const end = bodyAt + bytes.readUIntBE(headEnd + 1, sizeBytes);
  if (end > bytes.length) return end - at;
  return { body: bytes.subarray(bodyAt, end), end };
}

/** A frame that its writer packed differently. */
function slowFrame(bytes: Buffer, at: number): Frame | undefined {
  let read: { value: Value; end: number };
  try {
    read = decodeAt(bytes, 'local', at, EVENT);
  } catch (error) {
    if (error instanceof TruncatedMsgpackError) return undefined;
    throw error;
  }
  if (!isDict(read.value)) throw new MsgpackError('an event frame is a map');
  const body = read.value.get('body');
  const origin = originOf(read.value.get('head'));
  const end = read.end;
  if (typeof body === 'string') return { body: Buffer.from(body, 'utf8'), end, ...origin };
  if (body === undefined || !isBytes(body)) throw new MsgpackError('an event frame has a body');
  return { body: Buffer.from(body), end, ...origin };
}

function originOf(head: Value | undefined): { origin?: string } {
  const origin = head !== undefined && isDict(head) ? head.get(ORIGIN) : undefined;
  return typeof origin === 'string' ? { origin } : {};
}

/** The tag of a frame's body, or undefined when it has none. */
export function tagOf(body: Buffer): string | undefined {
  const end = body.indexOf(SEPARATOR);
  return end <= 0 ? undefined : body.toString('utf8', 0, end);
}

/** A frame's body as an event, or undefined when it is malformed. */
export function parseEvent(body: Buffer, origin?: string): BusEvent | undefined {
  const end = body.indexOf(SEPARATOR);
  if (end <= 0) return undefined;
  return new BusEvent(
    body.toString('utf8', 0, end),
    Buffer.from(body.subarray(end + SEPARATOR.length)),
    origin,
  );
}
