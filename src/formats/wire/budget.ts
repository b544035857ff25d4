/**
 * What a message may become in memory, by how far its sender is known. One byte of msgpack can stand for a map of two
 * hundred bytes, so neither the length of a message nor its nesting says what it costs: it is walked once without
 * making anything of it, each value is counted with what it will take, and a message that exceeds its budget is refused
 * there. docs/internals/limits.md explains the figures.
 */
import { MsgpackError, TruncatedMsgpackError } from './msgpack-error.ts';

/** How far the sender of a message is known. */
export interface Budget {
  /** For log lines. */
  readonly stage: 'clear' | 'envelope' | 'authenticated' | 'event';
  /** Bytes of the message. */
  readonly bytesMax: number;
  /** Values in it, keys included. */
  readonly elementsMax: number;
  /** Memory that its values may take: so much, and so much for each byte of the message. */
  readonly memoryBytesMax: number;
  readonly memoryBytesPerByte: number;
  /** And no more than this in all; default no limit. */
  readonly memoryBytesCap?: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Nobody has proved anything: an `_auth`, an envelope, what a command in the clear says before its key has been
 * checked.
 */
export const CLEAR: Budget = {
  stage: 'clear',
  bytesMax: 64 * KiB,
  elementsMax: 4096,
  memoryBytesMax: MiB,
  memoryBytesPerByte: 0,
};

/**
 * A request whose sender nothing is known of: what is around something sealed, or a stranger's words in the clear. Its
 * values count as a stranger's; its bytes may be sealed ones, so that their number says nothing.
 */
export const UNPROVEN: Budget = { ...CLEAR, bytesMax: 256 * MiB, memoryBytesPerByte: 1 };

/** What is around something sealed: a few fields, of which one may be long. */
export const ENVELOPE: Budget = {
  stage: 'envelope',
  bytesMax: 256 * MiB,
  elementsMax: 256,
  memoryBytesMax: MiB,
  memoryBytesPerByte: 1,
};

/**
 * Sealed with a key that only one of ours has: a minion's requests, a master's replies and publications. Real data take
 * two to four bytes of memory for one of msgpack, small maps of short texts up to twelve, a map without anything in it
 * two hundred.
 */
export const AUTHENTICATED: Budget = {
  stage: 'authenticated',
  bytesMax: 256 * MiB,
  elementsMax: 20_000_000,
  memoryBytesMax: 64 * MiB,
  memoryBytesPerByte: 16,
  memoryBytesCap: 1024 * MiB,
};

/** Read from the event bus: what passed as {@link AUTHENTICATED} passes here with what is added on the way. */
export const EVENT: Budget = {
  ...AUTHENTICATED,
  stage: 'event',
  memoryBytesMax: 96 * MiB,
  memoryBytesPerByte: 24,
  memoryBytesCap: 1536 * MiB,
};

/** The message would cost more than its sender is granted. Nothing of it was made. */
export class BudgetError extends MsgpackError {
  override readonly name = 'BudgetError';
}

/** What each value takes on the heap of V8 (measured, Node.js 20). */
const MAP_BYTES = 200;
const MAP_ENTRY_BYTES = 40;
const LIST_BYTES = 48;
const LIST_ITEM_BYTES = 12;
const TEXT_BYTES = 64;
const NUMBER_BYTES = 48;
/** The most that one byte can stand for: a map within a list. */
const COST_OF_A_BYTE_MAX = MAP_BYTES + LIST_ITEM_BYTES;

/** Walks over msgpack without making anything of it. Lengths are held against the budget when they are announced. */
export class Walk {
  readonly #bytes: Buffer;
  readonly #budget: Budget;
  readonly #memoryMax: number;
  #at: number;
  #elements = 0;
  #memory = 0;

  /** @throws BudgetError when the message is longer than the budget allows */
  constructor(bytes: Buffer, budget: Budget, start = 0) {
    this.#bytes = bytes;
    this.#budget = budget;
    this.#at = start;
    const length = bytes.length - start;
    if (length > budget.bytesMax) throw this.#exceeded(`${length} bytes`, budget.bytesMax);
    const { memoryBytesMax, memoryBytesPerByte, memoryBytesCap = Infinity } = budget;
    this.#memoryMax = Math.min(memoryBytesMax + memoryBytesPerByte * length, memoryBytesCap);
  }

  /** Where the next value starts. */
  get at(): number {
    return this.#at;
  }

  /** The number of entries of the map that starts here, whose header is passed; undefined when it is no map. */
  enterMap(): number | undefined {
    const tag = this.#bytes[this.#at];
    if (tag === undefined || !((tag >= 0x80 && tag <= 0x8f) || tag === 0xde || tag === 0xdf))
      return undefined;
    return this.#header() / 2;
  }

  /** Passes one value with all that is in it. @throws BudgetError; TruncatedMsgpackError when it does not end here */
  skip(): void {
    const bytes = this.#bytes;
    const { elementsMax } = this.#budget;
    let left = 1;
    // what is short is most of what there is, and passed without leaving this loop
    let at = this.#at;
    let elements = this.#elements;
    let memory = this.#memory;
    while (left > 0) {
      const tag = bytes[at] as number;
      if (tag < 0x80 || tag >= 0xe0) at++;
      else if (tag < 0x90) {
        memory += MAP_BYTES + (tag & 15) * MAP_ENTRY_BYTES;
        left += (tag & 15) * 2;
        at++;
      } else if (tag >= 0xa0 && tag < 0xc0) {
        memory += TEXT_BYTES + (tag & 31);
        at += 1 + (tag & 31);
      } else {
        this.#stand(at, elements, memory);
        left += this.#header();
        at = this.#at;
        elements = this.#elements - 1;
        memory = this.#memory;
      }
      left--;
      if (++elements > elementsMax || memory > this.#memoryMax || at > bytes.length) break;
    }
    this.#stand(at, elements, memory);
    if (at > bytes.length) throw new TruncatedMsgpackError();
    this.#count(0);
    this.#cost(0);
  }

  #stand(at: number, elements: number, memory: number): void {
    this.#at = at;
    this.#elements = elements;
    this.#memory = memory;
  }

  /** @throws MsgpackError when something follows */
  finish(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw new MsgpackError(`${left} bytes follow the msgpack value`);
  }

  /** Passes a scalar, or the header of a container. @returns how many values follow that belong to it */
  #header(): number {
    const bytes = this.#bytes;
    const tag = bytes[this.#at];
    if (tag === undefined) throw new TruncatedMsgpackError();
    this.#count(1);
    this.#at++;
    if (tag < 0x80 || tag >= 0xe0) return 0;
    if (tag < 0x90) return this.#map(tag & 15);
    if (tag < 0xa0) return this.#list(tag & 15);
    if (tag < 0xc0) return this.#content(tag & 31);
    const lengthBytes = LENGTH_BYTES[tag - 0xc0] as number;
    if (lengthBytes === 0) return this.#number(tag);
    if (this.#at + lengthBytes > bytes.length) throw new TruncatedMsgpackError();
    let length = 0;
    for (let n = 0; n < lengthBytes; n++) length = length * 256 + (bytes[this.#at++] as number);
    if (tag >= 0xde) return this.#map(length);
    if (tag >= 0xdc) return this.#list(length);
    return this.#content(tag >= 0xc7 && tag <= 0xc9 ? length + 1 : length);
  }

  #map(entries: number): number {
    this.#announced(entries * 2);
    this.#cost(MAP_BYTES + entries * MAP_ENTRY_BYTES);
    return entries * 2;
  }

  #list(items: number): number {
    this.#announced(items);
    this.#cost(LIST_BYTES + items * LIST_ITEM_BYTES);
    return items;
  }

  #announced(values: number): void {
    if (values > this.#bytes.length - this.#at) throw new TruncatedMsgpackError();
    if (this.#elements + values > this.#budget.elementsMax) throw this.#tooMany();
  }

  #content(length: number): number {
    this.#cost(TEXT_BYTES + length);
    return this.#pass(length);
  }

  #number(tag: number): number {
    const length = SCALAR_BYTES[tag - 0xc0] as number;
    if (length < 0) throw new MsgpackError(`byte 0x${tag.toString(16)} begins no msgpack value`);
    if (length >= 4) this.#cost(NUMBER_BYTES);
    return this.#pass(length);
  }

  #pass(length: number): number {
    if (length > this.#bytes.length - this.#at) throw new TruncatedMsgpackError();
    this.#at += length;
    return 0;
  }

  #count(values: number): void {
    this.#elements += values;
    if (this.#elements > this.#budget.elementsMax) throw this.#tooMany();
  }

  #cost(bytes: number): void {
    this.#memory += bytes;
    if (this.#memory > this.#memoryMax)
      throw this.#exceeded(`values that take more than ${inMiB(this.#memoryMax)} of memory`, undefined);
  }

  #tooMany(): BudgetError {
    return this.#exceeded(`more than ${this.#budget.elementsMax} values`, undefined);
  }

  #exceeded(what: string, allowed: number | undefined): BudgetError {
    const limit = allowed === undefined ? '' : `, and ${allowed} are allowed`;
    return new BudgetError(
      `a message of ${this.#bytes.length} bytes has ${what}${limit} (stage ${this.#budget.stage})`,
    );
  }
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / MiB)} MiB`;
}

/** How many bytes of a length follow the tags from 0xc0 on; 0 where none does. */
const LENGTH_BYTES = Int8Array.of(
  ...[0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4],
);
/** How many bytes of content follow those that have no length; -1 for the one that begins nothing. */
const SCALAR_BYTES = Int8Array.of(
  ...[0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 1, 2, 4, 8],
  ...[1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0],
);

/**
 * Makes sure that decoding the value at `start` costs no more than the budget.
 * @throws BudgetError when it would, MsgpackError when the bytes are no msgpack
 */
export function requireWithin(bytes: Buffer, budget: Budget, start = 0): void {
  const length = bytes.length - start;
  const isHarmless =
    length <= budget.bytesMax &&
    length <= budget.elementsMax &&
    length * COST_OF_A_BYTE_MAX <= budget.memoryBytesMax;
  if (!isHarmless) new Walk(bytes, budget, start).skip();
}

/** The fields of a map that are wanted, in the order in which they are given back. */
export class FieldNames {
  readonly encoded: readonly Buffer[];

  /** @param names short ones, of ASCII */
  constructor(...names: readonly string[]) {
    this.encoded = names.map((name) => Buffer.from(name, 'latin1'));
  }
}

/**
 * The fields of a map, each as the bytes of its value, without making anything of them.
 * @returns a value for each name, in their order, undefined where there is none; undefined in place of all of them when
 *   the bytes are no map, or name a wanted field twice: two readers could differ
 * @throws BudgetError, MsgpackError
 */
export function fieldsOf(
  bytes: Buffer,
  budget: Budget,
  { encoded }: FieldNames,
): readonly (Buffer | undefined)[] | undefined {
  const walk = new Walk(bytes, budget);
  const entries = walk.enterMap();
  if (entries === undefined) {
    walk.skip();
    walk.finish();
    return undefined;
  }
  const found: (Buffer | undefined)[] = encoded.map(() => undefined);
  let isTwice = false;
  for (let entry = 0; entry < entries; entry++) {
    const keyAt = walk.at;
    walk.skip();
    const valueAt = walk.at;
    walk.skip();
    const index = indexOfKey(bytes, keyAt, valueAt, encoded);
    if (index < 0) continue;
    isTwice ||= found[index] !== undefined;
    found[index] = bytes.subarray(valueAt, walk.at);
  }
  walk.finish();
  return isTwice ? undefined : found;
}

function indexOfKey(bytes: Buffer, start: number, end: number, names: readonly Buffer[]): number {
  const headerBytes = headerOfText(bytes[start] as number);
  if (headerBytes === 0) return -1;
  for (let index = 0; index < names.length; index++)
    if (equalsAt(bytes, start + headerBytes, end, names[index] as Buffer)) return index;
  return -1;
}

function equalsAt(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name[at]) return false;
  return true;
}

/** How many bytes stand before the content of a text, or of bytes; 0 for what is neither. */
function headerOfText(tag: number): number {
  if (tag >= 0xa0 && tag < 0xc0) return 1;
  const isText = (tag >= 0xc4 && tag <= 0xc6) || (tag >= 0xd9 && tag <= 0xdb);
  return isText ? 1 + (LENGTH_BYTES[tag - 0xc0] as number) : 0;
}

/** The bytes of a text, or of bytes, without what stands before them; undefined when the value is something else. */
export function contentOf(value: Buffer): Buffer | undefined {
  const headerBytes = headerOfText(value[0] as number);
  return headerBytes === 0 ? undefined : value.subarray(headerBytes);
}

/** Whether a value holds others. */
export function isContainer(value: Buffer): boolean {
  const tag = value[0] as number;
  return (tag >= 0x80 && tag <= 0x9f) || (tag >= 0xdc && tag <= 0xdf);
}
