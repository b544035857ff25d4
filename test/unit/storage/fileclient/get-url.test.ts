import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FileClient } from '../../../../src/storage/fileclient/client.ts';
import {
  getUrl,
  httpSettings,
  type Fetched,
  type GetUrlOptions,
} from '../../../../src/storage/fileclient/get-url.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type DictInit } from '../../../../src/python/values/value.ts';
import { makeTree } from '../fileserver/tree.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Web {
  readonly folder: string;
  readonly base: string;
  readonly seen: IncomingMessage[];
  get(
    path: string,
    dest?: string | null,
    options?: Partial<GetUrlOptions>,
    opts?: DictInit,
  ): Promise<Fetched>;
}

async function web(t: TestContext, answer: Answer): Promise<Web> {
  const { folder } = makeTree(t);
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new FileClient({
    send: () => Promise.reject(new Error('not asked')),
    cachedir: join(folder, 'cache'),
    hashType: 'sha256',
    log: silentLogger,
  });
  return {
    folder,
    base,
    seen,
    get: (path, dest = '', options = {}, opts = {}) =>
      getUrl(client, path.startsWith('/') ? base + path : path, dest ?? undefined, {
        saltenv: 'base',
        makedirs: false,
        verifySsl: true,
        useEtag: false,
        settings: httpSettings(dict(opts)),
        clock: systemClock,
        ...options,
      }),
  };
}

test('get_url - a file from the web goes to a path, a folder, or the cache', async (t) => {
  const { folder, get, base } = await web(t, (_, response) => response.end('page'));
  const host = base.slice('http://'.length).replace(':', '');
  assert.deepEqual(await get('/a/b.txt'), { path: join(folder, 'cache/extrn_files/base', host, 'a/b.txt') });
  mkdirSync(join(folder, 'out'));
  assert.deepEqual(await get('/a/b.txt', `${folder}/out/`), { path: join(folder, 'out/b.txt') });
  assert.deepEqual(await get('/', join(folder, 'out')), { path: join(folder, 'out/index.html') });
  assert.equal(await get('/x', join(folder, 'none/x')), undefined);
  assert.deepEqual(await get('/x', join(folder, 'none/x'), { makedirs: true }), {
    path: join(folder, 'none/x'),
  });
  assert.equal(readFileSync(join(folder, 'none/x'), 'utf8'), 'page');
});

test('get_url - without a destination the content itself comes, as text or bytes', async (t) => {
  const { get } = await web(t, (request, response) => {
    response.setHeader('content-type', request.url === '/text' ? 'text/plain' : 'application/octet-stream');
    response.end('grün');
  });
  assert.deepEqual(await get('/text', null), { content: 'grün' });
  assert.deepEqual(await get('/bytes', null), { content: Buffer.from('grün') });
});

test('get_url - redirects are followed, and credentials stay with their host', async (t) => {
  const other = await web(t, (_, response) => response.end('there'));
  const { get, seen, base } = await web(t, (request, response) => {
    if (request.url === '/loop') return void response.writeHead(302, { location: '/loop' }).end('no');
    response
      .writeHead(302, { location: request.url === '/near' ? '/away' : `${other.base}/end` })
      .end('not this');
  });
  assert.deepEqual(await get(base.replace('//', '//user:p%40ss@') + '/near', null), {
    content: Buffer.from('there'),
  });
  assert.equal(seen[0]?.headers.authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  assert.ok(seen[1]?.headers.authorization !== undefined);
  assert.equal(other.seen[0]?.headers.authorization, undefined);
  await assert.rejects(get('/loop'), /Too many redirects reading \/loop/);
});

test('get_url - errors name the status and the path, and leave nothing behind', async (t) => {
  const { get, folder } = await web(t, (request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
      return;
    }
    response.writeHead(404).end('nothing here');
  });
  const dest = join(folder, 'f');
  await assert.rejects(get('/none', dest), {
    name: 'MinionError',
    message: 'Error: HTTP 404: Not Found reading /none',
  });
  await assert.rejects(get('/cut', dest), { name: 'MinionError' });
  await assert.rejects(get('/none', dest, {}, { http_max_body: 1 }));
  assert.ok(!existsSync(dest));
  await assert.rejects(get('http://127.0.0.1:1/x', dest), /\[Errno 111\] Connection refused reading \/x/);
  await assert.rejects(get('ftp://host/x', dest), /ftp:\/\/ cannot be fetched/);
  await assert.rejects(get('s3://bucket/x', dest), /s3:\/\/ cannot be fetched/);
});

test('get_url - a cached file with the right sum or etag is not fetched again', async (t) => {
  const { get, seen } = await web(t, (request, response) => {
    if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"v1"' }).end('content');
  });
  const sum = createHash('md5').update('content').digest('hex');
  await get('/f');
  await get('/f', '', { sourceHash: `md5=${sum}` });
  assert.equal(seen.length, 1);
  const first = (await get('/e', '', { useEtag: true })) as { path: string };
  utimesSync(first.path, 1, 1);
  await get('/e', '', { useEtag: true });
  assert.equal(seen.length, 3);
  assert.equal(readFileSync(first.path, 'utf8'), 'content');
});

test('get_url - a proxy is asked when there is one, but for the hosts that need none', async (t) => {
  const proxy = await web(t, (request, response) => response.end(request.url));
  const { get } = await web(t, (_, response) => response.end('direct'));
  const { port } = new URL(proxy.base);
  const opts = {
    proxy_host: '127.0.0.1',
    proxy_port: Number(port),
    proxy_username: 'u',
    proxy_password: 'p',
  };
  assert.deepEqual(await get('http://far.example/x?y', null, {}, opts), {
    content: Buffer.from('http://far.example/x?y'),
  });
  assert.equal(
    proxy.seen[0]?.headers['proxy-authorization'],
    `Basic ${Buffer.from('u:p').toString('base64')}`,
  );
  assert.deepEqual(await get('/x', null, {}, { ...opts, no_proxy: ['127.0.0.1'] }), {
    content: Buffer.from('direct'),
  });
});

test('get_url - files of this machine are named, or read', async (t) => {
  const { get, folder } = await web(t, (_, response) => response.end());
  assert.deepEqual(await get(`file://${folder}`), { path: folder });
  assert.deepEqual(await get('file:///etc/hostname', null), { content: readFileSync('/etc/hostname') });
  await assert.rejects(get('relative/path'), { message: "Path 'relative/path' is not absolute" });
});
