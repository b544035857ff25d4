/**
 * What the body of a request may cost, by how far its sender is known. One byte can stand for a mapping that takes two
 * hundred, so that the parts of a body are counted in its bytes before anything is made of them; and all bodies
 * together have a bound. The figures are explained in docs/internals/limits.md.
 */
import { HttpFault } from './http-fault.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Bytes and parts of a body of somebody of whom nothing is known. */
export const STRANGER_BYTES_MAX = 64 * KiB;
const STRANGER_PARTS_MAX = 4_096;
/** Where anybody may send (`webhook_disable_auth`): a stranger's parts, and one more for so many bytes. */
const OPEN_BYTES_PER_PART = 16;
/** Of somebody who has logged in. */
const KNOWN_PARTS_MAX = 65_536;
const KNOWN_BYTES_PER_PART = 8;
/** What all strangers may have sent of bodies that are not whole; at more the largest is given up. */
const STRANGERS_BYTES_MAX = 32 * MiB;
/** What all bodies that are longer than a stranger's may have together, until they are answered. */
const HELD_BYTES_MAX = 64 * MiB;

/** How far somebody is known. */
export type Sender = 'stranger' | 'anybody' | 'known';

/** How a kind of body is divided. */
export type Division = 'json' | 'yaml' | 'form';

/** A body of a stranger that is being read. */
export interface Growing {
  /** More of it has come. */
  readonly add: (sizeBytes: number) => void;
  readonly end: () => void;
}

interface Grown {
  sizeBytes: number;
  readonly giveUp: () => void;
}

/** Bounds all bodies of a server. */
export class BodyBudget {
  readonly counters = { tooLong: 0, tooManyParts: 0, givenUp: 0, refused: 0 };
  readonly #growing = new Set<Grown>();
  #growingBytes = 0;
  #heldBytes = 0;

  /** Bytes that strangers have sent of bodies that are not whole, and of long bodies under way. */
  get sizeBytes(): number {
    return this.#growingBytes + this.#heldBytes;
  }

  /** Bodies that were refused, for whatever reason. */
  get refused(): number {
    const { tooLong, tooManyParts, givenUp, refused } = this.counters;
    return tooLong + tooManyParts + givenUp + refused;
  }

  /** Begins to read. @param giveUp called when it has to end for others */
  growing(giveUp: () => void): Growing {
    const body: Grown = { sizeBytes: 0, giveUp };
    this.#growing.add(body);
    return {
      add: (sizeBytes) => {
        if (!this.#growing.has(body)) return;
        body.sizeBytes += sizeBytes;
        this.#growingBytes += sizeBytes;
        if (this.#growingBytes > STRANGERS_BYTES_MAX) this.#giveUpLargest();
      },
      end: () => this.#end(body),
    };
  }

  /** A long body is kept until its request is answered. @returns ends that @throws HttpFault 503 */
  hold(sizeBytes: number): () => void {
    // one alone is read however long it may be
    if (this.#heldBytes > 0 && this.#heldBytes + sizeBytes > HELD_BYTES_MAX) {
      this.counters.refused++;
      throw busy();
    }
    this.#heldBytes += sizeBytes;
    return () => void (this.#heldBytes -= sizeBytes);
  }

  /** Counts the parts of a body. @throws HttpFault 413 for more than its sender may send */
  requireFew(bytes: Buffer, division: Division, sender: Sender): void {
    const max = partsMaxOf(bytes.length, sender);
    if (partsOf(bytes, division, max) <= max) return;
    this.counters.tooManyParts++;
    throw new HttpFault(413, `The body has more than ${max} parts.`);
  }

  #end(body: Grown): void {
    if (this.#growing.delete(body)) this.#growingBytes -= body.sizeBytes;
  }

  #giveUpLargest(): void {
    let largest: Grown | undefined;
    for (const body of this.#growing) if (body.sizeBytes > (largest?.sizeBytes ?? 0)) largest = body;
    if (largest === undefined) return;
    this.#end(largest);
    this.counters.givenUp++;
    largest.giveUp();
  }
}

function busy(): HttpFault {
  return new HttpFault(503, 'Too much is being sent at once. Try again later.', [['Retry-After', '5']]);
}

function partsMaxOf(sizeBytes: number, sender: Sender): number {
  if (sender === 'known') return KNOWN_PARTS_MAX + Math.floor(sizeBytes / KNOWN_BYTES_PER_PART);
  return STRANGER_PARTS_MAX + (sender === 'anybody' ? Math.floor(sizeBytes / OPEN_BYTES_PER_PART) : 0);
}

/** Whether a stranger's bounds are enough for a body. */
export function fitsStranger(bytes: Buffer, division: Division): boolean {
  return (
    bytes.length <= STRANGER_BYTES_MAX && partsOf(bytes, division, STRANGER_PARTS_MAX) <= STRANGER_PARTS_MAX
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MARKS: Readonly<Record<Division, ReadonlySet<number>>> = {
  json: marks('{[,:'),
  // a value of YAML begins with one of these, or in a line of its own
  yaml: marks('{[,:\n-?*'),
  // parts of a form may be YAML, and be written in escapes
  form: marks('&{[,:\n-%'),
};

function marks(text: string): ReadonlySet<number> {
  return new Set(Buffer.from(text));
}

/** How many marks stand between parts, in JSON outside of texts; no more than one beyond `max` are counted. */
function partsOf(bytes: Buffer, division: Division, max: number): number {
  const wanted = MARKS[division];
  let count = 0;
  let isText = false;
  for (let at = 0; at < bytes.length && count <= max; at++) {
    const byte = bytes[at] as number;
    if (division === 'json' && byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at++;
    else if (!isText && wanted.has(byte)) count++;
  }
  return count;
}
