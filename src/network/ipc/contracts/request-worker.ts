/**
 * What the request server and its workers say to each other, over `workers.ipc`. All requests of all minions pass here,
 * so they are packed by hand: the request's own bytes are neither wrapped nor copied.
 */
import type { ReplayCheck, ReplayStanding } from '../../channel/replay-guard.ts';
import { contract, type Client } from '../contract.ts';
import { count, fields, MessageError, nothing, type Codec } from '../fields.ts';

/** A request on its way to a worker. */
export interface ServeRequest {
  /** The publish port of the transport that it came by; 0 for the master's usual one. */
  readonly publishPort: number;
  /** What is known of the sender. */
  readonly standing: ReplayStanding;
  /** The sender's address. */
  readonly from: string;
  /** When it is read, a slice of the receive buffer. */
  readonly body: Buffer;
}

/** What a worker makes of a request. */
export interface WorkerAnswer {
  readonly reply: Buffer;
  readonly outcome: ReplayCheck;
}

/** What stands before a request: a port, what is known of the sender, its address. */
const STANDING_AT = 2;
const ADDRESS_AT = STANDING_AT + 20;
const ADDRESS_BYTES_MAX = 255;

const request: Codec<ServeRequest> = {
  pack: ({ publishPort, standing, from, body }) => {
    const address = Buffer.from(from.slice(0, ADDRESS_BYTES_MAX), 'latin1');
    const head = Buffer.allocUnsafe(ADDRESS_AT + 1 + address.length);
    head.writeUInt16BE(publishPort, 0);
    head.writeDoubleBE(standing.sessionsFromMs, STANDING_AT);
    head.writeDoubleBE(standing.servedUntil, STANDING_AT + 8);
    head.writeUInt32BE(standing.generation >>> 0, STANDING_AT + 16);
    head[ADDRESS_AT] = address.length;
    head.set(address, ADDRESS_AT + 1);
    return [head, body];
  },
  read: (bytes) => {
    const end = ADDRESS_AT + 1 + (bytes[ADDRESS_AT] ?? 0);
    if (bytes.length < end || bytes.length <= ADDRESS_AT) throw new MessageError('ends within its head');
    return {
      publishPort: bytes.readUInt16BE(0),
      standing: {
        sessionsFromMs: bytes.readDoubleBE(STANDING_AT),
        servedUntil: bytes.readDoubleBE(STANDING_AT + 8),
        generation: bytes.readUInt32BE(STANDING_AT + 16),
      },
      from: bytes.toString('latin1', ADDRESS_AT + 1, end),
      body: bytes.subarray(end),
    };
  },
};

/** What stands before a reply: what became of the request, and when it was sent. */
const ANSWER_HEAD_BYTES = 9;
const KINDS = ['refused', 'genuine', 'session ended', 'lost'] as const;

const answer: Codec<WorkerAnswer> = {
  pack: ({ reply, outcome }) => {
    const head = Buffer.alloc(ANSWER_HEAD_BYTES);
    head[0] = KINDS.indexOf(outcome.kind);
    if (outcome.kind === 'genuine') head.writeDoubleBE(outcome.ts, 1);
    return [head, reply];
  },
  read: (bytes) => {
    const kind = KINDS[bytes[0] ?? KINDS.length];
    if (kind === undefined || bytes.length < ANSWER_HEAD_BYTES)
      throw new MessageError('does not begin with what became of the request');
    const reply = bytes.subarray(ANSWER_HEAD_BYTES);
    return { reply, outcome: kind === 'genuine' ? { kind, ts: bytes.readDoubleBE(1) } : { kind } };
  },
};

/** What the request server asks of a worker. */
export const requestWorker = contract('the worker', {
  serve: { asks: request, answers: answer },
  /** A sign of life. */
  ping: { asks: nothing, answers: nothing },
});

/** What a worker tells the request server. */
export const requestServer = contract('the request server', {
  /** The worker's number, before anything else. */
  register: { asks: fields({ index: count }) },
});

/** The way to one worker. Fails when the worker ends before it has answered. */
export type WorkerLink = Client<typeof requestWorker>;
