/**
 * Messages larger than NATS takes at once (`max_payload`, 1 MB by default), in several parts under one number. A part
 * is a byte that says so, the number of the parcel, which part it is and of how many.
 */
import type { Random } from '../../host/random.ts';

const WHOLE = 0;
const PART = 1;
const ID_BYTES = 8;
const HEAD_BYTES = 1 + ID_BYTES + 4;
/**
 * Bytes of unfinished parcels that are kept while their other parts are awaited, when the reader does not say. A master
 * that died under one leaves such, and whoever reaches NATS can make some.
 */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/** Cuts a message. @param partBytesMax what NATS takes at once */
export function cutParcel(message: Buffer, partBytesMax: number, random: Random): Buffer[] {
  if (message.length + 1 <= partBytesMax) return [Buffer.concat([Buffer.of(WHOLE), message])];
  const size = partBytesMax - HEAD_BYTES;
  const count = Math.ceil(message.length / size);
  const id = random.bytes(ID_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = PART;
    id.copy(head, 1);
    head.writeUInt16BE(index, 1 + ID_BYTES);
    head.writeUInt16BE(count, 3 + ID_BYTES);
    return Buffer.concat([head, message.subarray(index * size, (index + 1) * size)]);
  });
}

interface Waiting {
  readonly count: number;
  /** Where in the stream its first part is. */
  readonly firstAt: number;
  readonly parts: Buffer[];
  bytes: number;
}

/** Joins parts as they are read. */
export class ParcelJoiner {
  /** Parcels given up because their rest never came. */
  readonly counters = { abandoned: 0 };
  readonly #waiting = new Map<string, Waiting>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** @param bytesMax of unfinished parcels; beyond it the oldest are given up, and counted */
  constructor(bytesMax = WAITING_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Where in the stream the oldest unfinished parcel begins; undefined when there is none. */
  get oldestAt(): number | undefined {
    let oldest: number | undefined;
    for (const { firstAt } of this.#waiting.values()) oldest = Math.min(oldest ?? firstAt, firstAt);
    return oldest;
  }

  /** Takes what was read. @param at its place in the stream @returns the message when it is whole */
  take(data: Uint8Array, at: number): Buffer | undefined {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
    if (bytes[0] === WHOLE) return bytes.subarray(1);
    if (bytes[0] !== PART || bytes.length <= HEAD_BYTES) return undefined;
    const id = bytes.toString('hex', 1, 1 + ID_BYTES);
    const index = bytes.readUInt16BE(1 + ID_BYTES);
    const count = bytes.readUInt16BE(3 + ID_BYTES);
    const waiting = this.#waiting.get(id) ?? { count, firstAt: at, parts: [], bytes: 0 };
    this.#waiting.set(id, waiting);
    // a part that is sent twice, because nobody knew whether it had arrived, is there already
    if (index !== waiting.parts.length || count !== waiting.count) return undefined;
    const part = Buffer.from(bytes.subarray(HEAD_BYTES));
    waiting.parts.push(part);
    waiting.bytes += part.length;
    this.#bytes += part.length;
    if (waiting.parts.length === count) {
      this.#drop(id, waiting);
      return Buffer.concat(waiting.parts);
    }
    this.#keepBound(id);
    return undefined;
  }

  #keepBound(newest: string): void {
    for (const [id, waiting] of this.#waiting) {
      if (this.#bytes <= this.#bytesMax) return;
      if (id === newest) continue;
      this.counters.abandoned++;
      this.#drop(id, waiting);
    }
  }

  #drop(id: string, waiting: Waiting): void {
    this.#waiting.delete(id);
    this.#bytes -= waiting.bytes;
  }
}
