import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { exchange, type HttpRequest } from '../../../../src/plugins/http/module/exchange.ts';

const file = (name: string): string =>
  join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test', 'fixtures', 'tls', name);

/** A server that notes which certificates it is shown. */
async function server(t: TestContext, location?: string): Promise<{ url: string; shown: string[] }> {
  const shown: string[] = [];
  const options = { cert: readFileSync(file('master.crt')), key: readFileSync(file('master.key')) };
  const listening = createServer(
    { ...options, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const peer = (request.socket as TLSSocket).getPeerCertificate();
      shown.push(Object.keys(peer).length > 0 ? 'certificate' : 'nothing');
      response
        .writeHead(location === undefined ? 200 : 307, location === undefined ? {} : { location })
        .end();
    },
  ).listen(0, '127.0.0.1');
  t.after(() => listening.close());
  await once(listening, 'listening');
  return { url: `https://127.0.0.1:${(listening.address() as AddressInfo).port}/`, shown };
}

test('http - a redirect to another host is not shown the certificate that was meant for the first', async (t) => {
  const elsewhere = await server(t);
  const first = await server(t, elsewhere.url);
  const request: HttpRequest = {
    url: new URL(first.url),
    method: 'GET',
    headers: new Map(),
    body: undefined,
    auth: undefined,
    verifySsl: false,
    cert: { certificate: file('minion.crt'), key: file('minion.key') },
    settings: {
      connectTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      bodyBytesMax: 1_000,
      noProxy: [],
    } as unknown as HttpRequest['settings'],
    clock: systemClock,
    signal: new AbortController().signal,
  };
  assert.equal((await exchange(request)).status, 200);
  assert.deepEqual([first.shown, elsewhere.shown], [['certificate'], ['nothing']]);
});
