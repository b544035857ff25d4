/** Traces of a program whose options name a collector; of any other nothing is loaded. */
import { hostname } from 'node:os';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { Dict } from '../../python/values/value.ts';
import type { Sample } from '../metrics/sample.ts';
import { brineVersion } from '../../version.ts';
import type { Tracer } from './tracer.ts';

/** The options that are looked at. */
export interface TracingOptions {
  get(name: 'otlp_endpoint' | 'otlp_ca_file'): string;
  get(name: 'otlp_headers'): Dict;
}

/** What tracing needs. */
export interface TracingDeps {
  /** The program's name. */
  readonly service: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Traces of a running program. */
export interface Tracing {
  /** Undefined when nobody wants to know. */
  readonly tracer: Tracer | undefined;
  /** Figures for Prometheus. */
  samples(): Sample[];
  /** Sends what waits. @param withinMs no longer than this; a daemon's {@link CLOSE_MS} without it */
  close(withinMs?: number): Promise<void>;
}

/** So long a daemon that stops waits for the collector. */
const CLOSE_MS = 2_000;
/** Where a collector takes traces, below its address. */
const PATH = '/v1/traces';

const NONE: Tracing = { tracer: undefined, samples: () => [], close: () => Promise.resolve() };

/** @throws ConfigError for options that mean nothing */
export async function openTracing(
  opts: TracingOptions,
  { service, clock, random, log }: TracingDeps,
): Promise<Tracing> {
  const endpoint = opts.get('otlp_endpoint');
  if (endpoint === '') return NONE;
  const [{ SpanExporter }, { makeTracer }, { headersOption, urlOption, verifyOption }] = await Promise.all([
    import('./exporter.ts'),
    import('./tracer.ts'),
    import('../../network/http/client.ts'),
  ]);
  const url = urlOption(endpoint, 'otlp_endpoint');
  // as OpenTelemetry has it: the address of the collector, to which the path of the signal is added
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/$/, '') + PATH;
  const exporter = new SpanExporter({
    url,
    headers: headersOption(opts.get('otlp_headers'), 'otlp_headers'),
    verify: verifyOption(opts.get('otlp_ca_file')),
    resource: { service, version: brineVersion, host: hostname(), pid: process.pid },
    clock,
    random,
    log,
  });
  return {
    tracer: makeTracer({ clock, random, ended: (span) => exporter.add(span) }),
    samples: () => exporter.samples(),
    close: (withinMs = CLOSE_MS) => exporter.close(withinMs),
  };
}
