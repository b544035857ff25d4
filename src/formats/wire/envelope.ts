/**
 * The outer map of every message on ports 4505 and 4506: `{enc, load, version, …}`. Read strictly and no deeper than
 * its own fields: what is neither `clear` with a map nor `aes` with bytes is no envelope
 * (docs/internals/wire-protocol.md#envelopes). The request server and its workers read requests with the same function,
 * so that they never see two different ones in the same bytes.
 */
import type { Dict, Value } from '../../python/values/value.ts';
import {
  AUTHENTICATED,
  type Budget,
  BudgetError,
  CLEAR,
  contentOf,
  ENVELOPE,
  FieldNames,
  fieldsOf,
  isContainer,
} from './budget.ts';
import { decode } from './msgpack.ts';

/** The protocol version that we speak. */
export const PROTOCOL_VERSION = 3;

/** A field that says something in a word is no longer than this. */
const WORD_BYTES_MAX = 1024;
const REQUEST_FIELDS = new FieldNames('enc', 'load', 'version', 'id', 'enc_algo', 'sig_algo');
const PUBLICATION_FIELDS = new FieldNames('enc', 'load', 'sig', 'sig_algo');

interface EnvelopeHead {
  /** 0 when absent */
  readonly version: number;
}

/** A request in the clear. */
export interface ClearEnvelope extends EnvelopeHead {
  readonly enc: 'clear';
  /** A map, not yet decoded. A slice of the message. */
  readonly load: Buffer;
}

/** An encrypted request. */
export interface AesEnvelope extends EnvelopeHead {
  readonly enc: 'aes';
  /** A slice of the message. */
  readonly load: Buffer;
  /** The sender, from version 3 on. */
  readonly id: Value | undefined;
  readonly encAlgo: Value | undefined;
  readonly sigAlgo: Value | undefined;
}

/** An encrypted publication. */
export interface PublishEnvelope {
  readonly load: Buffer;
  readonly sig: Buffer | undefined;
  readonly sigAlgo: string | undefined;
}

/** Why bytes are no request envelope. */
export type EnvelopeFault = 'not msgpack' | 'not an envelope' | 'over budget';

/**
 * Reads a request.
 * @param budget for the walk over its values; what it lets pass reads the same with every budget
 */
export function parseRequestEnvelope(
  body: Buffer,
  budget: Budget = AUTHENTICATED,
): ClearEnvelope | AesEnvelope | EnvelopeFault {
  let fields: ReturnType<typeof fieldsOf>;
  try {
    // a load in the clear is passed over here: how much of it is decoded is for those who know its sender
    fields = fieldsOf(body, budget, REQUEST_FIELDS);
  } catch (error) {
    return error instanceof BudgetError ? 'over budget' : 'not msgpack';
  }
  const [rawEnc, load, rawVersion, id, encAlgo, sigAlgo] = fields ?? [];
  if (load === undefined) return 'not an envelope';
  const enc = word(rawEnc);
  const number = word(rawVersion);
  const version = typeof number === 'number' && Number.isInteger(number) ? number : 0;
  if (enc === 'clear') return isMap(load) ? { enc, load, version } : 'not an envelope';
  const sealed = contentOf(load);
  if (enc !== 'aes' || sealed === undefined) return 'not an envelope';
  return { enc, load: sealed, version, id: word(id), encAlgo: word(encAlgo), sigAlgo: word(sigAlgo) };
}

/** Reads a publication: the last part of the message, `enc` must be `aes` (CVE-2016-1866). */
export function parsePublishEnvelope(parts: readonly Buffer[]): PublishEnvelope | undefined {
  const body = parts[parts.length - 1];
  if (body === undefined || parts.length > 2) return undefined;
  let fields: ReturnType<typeof fieldsOf>;
  try {
    fields = fieldsOf(body, ENVELOPE, PUBLICATION_FIELDS);
  } catch {
    return undefined;
  }
  const [enc, load, sig, rawSigAlgo] = fields ?? [];
  const sealed = load && contentOf(load);
  if (sealed === undefined || word(enc) !== 'aes') return undefined;
  const sigAlgo = word(rawSigAlgo);
  return {
    load: sealed,
    sig: sig && contentOf(sig),
    sigAlgo: typeof sigAlgo === 'string' ? sigAlgo : undefined,
  };
}

/** A short scalar; null for everything else that is there, which is nothing that a field may hold. */
function word(value: Buffer | undefined): Value | undefined {
  if (value === undefined) return undefined;
  return value.length > WORD_BYTES_MAX || isContainer(value) ? null : decode(value, 'network');
}

function isMap(value: Buffer): boolean {
  const tag = value[0] as number;
  return (tag >= 0x80 && tag <= 0x8f) || tag === 0xde || tag === 0xdf;
}

/**
 * Some fields of a load, each decoded as a stranger's; nothing is made of the others.
 * @throws BudgetError, MsgpackError
 */
export function glance(packed: Buffer, names: readonly string[]): Dict {
  const out: Dict = new Map();
  const values = fieldsOf(packed, AUTHENTICATED, new FieldNames(...names)) ?? [];
  for (const [index, value] of values.entries())
    if (value !== undefined) out.set(names[index] as string, decode(value, 'network', CLEAR));
  return out;
}
