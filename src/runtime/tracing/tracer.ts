/**
 * Spans: what a program did for a job, from when to when, and on whose behalf. Beginning and ending one costs no input
 * and no output.
 */
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import type { Value } from '../../python/values/value.ts';
import { readTraceparent, traceparent, type TraceContext } from './context.ts';

/** How a span stands to its parent, in OpenTelemetry's words. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Facts about a span, by name. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has ended. */
export interface EndedSpan extends TraceContext {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly facts: SpanFacts;
  readonly isError: boolean;
}

/** How a span begins. */
export interface SpanStart {
  readonly kind: SpanKind;
  /** The `traceparent` that came with what it is done for; without one, or with what is none, a trace begins. */
  readonly parent: Value | undefined;
  readonly facts?: SpanFacts;
  /** For one that is told of afterwards: when it began and ended, milliseconds since 1970. */
  readonly startMs?: number;
  readonly endMs?: number;
}

/** A span that is under way. */
export interface Span {
  /** What its children are told. */
  readonly traceparent: string;
  /** Ends it; a second end means nothing. */
  end(how?: { readonly isError?: boolean; readonly facts?: SpanFacts }): void;
}

/** Begins spans. */
export interface Tracer {
  start(name: string, start: SpanStart): Span;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Longer names and facts say no more. */
const TEXT_LENGTH_MAX = 200;

/** What a tracer needs. */
export interface TracerDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Takes a span that has ended and is to be kept; must return at once. */
  readonly ended: (span: EndedSpan) => void;
}

/** Makes a tracer. */
export function makeTracer({ clock, random, ended }: TracerDeps): Tracer {
  return {
    start(name, { kind, parent, facts = {}, startMs = clock.nowMs(), endMs }) {
      const above = readTraceparent(parent);
      const context: TraceContext = {
        traceId: above?.traceId ?? random.bytes(TRACE_ID_BYTES).toString('hex'),
        spanId: random.bytes(SPAN_ID_BYTES).toString('hex'),
        isSampled: above?.isSampled ?? true,
      };
      // the wall clock may be set meanwhile
      const beganMs = clock.monotonicMs();
      let isOpen = true;
      return {
        traceparent: traceparent(context),
        end: ({ isError = false, facts: more = {} } = {}) => {
          if (!isOpen) return;
          isOpen = false;
          if (!context.isSampled) return;
          ended({
            ...context,
            parentSpanId: above?.spanId,
            name: name.slice(0, TEXT_LENGTH_MAX),
            kind,
            startMs,
            endMs: endMs ?? startMs + clock.monotonicMs() - beganMs,
            facts: shortened({ ...facts, ...more }),
            isError,
          });
        },
      };
    },
  };
}

function shortened(facts: SpanFacts): SpanFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? fact.slice(0, TEXT_LENGTH_MAX) : fact,
    ]),
  );
}
