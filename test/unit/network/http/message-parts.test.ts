/** Where one request ends and the next begins in the bytes of a connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageParts, type BodyFields } from '../../../../src/network/http/message-parts.ts';

/** Requests, each with what its head says of the body. */
const REQUESTS: readonly (readonly [bytes: string, fields: BodyFields])[] = [
  ['GET /a HTTP/1.1\r\nHost: x\r\n\r\n', {}],
  ['GET /b HTTP/1.1\n\n', {}],
  ['POST /c HTTP/1.1\r\nContent-Length: 9\r\n\r\n\r\n\r\nab\r\nc', { 'content-length': '9' }],
  [
    'POST /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n\r\n\r\nab\r\n1\r\n\n\r\n0\r\n\r\n',
    { 'transfer-encoding': 'chunked' },
  ],
  [
    'POST /e HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\nT: y\r\n\r\n',
    { 'transfer-encoding': 'chunked' },
  ],
  ['POST /f HTTP/1.1\r\nContent-Length: 0\r\n\r\n', { 'content-length': '0' }],
];

/**
 * Divides the requests, which come in pieces of a size.
 * @returns the places at which it was looked whether one has ended
 */
function ends(pieceBytes: number): Set<number> {
  const all = Buffer.from(REQUESTS.map(([bytes]) => bytes).join(''));
  const headEnds = new Map<number, BodyFields>();
  let offset = 0;
  for (const [bytes, fields] of REQUESTS) {
    const head = /\r?\n\r?\n/.exec(bytes) as RegExpExecArray;
    headEnds.set(offset + head.index + head[0].length, fields);
    offset += bytes.length;
  }
  const parts = new MessageParts();
  const out = new Set<number>();
  for (let at = 0; at < all.length;) {
    const taken = parts.take(all.subarray(at, at + pieceBytes));
    assert.ok(taken > 0);
    at += taken;
    out.add(at);
    const fields = headEnds.get(at);
    if (fields !== undefined) parts.expectBody(fields);
  }
  return out;
}

test('API connections - no part of the bytes reaches from one request into the next, however they come', () => {
  for (const size of [1, 2, 3, 5, 7, 16, 50, 10_000]) {
    const found = ends(size);
    let at = 0;
    for (const [bytes] of REQUESTS) {
      at += bytes.length;
      assert.ok(found.has(at), `pieces of ${size} bytes, after ${JSON.stringify(bytes)}`);
    }
  }
});

test('API connections - what is no length of a chunk is handed on, and another protocol as it comes', () => {
  const parts = new MessageParts();
  parts.expectBody({ 'transfer-encoding': 'chunked' });
  const odd = Buffer.from(`${'z'.repeat(1000)}\r\n`);
  assert.equal(parts.take(odd), odd.length);
  parts.expectAll();
  const frames = Buffer.from('\r\n\r\n\r\n\r\n');
  assert.equal(parts.take(frames), frames.length);
});

test('API connections - empty lines before a request are handed on together, and the next request is not', () => {
  const parts = new MessageParts();
  const empty = Buffer.from('\r\n'.repeat(10_000));
  assert.equal(parts.take(empty), empty.length);
  const request = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
  const both = Buffer.from(`\r\n\n${request}\r\n\r\n${request}`);
  assert.equal(parts.take(both), 3 + request.length);
  assert.equal(parts.take(both.subarray(3 + request.length)), 4 + request.length);
});
