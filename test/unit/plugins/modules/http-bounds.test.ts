/** What `http.query` and its kin hold in memory, and what they say to places to which an answer leads. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { leadsElsewhere, mayGoElsewhere, redirectTarget } from '../../../../src/network/http/redirect.ts';
import { heldInMemory, httpSettings } from '../../../../src/storage/fileclient/get-url.ts';
import { httpJson } from '../../../../src/runtime/pillar/ext/http-json.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

interface Server {
  readonly url: string;
  readonly asked: IncomingMessage[];
}

async function serverOf(t: TestContext, answer: RequestListener): Promise<Server> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

function query(t: TestContext, opts: DictInit = {}): (url: string, keywords?: DictInit) => Promise<Dict> {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-http-'));
  t.after(() => rmSync(cachedir, { recursive: true }));
  const ctx = fakeContext({ opts: dict({ cachedir, ...opts }), clock: systemClock, random: systemRandom });
  return async (url, keywords = {}) => {
    const result: Value = await ctx.functions.call('http.query', [url], dict(keywords));
    assert.ok(isDict(result));
    return result;
  };
}

test('http bounds - an answer without an end is left, and the reason names the bound', async (t) => {
  let sentBytes = 0;
  const endless = await serverOf(t, (_request, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(piece)) sentBytes += piece.length;
    };
    response.on('drain', more);
    more();
  });
  const result = await query(t, { http_max_body: 1_000_000 })(endless.url);
  assert.match(
    String(result.get('error')),
    /^The answer is larger than http_max_body allows \(1000000 bytes\)/,
  );
  assert.ok(sentBytes < 64 * 1024 * 1024);
});

test('http bounds - what is held in memory has a bound where no option sets one', () => {
  assert.equal(heldInMemory(httpSettings(dict())).bodyBytesMax, 100 * 1024 * 1024);
  assert.equal(
    heldInMemory(httpSettings(dict({ http_max_body: 107_374_182_400 }))).bodyBytesMax,
    104_857_600,
  );
  assert.equal(heldInMemory(httpSettings(dict({ http_max_body: 500 }))).bodyBytesMax, 500);
  assert.equal(httpSettings(dict()).bodyBytesMax, 107_374_182_400);
});

test('http bounds - an answer that unpacks to more than it may be is refused', async (t) => {
  const bomb = gzipSync(Buffer.alloc(4_000_000));
  const server = await serverOf(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  await assert.rejects(
    query(t, { http_max_body: 1_000_000 })(server.url, { decode_body: false, text: true }),
    /larger than http_max_body allows \(1000000 bytes\)/,
  );
});

test('http bounds - headers that somebody made up stay with the place they were given for', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const elsewhere = await serverOf(t, (_request, response) => void response.end('{}'));
    const first = await serverOf(t, (_request, response) => {
      response.writeHead(status, { location: elsewhere.url }).end();
    });
    const secret = { 'X-Api-Key': 'geheim', 'PRIVATE-TOKEN': 'geheim', Cookie: 'a=geheim', Accept: 'text/x' };
    await query(t)(first.url, { header_dict: dict(secret), username: 'ann', password: 'geheim' });
    assert.equal(first.asked[0]?.headers['x-api-key'], 'geheim');
    const [there] = elsewhere.asked;
    assert.ok(there !== undefined, String(status));
    assert.doesNotMatch(JSON.stringify(there.rawHeaders), /geheim|YW5uOmdlaGVpbQ/);
    assert.equal(there.headers.accept, 'text/x');
  }
});

test('http bounds - within one place they go along, back from another one they do not', async (t) => {
  const answers: string[] = [];
  const first = await serverOf(t, (request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
    else if (request.url === '/next') response.writeHead(302, { location: elsewhere.url }).end();
    else response.end('{}');
    answers.push(String(request.headers['x-api-key']));
  });
  const elsewhere = await serverOf(t, (_request, response) => {
    response.writeHead(302, { location: `${first.url}back` }).end();
  });
  await query(t)(first.url, { header_list: ['X-Api-Key: geheim'] });
  assert.deepEqual(answers, ['geheim', 'geheim', 'undefined']);
});

test('http bounds - a session shows its cookies to the place that has set them only', async (t) => {
  const first = await serverOf(t, (_request, response) => {
    response.writeHead(200, { 'set-cookie': 'sid=geheim' }).end('{}');
  });
  const other = await serverOf(t, (_request, response) => void response.end('{}'));
  const ask = query(t);
  for (const { url } of [first, other, first]) await ask(url, { persist_session: true });
  assert.deepEqual(
    first.asked.map(({ headers }) => headers.cookie),
    [undefined, 'sid=geheim'],
  );
  assert.equal(other.asked[0]?.headers.cookie, undefined);
});

test('http bounds - the external pillar http_json keeps its headers to the configured place', async (t) => {
  const elsewhere = await serverOf(t, (_request, response) => void response.end('{"a": 1}'));
  const first = await serverOf(t, (_request, response) => {
    response.writeHead(302, { location: elsewhere.url }).end();
  });
  const settings = dict({ url: first.url, header_dict: dict({ 'X-Token': 'geheim' }), username: 'ann' });
  const world = { minionId: 'web1', grains: dict(), opts: dict(), log: { error: () => undefined } };
  const pillar = await httpJson()(settings, world as unknown as Parameters<ReturnType<typeof httpJson>>[1]);
  assert.deepEqual(pillar, dict({ a: 1 }));
  assert.equal(first.asked[0]?.headers['x-token'], 'geheim');
  assert.equal(elsewhere.asked[0]?.headers['x-token'], undefined);
  assert.equal(elsewhere.asked[0]?.headers.authorization, undefined);
});

test('http bounds - where a redirect leads', () => {
  const from = new URL('https://a.example:8443/x');
  const cases: [string, boolean][] = [
    ['/y', false],
    ['https://a.example:8443/z', false],
    ['https://a.example/z', true],
    ['http://a.example:8443/z', true],
    ['https://b.example:8443/z', true],
    ['//b.example/z', true],
    ['https://A.EXAMPLE:8443/z', false],
    ['https://a.example.:8443/z', true],
  ];
  for (const [location, isElsewhere] of cases) {
    const to = redirectTarget(from, location);
    assert.ok(to !== undefined);
    assert.equal(leadsElsewhere(from, to), isElsewhere, location);
  }
  for (const location of ['file:///etc/passwd', 'ftp://a.example/', 'data:text/plain,x', 'http://'])
    assert.equal(redirectTarget(from, location), undefined, location);
  const plain = new URL('http://a.example/x');
  assert.equal(leadsElsewhere(plain, new URL('https://a.example/x')), false);
  for (const name of ['authorization', 'Cookie', 'X-Consul-Token', 'proxy-authorization', 'apikey'])
    assert.equal(mayGoElsewhere(name), false);
});
