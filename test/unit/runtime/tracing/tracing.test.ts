/** Traces: the context that travels, and the queue before the collector. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { handedOn, readTraceparent } from '../../../../src/runtime/tracing/context.ts';
import { SpanExporter } from '../../../../src/runtime/tracing/exporter.ts';
import { openTracing } from '../../../../src/runtime/tracing/open.ts';
import { rejectedSpans } from '../../../../src/runtime/tracing/otlp.ts';
import { makeTracer, type EndedSpan, type Tracer } from '../../../../src/runtime/tracing/tracer.ts';
import { startCollector } from '../../../support/otlp-stand-in.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('traces - a context is read as W3C has it, and nothing else is handed on', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), {
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
  });
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false);
  // a later version may say more, which is not handed on
  assert.equal(handedOn(`cc-${TRACE}-${SPAN}-09-more`), `00-${TRACE}-${SPAN}-01`);
  for (const wrong of [
    undefined,
    null,
    7,
    '',
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`,
    new Map(),
  ])
    assert.equal(handedOn(wrong), undefined, String(wrong));
});

function keptTracer(): { tracer: Tracer; kept: EndedSpan[] } {
  const kept: EndedSpan[] = [];
  const tracer = makeTracer({ clock: systemClock, random: systemRandom, ended: (span) => kept.push(span) });
  return { tracer, kept };
}

test('traces - a span belongs to its parent; one that nobody wants is not kept; texts are bounded', () => {
  const { tracer, kept } = keptTracer();
  const root = tracer.start('a', { kind: 'client', parent: 'nonsense' });
  const child = tracer.start('b'.repeat(1000), {
    kind: 'server',
    parent: root.traceparent,
    facts: { long: 'x'.repeat(1000), none: undefined },
  });
  child.end({ isError: true });
  child.end();
  root.end();
  tracer.start('c', { kind: 'internal', parent: `00-${TRACE}-${SPAN}-00` }).end();
  assert.deepEqual(
    kept.map(({ name, isError }) => [name.length, isError]),
    [
      [200, true],
      [1, false],
    ],
  );
  assert.equal(kept[0]?.parentSpanId, kept[1]?.spanId);
  assert.equal(kept[0]?.traceId, kept[1]?.traceId);
  assert.equal(kept[1]?.parentSpanId, undefined);
  assert.equal(String(kept[0]?.facts['long']).length, 200);
});

function exporterTo(url: string): SpanExporter {
  return new SpanExporter({
    url: new URL(`${url}/v1/traces`),
    headers: new Map([['authorization', 'Bearer 1']]),
    verify: true,
    resource: { service: 'test', version: '1', host: 'here', pid: 1 },
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
}

function fill(exporter: SpanExporter, count: number): void {
  const tracer = makeTracer({
    clock: systemClock,
    random: systemRandom,
    ended: (span) => exporter.add(span),
  });
  for (let i = 0; i < count; i++)
    tracer
      .start('x', {
        kind: 'internal',
        parent: undefined,
        facts: { whole: 3, part: 0.5, truth: true, text: 'ü' },
      })
      .end({ isError: i === 0 });
}

const figures = (exporter: SpanExporter): Record<string, unknown> =>
  Object.fromEntries(
    exporter.samples().map(({ name, labels, value }) => [[name, ...labels].join(' '), value]),
  );

test('traces - the queue is bounded, and what does not fit is counted', async (t: TestContext) => {
  const collector = await startCollector(t);
  const exporter = exporterTo(collector.url);
  fill(exporter, 10_000);
  await exporter.close(10_000);
  const now = figures(exporter);
  const sent = Number(now['brine_trace_spans_sent_total']);
  assert.deepEqual(collector.faults, []);
  assert.equal(collector.spans.length, sent);
  assert.equal(sent + Number(now['brine_trace_spans_dropped_total queue full']), 10_000);
  assert.ok(sent >= 8_192, String(sent));
  assert.equal(collector.requests[0]?.headers.get('authorization'), 'Bearer 1');
  assert.equal(collector.spans.filter(({ isError }) => isError).length, 1);
  assert.deepEqual(
    [...(collector.spans[0]?.facts ?? [])],
    [
      ['whole', '3'],
      ['part', '0.5'],
      ['truth', 'true'],
      ['text', 'ü'],
    ],
  );
});

test('traces - what may be sent again is sent again, what is refused is not', async (t: TestContext) => {
  let requests = 0;
  const busy = await startCollector(t, () => (++requests === 1 ? { status: 503 } : undefined));
  const patient = exporterTo(busy.url);
  fill(patient, 512);
  while (busy.spans.length < 512) await systemClock.sleep(20);
  await patient.close(1_000);
  assert.equal(figures(patient)['brine_trace_spans_sent_total'], 512);

  const strict = await startCollector(t, () => ({ status: 401 }));
  const refused = exporterTo(strict.url);
  fill(refused, 3);
  await refused.close(1_000);
  assert.equal(figures(refused)['brine_trace_spans_dropped_total refused'], 3);
  assert.equal(strict.requests.length, 1);

  const partial = await startCollector(t, () => ({
    body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}}',
  }));
  const some = exporterTo(partial.url);
  fill(some, 3);
  await some.close(1_000);
  const now = figures(some);
  assert.deepEqual(
    [now['brine_trace_spans_sent_total'], now['brine_trace_spans_dropped_total refused']],
    [1, 2],
  );
  assert.deepEqual(
    ['', '[]', '{"partialSuccess":7}', '{"partialSuccess":{"rejectedSpans":-1}}'].map(rejectedSpans),
    [0, 0, 0, 0],
  );
});

test('traces - whoever closes waits no longer than he says, also for a collector that never answers', async (t: TestContext) => {
  const collector = await startCollector(t, () => ({ hang: true }));
  const exporter = exporterTo(collector.url);
  fill(exporter, 5);
  const beganMs = systemClock.monotonicMs();
  await exporter.close(100);
  assert.ok(systemClock.monotonicMs() - beganMs < 2_000);
});

test('traces - without an address nothing is loaded, and nothing is counted', async () => {
  const opts = { get: (name: string): never => (name === 'otlp_headers' ? new Map() : '') as never };
  const tracing = await openTracing(opts, {
    service: 'x',
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  assert.equal(tracing.tracer, undefined);
  assert.deepEqual(tracing.samples(), []);
  await tracing.close();
});
