/**
 * Brings spans to a collector, by OTLP over HTTP in JSON. Nobody ever waits for it: what does not fit into the queue is
 * counted and forgotten, and so is what the collector does not take after some attempts.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { sendHttp, type HttpReply } from '../../network/http/client.ts';
import { samplesOf, sample, type Sample } from '../metrics/sample.ts';
import { exportRequest, rejectedSpans, type Resource } from './otlp.ts';
import type { EndedSpan } from './tracer.ts';

/** Spans that wait; one takes about 600 bytes. */
const QUEUE_MAX = 8_192;
const BATCH_MAX = 512;
/** Spans are gathered for so long, so that a job of many minions is few requests. */
const GATHER_MS = 1_000;
const REQUEST_MS = 10_000;
/** Waits between attempts double from the first to the second, less a random part. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const ATTEMPTS_MAX = 5;
/** What OTLP allows to be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Where spans go, and how. */
export interface ExporterDeps {
  /** The whole address. */
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  /** The file of the certificates to trust; true for the system's. */
  readonly verify: boolean | string;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Why spans did not arrive. */
type Loss = 'queue full' | 'refused' | 'unreachable';

/** A queue of spans, and what empties it. */
export class SpanExporter {
  readonly #deps: ExporterDeps;
  readonly #queue: EndedSpan[] = [];
  readonly #lost = new Map<Loss, number>();
  readonly #closing = new AbortController();
  #sent = 0;
  #timer: Timer | undefined;
  #work: Promise<void> | undefined;
  #isDown = false;
  /** When whoever closes wants to be through. */
  #untilMs = Infinity;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
  }

  /** Takes a span; returns at once. */
  add(span: EndedSpan): void {
    if (this.#closing.signal.aborted || this.#queue.length >= QUEUE_MAX) return this.#lose('queue full', 1);
    this.#queue.push(span);
    if (this.#work !== undefined) return;
    if (this.#queue.length >= BATCH_MAX) return this.#start();
    this.#timer ??= this.#deps.clock.after(GATHER_MS, () => this.#start(), { background: true });
  }

  /** Figures for Prometheus. */
  samples(): Sample[] {
    return [
      sample('brine_trace_spans_sent_total', this.#sent),
      ...samplesOf('brine_trace_spans_dropped_total', this.#lost),
      sample('brine_trace_spans_waiting', this.#queue.length),
      sample('brine_trace_spans_waiting_limit', QUEUE_MAX),
    ];
  }

  /** Sends what waits, in one attempt each and no longer than this. */
  async close(withinMs: number): Promise<void> {
    const { clock } = this.#deps;
    this.#untilMs = clock.monotonicMs() + withinMs;
    this.#closing.abort();
    if (this.#queue.length > 0 && this.#work === undefined) this.#start();
    if (this.#work === undefined) return;
    const limit = new AbortController();
    await Promise.race([this.#work, clock.sleep(withinMs, limit.signal)]);
    limit.abort();
  }

  #start(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#work ??= this.#empty().finally(() => (this.#work = undefined));
  }

  async #empty(): Promise<void> {
    while (this.#queue.length > 0) {
      const spans = this.#queue.splice(0, BATCH_MAX);
      const loss = await this.#bring(spans);
      if (loss === undefined) continue;
      this.#lose(loss, spans.length);
      this.#say(loss);
    }
  }

  /** @returns why they did not arrive */
  async #bring(spans: readonly EndedSpan[]): Promise<Loss | undefined> {
    const body = exportRequest(this.#deps.resource, spans);
    for (let attempt = 1; ; attempt++) {
      const reply = await this.#post(body);
      if (reply !== undefined && reply.status >= 200 && reply.status < 300) {
        const refused = Math.min(rejectedSpans(reply.text), spans.length);
        this.#sent += spans.length - refused;
        if (refused > 0) this.#lose('refused', refused);
        this.#arrived();
        return undefined;
      }
      if (reply !== undefined && !RETRYABLE.has(reply.status)) return 'refused';
      if (attempt >= ATTEMPTS_MAX || this.#closing.signal.aborted) return 'unreachable';
      await this.#pause(attempt);
    }
  }

  /** @returns undefined when nobody has answered */
  async #post(body: string): Promise<HttpReply | undefined> {
    const { url, headers, verify, clock, log } = this.#deps;
    const leftMs = this.#untilMs - clock.monotonicMs();
    if (leftMs <= 0) return undefined;
    try {
      return await sendHttp({
        method: 'POST',
        url,
        headers: new Map([['content-type', 'application/json'], ...headers]),
        body,
        timeoutMs: Math.min(REQUEST_MS, leftMs),
        verify,
        clock,
        agent: 'brine',
      });
    } catch (error) {
      log.debug(`Spans could not be brought to the collector: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #pause(attempt: number): Promise<void> {
    const { clock, random } = this.#deps;
    const limitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    await clock.sleep(limitMs * (0.5 + random.fraction() / 2), this.#closing.signal);
  }

  #lose(loss: Loss, count: number): void {
    this.#lost.set(loss, (this.#lost.get(loss) ?? 0) + count);
  }

  /** Once for each time that the collector goes away. */
  #say(loss: Loss): void {
    const { url, log } = this.#deps;
    if (this.#isDown || this.#closing.signal.aborted) return;
    this.#isDown = true;
    log.warning(
      loss === 'refused'
        ? `otlp_endpoint: the collector at ${url.host} refuses traces. They are dropped and counted in brine_trace_spans_dropped_total; jobs go on. Look into its log.`
        : `otlp_endpoint: the collector at ${url.host} takes no traces now. They are dropped and counted in brine_trace_spans_dropped_total; jobs go on.`,
    );
  }

  #arrived(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#deps.log.info(`otlp_endpoint: the collector at ${this.#deps.url.host} takes traces again.`);
  }
}
