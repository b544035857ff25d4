/**
 * Where a span belongs, as it travels inside a load: the field `traceparent` with the text of W3C's header of that name
 * (Trace Context, level 1). A real Salt takes no notice of the field.
 */
import type { Value } from '../../python/values/value.ts';

/** The field of requests to publish (in `kwargs`), of publications and of returns. */
export const TRACE_FIELD = 'traceparent';

/** A span as others name it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** False when whoever began the trace does not want it to be kept. */
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LENGTH_MAX = 200;
const SAMPLED = 1;

/** Reads what came from outside. @returns undefined for what is no context */
export function readTraceparent(value: Value | undefined): TraceContext | undefined {
  if (typeof value !== 'string' || value.length > LENGTH_MAX) return undefined;
  const match = TRACEPARENT.exec(value);
  if (match === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match;
  // version ff is none, version 00 has nothing behind its flags, and ids of zeros are none
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The text that {@link readTraceparent} reads. */
export function traceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}

/** What came from outside, when it is a context that may be handed on. */
export function handedOn(value: Value | undefined): string | undefined {
  const context = readTraceparent(value);
  return context === undefined ? undefined : traceparent(context);
}
