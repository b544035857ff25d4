/** Spans as OTLP has them in JSON (OpenTelemetry protocol 1): ids in hexadecimal, 64-bit numbers as texts. */
import type { EndedSpan, SpanFacts, SpanKind } from './tracer.ts';

/** `Span.SpanKind` */
const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
/** `Status.StatusCode` */
const STATUS_ERROR = 2;
const MICROS_PER_MS = 1000;
const NANOS_PER_MICRO = 1000n;

/** Who tells of spans. */
export interface Resource {
  readonly service: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
}

/** The body of a request that brings spans. */
export function exportRequest(
  { service, version, host, pid }: Resource,
  spans: readonly EndedSpan[],
): string {
  const resource = {
    attributes: attributes({
      'service.name': service,
      'service.version': version,
      'service.instance.id': `${host}:${pid}`,
      'host.name': host,
      'process.pid': pid,
    }),
  };
  return JSON.stringify({
    resourceSpans: [
      { resource, scopeSpans: [{ scope: { name: 'brine', version }, spans: spans.map(spanOf) }] },
    ],
  });
}

function spanOf(span: EndedSpan): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, facts, isError } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: attributes(facts),
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

/** A double is exact to the microsecond only. */
function nanos(atMs: number): string {
  return String(BigInt(Math.round(atMs * MICROS_PER_MS)) * NANOS_PER_MICRO);
}

function attributes(facts: SpanFacts): object[] {
  return Object.entries(facts).flatMap(([key, fact]) =>
    fact === undefined ? [] : [{ key, value: anyValue(fact) }],
  );
}

function anyValue(fact: string | number | boolean): object {
  if (typeof fact === 'string') return { stringValue: fact };
  if (typeof fact === 'boolean') return { boolValue: fact };
  return Number.isSafeInteger(fact) ? { intValue: String(fact) } : { doubleValue: fact };
}

/** How many spans of a request the collector did not take, out of its answer to one that it did. */
export function rejectedSpans(answer: string): number {
  let read: unknown;
  try {
    read = JSON.parse(answer);
  } catch {
    return 0; // many collectors answer with nothing
  }
  if (typeof read !== 'object' || read === null || !('partialSuccess' in read)) return 0;
  const { partialSuccess } = read;
  if (typeof partialSuccess !== 'object' || partialSuccess === null || !('rejectedSpans' in partialSuccess))
    return 0;
  const count = Number(partialSuccess.rejectedSpans);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
