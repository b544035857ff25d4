/**
 * ZMTP 3.0 on the byte level: greeting, commands and message frames (rfc.zeromq.org/spec/23). Bytes in, events out;
 * no socket, no clock. Written because no kept pure-JavaScript package speaks ZMTP over TCP, and because the native one
 * costs a second thread, twice the latency and three times the memory (docs/dependencies.md).
 */
import { PendingBytes, withoutTheRest } from '../pending-bytes.ts';

/** The ZeroMQ socket types that Salt uses. */
export type SocketType =
  'REQ' | 'REP' | 'DEALER' | 'ROUTER' | 'PUB' | 'SUB' | 'XPUB' | 'XSUB' | 'PUSH' | 'PULL';

const GREETING_BYTES = 64;
const FLAG_MORE = 1;
const FLAG_LONG = 2;
const FLAG_COMMAND = 4;
/** Parts of one message; Salt uses at most two, a correlating REQ adds two. */
const PARTS_MAX = 16;
const COMMAND_BYTES_MAX = 4096;

/** What a peer may send before the connection is given up. */
export interface FrameLimits {
  /** Bytes of one whole message, all parts together. */
  readonly messageBytesMax: number;
}

/** The bytes break the protocol or a limit; the connection is of no further use. */
export class ZmtpError extends Error {
  override readonly name = 'ZmtpError';
}

/**
 * Our half of the handshake: greeting and READY in one piece. Minor version 0 makes libzmq send subscriptions as
 * messages.
 * @param extra further properties of READY; peers ignore those that they do not know
 */
export function handshake(
  type: SocketType,
  identity?: Buffer,
  extra: ReadonlyMap<string, Buffer> = new Map(),
): Buffer {
  const greeting = Buffer.alloc(GREETING_BYTES);
  greeting[0] = 0xff;
  greeting[8] = 1;
  greeting[9] = 0x7f;
  greeting[10] = 3;
  greeting.write('NULL', 12, 'latin1');
  const properties = [property('Socket-Type', Buffer.from(type, 'latin1'))];
  if (identity !== undefined) properties.push(property('Identity', identity));
  for (const [name, value] of extra) properties.push(property(name, value));
  return Buffer.concat([greeting, command('READY', Buffer.concat(properties))]);
}

function property(name: string, value: Buffer): Buffer {
  const out = Buffer.alloc(5 + name.length + value.length);
  out[0] = name.length;
  out.write(name, 1, 'latin1');
  out.writeUInt32BE(value.length, 1 + name.length);
  value.copy(out, 5 + name.length);
  return out;
}

/** One command frame. */
export function command(name: string, body: Buffer): Buffer {
  const size = 1 + name.length + body.length;
  const head = Buffer.alloc(size > 255 ? 9 : 2);
  if (size > 255) {
    head[0] = FLAG_COMMAND | FLAG_LONG;
    head.writeBigUInt64BE(BigInt(size), 1);
  } else {
    head[0] = FLAG_COMMAND;
    head[1] = size;
  }
  return Buffer.concat([head, Buffer.from([name.length]), Buffer.from(name, 'latin1'), body]);
}

/** A PING that asks for an answer within `timeoutMs` at the peer's end too. */
export function ping(timeoutMs: number): Buffer {
  const ttl = Buffer.alloc(2);
  ttl.writeUInt16BE(Math.min(0xffff, Math.ceil(timeoutMs / 100)));
  return command('PING', ttl);
}

/** One message of several parts as the bytes to write, so that a publisher encodes once for all its peers. */
export function encodeMessage(parts: readonly Buffer[]): Buffer {
  let size = 0;
  for (const part of parts) size += part.length + (part.length > 255 ? 9 : 2);
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  parts.forEach((part, index) => {
    const more = index < parts.length - 1 ? FLAG_MORE : 0;
    if (part.length > 255) {
      out[at++] = FLAG_LONG | more;
      out.writeUInt32BE(Math.floor(part.length / 2 ** 32), at);
      out.writeUInt32BE(part.length >>> 0, at + 4);
      at += 8;
    } else {
      out[at++] = more;
      out[at++] = part.length;
    }
    part.copy(out, at);
    at += part.length;
  });
  return out;
}

/** What the parser tells its owner. */
export interface FrameEvents {
  /** The peer has finished its half of the handshake. */
  ready(peerType: string, properties: ReadonlyMap<string, Buffer>): void;
  /** A whole message. The parts are slices of a larger buffer: copy what outlives the call. */
  message(parts: Buffer[]): void;
  /** The peer asks for a sign of life, however often within one chunk: answer with these bytes. */
  ping(pong: Buffer): void;
  /** The peer answered our PING. */
  pong(): void;
}

/** Turns a stream of chunks into events. A half-received frame is never copied again and again. */
export class ZmtpParser {
  readonly #limits: FrameLimits;
  readonly #events: FrameEvents;
  readonly #pending = new PendingBytes();
  #need = GREETING_BYTES;
  #greeted = false;
  #isReady = false;
  #isHeld = false;
  #parts: Buffer[] = [];
  #partsBytes = 0;
  /**
   * What the last PING of a chunk asks to have back. A write for each of thousands that came together would cost the
   * process far more than they cost the peer, and one answer says that we live.
   */
  #asked: Buffer | undefined;

  constructor(limits: FrameLimits, events: FrameEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  /** Bytes received that do not yet make a message; parts without content count as something, too. */
  get pendingBytes(): number {
    return this.#pending.length + this.#partsBytes + this.#parts.length;
  }

  /** Gives no more messages, not even those that have come, until `false` is said and something is pushed. */
  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld;
  }

  /** @throws ZmtpError when the peer breaks the protocol or a limit */
  push(chunk: Buffer): void {
    if (this.#isHeld) return this.#pending.add(chunk);
    const bytes = this.#pending.join(chunk, this.#need);
    if (bytes === undefined) return;
    this.#pending.add(bytes.subarray(this.#consume(bytes)));
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) this.#events.ping(command('PONG', asked));
  }

  /** @returns the offset behind the last whole frame */
  #consume(bytes: Buffer): number {
    let at = 0;
    if (!this.#greeted) {
      this.#greeting(bytes);
      at = GREETING_BYTES;
    }
    for (;;) {
      const left = bytes.length - at;
      this.#need = 2;
      if (left < 2) return at;
      const flags = bytes[at] as number;
      if ((flags & ~(FLAG_MORE | FLAG_LONG | FLAG_COMMAND)) !== 0)
        throw new ZmtpError('reserved frame flags are set');
      const header = flags & FLAG_LONG ? 9 : 2;
      this.#need = header;
      if (left < header) return at;
      const length = header === 2 ? (bytes[at + 1] as number) : Number(bytes.readBigUInt64BE(at + 1));
      this.#checkLength(flags, length);
      this.#need = header + length;
      if (left < header + length) return at;
      this.#frame(flags, bytes.subarray(at + header, at + header + length));
      at += header + length;
      if (this.#isHeld) {
        this.#need = 0;
        return at;
      }
    }
  }

  #greeting(bytes: Buffer): void {
    if (bytes[0] !== 0xff || bytes[9] !== 0x7f) throw new ZmtpError('the peer does not speak ZMTP');
    if ((bytes[10] as number) < 3) throw new ZmtpError('the peer speaks a ZMTP older than 3.0');
    const mechanism = bytes.toString('latin1', 12, 32).replace(/\0+$/, '');
    if (mechanism !== 'NULL')
      throw new ZmtpError(`the peer wants the mechanism ${JSON.stringify(mechanism)}`);
    this.#greeted = true;
  }

  #checkLength(flags: number, length: number): void {
    if (flags & FLAG_COMMAND) {
      if (length > COMMAND_BYTES_MAX) throw new ZmtpError(`a command of ${length} bytes`);
    } else if (length + this.#partsBytes > this.#limits.messageBytesMax) {
      throw new ZmtpError(
        `a message of ${length + this.#partsBytes} bytes; ${this.#limits.messageBytesMax} are allowed`,
      );
    }
  }

  #frame(flags: number, body: Buffer): void {
    if (flags & FLAG_COMMAND) return this.#command(body);
    const isMore = (flags & FLAG_MORE) !== 0;
    this.#parts.push(isMore ? withoutTheRest(body) : body);
    if (this.#parts.length > PARTS_MAX) throw new ZmtpError(`a message of more than ${PARTS_MAX} parts`);
    if (isMore) {
      this.#partsBytes += body.length;
      return;
    }
    const parts = this.#parts;
    this.#parts = [];
    this.#partsBytes = 0;
    this.#events.message(parts);
  }

  #command(body: Buffer): void {
    const nameEnd = 1 + (body[0] ?? 0);
    const name = body.toString('latin1', 1, nameEnd);
    const rest = body.subarray(nameEnd);
    if (name === 'READY') {
      if (this.#isReady) throw new ZmtpError('the peer says READY twice');
      this.#isReady = true;
      const properties = readProperties(rest);
      this.#events.ready(properties.get('socket-type')?.toString('latin1') ?? '', properties);
    } else if (name === 'PING') this.#asked = rest.subarray(2);
    else if (name === 'PONG') this.#events.pong();
    else if (name === 'SUBSCRIBE') this.#events.message([Buffer.concat([Buffer.from([1]), rest])]);
    else if (name === 'CANCEL') this.#events.message([Buffer.concat([Buffer.from([0]), rest])]);
    else if (name === 'ERROR') throw new ZmtpError('the peer refused the connection');
  }
}

function readProperties(bytes: Buffer): Map<string, Buffer> {
  const out = new Map<string, Buffer>();
  let at = 0;
  while (at < bytes.length) {
    const nameLength = bytes[at] as number;
    const valueAt = at + 1 + nameLength + 4;
    if (valueAt > bytes.length) throw new ZmtpError('READY is cut short');
    const valueLength = bytes.readUInt32BE(at + 1 + nameLength);
    if (valueAt + valueLength > bytes.length) throw new ZmtpError('READY is cut short');
    const name = bytes.toString('latin1', at + 1, at + 1 + nameLength).toLowerCase();
    out.set(name, bytes.subarray(valueAt, valueAt + valueLength));
    at = valueAt + valueLength;
  }
  return out;
}
