/**
 * A collector for tests: takes traces by OTLP over HTTP in JSON, and refuses what is not as
 * `opentelemetry/proto/trace/v1` and its mapping have it.
 */
import { startHttpStandIn, type HttpGiven, type HttpTaken } from './http-stand-in.ts';

/** A span as it came. */
export interface TakenSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly facts: ReadonlyMap<string, string>;
  readonly isError: boolean;
}

/** The collector while it runs. */
export interface Collector {
  readonly url: string;
  readonly requests: readonly HttpTaken[];
  readonly spans: TakenSpan[];
  /** What was wrong with requests. */
  readonly faults: string[];
}

/** Starts one. @param answer instead of taking a request, undefined to take it */
export async function startCollector(
  t: { after(run: () => void): void },
  answer: (request: HttpTaken) => HttpGiven | undefined = () => undefined,
): Promise<Collector> {
  const spans: TakenSpan[] = [];
  const faults: string[] = [];
  const { url, taken } = await startHttpStandIn(t, (request) => {
    const given = answer(request);
    if (given !== undefined) return given;
    try {
      spans.push(...readRequest(request));
    } catch (error) {
      faults.push(String(error));
      return { status: 400, body: '{}' };
    }
    return { body: '{"partialSuccess":{}}', headers: { 'content-type': 'application/json' } };
  });
  return { url, requests: taken, spans, faults };
}

function readRequest({ method, path, headers, body }: HttpTaken): TakenSpan[] {
  must(method === 'POST' && path === '/v1/traces', `${method} ${path}`);
  must(headers.get('content-type') === 'application/json', String(headers.get('content-type')));
  const request = fields(JSON.parse(body), ['resourceSpans']);
  return list(request['resourceSpans']).flatMap((each) => {
    const { resource, scopeSpans } = fields(each, ['resource', 'scopeSpans']);
    const service = attributes(fields(resource, ['attributes'])['attributes']).get('service.name');
    must(service !== undefined && service !== '', 'no service.name');
    return list(scopeSpans).flatMap((scoped) => {
      const { scope, spans } = fields(scoped, ['scope', 'spans']);
      must(typeof fields(scope, ['name', 'version'])['name'] === 'string', 'no name of the scope');
      return list(spans).map((span) => readSpan(span, service ?? ''));
    });
  });
}

const SPAN_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
];

function readSpan(value: unknown, service: string): TakenSpan {
  const span = fields(value, [...SPAN_FIELDS, 'attributes', 'status']);
  const text = (name: string, form: RegExp): string => {
    const given = span[name];
    must(typeof given === 'string' && form.test(given), `${name}: ${String(given)}`);
    return String(given);
  };
  const startNanos = BigInt(text('startTimeUnixNano', /^[1-9]\d{18}$/));
  const endNanos = BigInt(text('endTimeUnixNano', /^[1-9]\d{18}$/));
  must(endNanos >= startNanos, 'ends before it begins');
  const kind = Number(span['kind']);
  must(Number.isInteger(kind) && kind >= 1 && kind <= 5, `kind: ${String(span['kind'])}`);
  const status = fields(span['status'] ?? {}, ['code', 'message']);
  must([undefined, 0, 1, 2].includes(status['code'] as number | undefined), 'status');
  return {
    service,
    traceId: text('traceId', /^(?!0+$)[0-9a-f]{32}$/),
    spanId: text('spanId', /^(?!0+$)[0-9a-f]{16}$/),
    parentSpanId: span['parentSpanId'] === undefined ? '' : text('parentSpanId', /^(?!0+$)[0-9a-f]{16}$/),
    name: text('name', /./),
    kind,
    startNanos,
    endNanos,
    facts: attributes(span['attributes']),
    isError: status['code'] === 2,
  };
}

function attributes(value: unknown): Map<string, string> {
  const out = new Map<string, string>();
  for (const each of list(value)) {
    const { key, value: wrapped } = fields(each, ['key', 'value']);
    must(typeof key === 'string' && key !== '' && !out.has(key), `key of an attribute: ${String(key)}`);
    const [[kind = '', inside] = ['', undefined], ...more] = Object.entries(
      fields(wrapped, ['stringValue', 'intValue', 'boolValue', 'doubleValue']),
    );
    const isRight =
      (kind === 'stringValue' && typeof inside === 'string') ||
      (kind === 'intValue' && typeof inside === 'string' && /^-?\d+$/.test(inside)) ||
      (kind === 'boolValue' && typeof inside === 'boolean') ||
      (kind === 'doubleValue' && typeof inside === 'number');
    must(isRight && more.length === 0, `value of ${String(key)}: ${JSON.stringify(wrapped)}`);
    out.set(String(key), String(inside));
  }
  return out;
}

function fields(value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  must(typeof value === 'object' && value !== null && !Array.isArray(value), `no message: ${String(value)}`);
  const unknown = Object.keys(value as object).filter((name) => !known.includes(name));
  must(unknown.length === 0, `unknown fields: ${unknown.join(', ')}`);
  return value as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  must(Array.isArray(value), `no list: ${String(value)}`);
  return value as unknown[];
}

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}
