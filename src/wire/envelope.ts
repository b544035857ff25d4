/**
 * The outer map of every message on ports 4505 and 4506: `{enc, load, version, …}`. Parsed once, strictly: what is
 * neither `clear` with a map nor `aes` with bytes is no envelope (wire-protocol.md, 3.4).
 */
import { isDict, type Dict, type Value } from '../values/value.ts';
import { asBytes, decode } from './msgpack.ts';

/** The protocol version that we speak. */
export const PROTOCOL_VERSION = 3;

interface EnvelopeHead {
  /** 0 when absent */
  readonly version: number;
}

/** A request in the clear. */
export interface ClearEnvelope extends EnvelopeHead {
  readonly enc: 'clear';
  readonly load: Dict;
}

/** An encrypted request. */
export interface AesEnvelope extends EnvelopeHead {
  readonly enc: 'aes';
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
export type EnvelopeFault = 'not msgpack' | 'not an envelope';

/** Reads a request. */
export function parseRequestEnvelope(body: Buffer): ClearEnvelope | AesEnvelope | EnvelopeFault {
  let value: Value;
  try {
    value = decode(body, 'network');
  } catch {
    return 'not msgpack';
  }
  if (!isDict(value)) return 'not an envelope';
  const load = value.get('load');
  const rawVersion = value.get('version');
  const version = typeof rawVersion === 'number' && Number.isInteger(rawVersion) ? rawVersion : 0;
  if (value.get('enc') === 'clear') return isDict(load) ? { enc: 'clear', load, version } : 'not an envelope';
  const sealed = asBytes(load);
  if (value.get('enc') !== 'aes' || sealed === undefined) return 'not an envelope';
  return {
    enc: 'aes',
    load: sealed,
    version,
    id: value.get('id'),
    encAlgo: value.get('enc_algo'),
    sigAlgo: value.get('sig_algo'),
  };
}

/** Reads a publication: the last part of the message, `enc` must be `aes` (CVE-2016-1866). */
export function parsePublishEnvelope(parts: readonly Buffer[]): PublishEnvelope | undefined {
  const body = parts[parts.length - 1];
  if (body === undefined || parts.length > 2) return undefined;
  let value: Value;
  try {
    value = decode(body, 'network');
  } catch {
    return undefined;
  }
  const load = isDict(value) ? asBytes(value.get('load')) : undefined;
  if (!isDict(value) || load === undefined || value.get('enc') !== 'aes') return undefined;
  const sigAlgo = value.get('sig_algo');
  return { load, sig: asBytes(value.get('sig')), sigAlgo: typeof sigAlgo === 'string' ? sigAlgo : undefined };
}
