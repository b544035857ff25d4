/**
 * Streams of server-sent events that come back by themselves and go on after the last event that was seen. They are
 * read with `fetch`: `EventSource` does not tell a session that is over from a server that is away.
 */
import { sleep } from '../model/clock.ts';
import { SseParser } from '../model/sse.ts';
import { ApiError, type Http, type Query } from './http.ts';

const RETRY_FIRST_MS = 250;
const RETRY_MOST_MS = 5000;

/** Who reads a stream. */
export interface StreamHandlers {
  /** @param data what the event carries, already read as JSON */
  readonly event: (name: string, data: unknown) => void;
  /** The stream is there. @param isAgain it had been lost before */
  readonly opened?: (isAgain: boolean) => void;
  /** The stream is lost; it is tried again. */
  readonly lost?: () => void;
  /** It cannot be had: no right to it, or nothing there. */
  readonly refused?: (error: ApiError) => void;
}

/** Reads a stream until it ends or is ended. @returns ends it */
export function openStream(http: Http, path: string, query: Query, handlers: StreamHandlers): () => void {
  const closed = new AbortController();
  void follow(http, path, query, handlers, closed.signal);
  return () => closed.abort();
}

async function follow(
  http: Http,
  path: string,
  query: Query,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  const place = { lastId: undefined as string | undefined, openings: 0 };
  let waitMs = RETRY_FIRST_MS;
  while (!signal.aborted) {
    try {
      const isOver = await readOnce(http, path, query, handlers, signal, place);
      if (isOver) return;
      waitMs = RETRY_FIRST_MS;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && isFinal(error)) {
        handlers.refused?.(error);
        if (error.status !== 401) return;
      }
    }
    if (signal.aborted) return;
    handlers.lost?.();
    await sleep(waitMs, signal);
    waitMs = Math.min(waitMs * 2, RETRY_MOST_MS);
  }
}

function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 429 && status !== 408;
}

/** @returns true when the stream has said that it is over */
async function readOnce(
  http: Http,
  path: string,
  query: Query,
  handlers: StreamHandlers,
  signal: AbortSignal,
  place: { lastId: string | undefined; openings: number },
): Promise<boolean> {
  const { body } = await http.stream(path, query, signal, place.lastId);
  if (body === null) return false;
  handlers.opened?.(place.openings++ > 0);
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return false;
    for (const event of parser.feed(decoder.decode(value, { stream: true }))) {
      if (event.id !== undefined) place.lastId = event.id;
      const data = parsed(event.data);
      if (data !== undefined) handlers.event(event.name, data);
      if (event.name === 'end') return true;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
