import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiClient } from '../../../src/api-client/client.ts';

const EVENT = 'event: event\nid: 1\ndata: {"tag":"a","data":{}}\n\n';

/** What reading a body gives once its request is broken off, which differs by the moment. */
const ENDS: Readonly<Record<string, (body: ReadableStreamDefaultController<Uint8Array>) => void>> = {
  'the body just ends': (body) => body.close(),
  'the body fails for a reason of its own': (body) => body.error(new TypeError('terminated')),
  'more had arrived': (body) => body.enqueue(new TextEncoder().encode(EVENT)),
};

test('API client - a stream that is broken off throws the reason, whatever its body does', async () => {
  for (const [what, end] of Object.entries(ENDS)) {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        body = controller;
        controller.enqueue(new TextEncoder().encode(EVENT + EVENT));
      },
    });
    const api = new ApiClient({ url: 'http://x', fetch: () => Promise.resolve(new Response(stream)) });
    const stop = new AbortController();
    let seen = 0;
    const reading = async (): Promise<void> => {
      for await (const { event } of api.stream('events', {}, { signal: stop.signal })) {
        assert.equal(event, 'event');
        seen++;
        stop.abort(new Error('enough'));
        if (body !== undefined) end(body);
      }
    };
    await assert.rejects(reading, { message: 'enough' }, what);
    assert.equal(seen, 1, what);
  }
});

test('API client - an error in a stream that nobody has broken off is thrown as it is, and an end is one', async () => {
  const answering = (read: (body: ReadableStreamDefaultController<Uint8Array>) => void): ApiClient =>
    new ApiClient({
      url: 'http://x',
      fetch: () => Promise.resolve(new Response(new ReadableStream({ pull: read }))),
    });
  const all = async (api: ApiClient): Promise<number> => {
    let seen = 0;
    for await (const { id } of api.stream('events', {})) seen += Number(id);
    return seen;
  };
  await assert.rejects(all(answering((body) => body.error(new TypeError('terminated')))), /terminated/);
  let isSent = false;
  const whole = answering((body) => {
    if (isSent) return body.close();
    isSent = true;
    body.enqueue(new TextEncoder().encode(EVENT));
  });
  assert.equal(await all(whole), 1);
});
