/**
 * Buckets as environments and as pillar, against a stand-in of S3: signatures, pages, changes, and what a hostile
 * bucket may cost.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { Secret } from '../../../src/host/secret.ts';
import { s3Headers } from '../../../src/network/http/s3-store.ts';
import { dict, type Dict, type Value } from '../../../src/python/values/value.ts';
import { PillarService } from '../../../src/runtime/pillar/service.ts';
import type { FileServer } from '../../../src/storage/fileserver/file-server.ts';
import { isFetched } from '../../../src/storage/fileserver/fetched.ts';
import { openFileServer } from '../../../src/storage/fileserver/open.ts';
import { updateRemotes, type RemotesUpdate } from '../../../src/storage/remotes/update-remotes.ts';
import { startHttpStandIn, type HttpStandIn } from '../../support/http-stand-in.ts';

const KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

test('s3 - requests are signed as botocore 1.29 signs them', () => {
  const keys = { keyId: 'AKIDEXAMPLE', key: new Secret(KEY), location: 'eu-west-1' };
  for (const [path, signature] of [
    ['?list-type=2', 'c4eb4bcbef873cc8c0fcad1636975afbc3ffddfe026457150032b368cf07f4c5'],
    [
      '?continuation-token=a%2Fb%3D%3D&list-type=2',
      'a49832c33b4d5da63b42483155edb421c02659a26ea126d7b54d53eada491a93',
    ],
    ['web/a%20b%2B%C3%A4%28x%29.sls', 'cc6e67df3b3250ae4a2533a0993930c70045d0e791c3e5a946071ee8bb54d2d0'],
  ] as const) {
    const url = new URL(`http://127.0.0.1:9000/states/${path}`);
    const headers = s3Headers(url, keys, Date.UTC(2026, 0, 2, 3, 4, 5));
    assert.equal(
      headers.get('authorization'),
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/s3/aws4_request, ' +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
  }
});

/** Objects by bucket and key; two to a page. */
type Buckets = Map<string, Map<string, string>>;

async function startS3(t: TestContext, buckets: Buckets): Promise<HttpStandIn> {
  return startHttpStandIn(t, ({ path }) => {
    const url = new URL(path, 'http://h');
    const [, name = '', ...words] = url.pathname.split('/').map(decodeURIComponent);
    const bucket = buckets.get(name);
    if (bucket === undefined)
      return { status: 404, body: '<Error><Code>NoSuchBucket</Code><Message>not there</Message></Error>' };
    if (!url.searchParams.has('list-type')) return { body: bucket.get(words.join('/')) ?? '' };
    const all = [...bucket.keys()]
      .filter((key) => key.startsWith(url.searchParams.get('prefix') ?? ''))
      .sort();
    const from = Number(url.searchParams.get('continuation-token') ?? 0);
    const page = all.slice(from, from + 2).map((key) => {
      const text = bucket.get(key) ?? '';
      return `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><ETag>&quot;${text.length}${text.slice(0, 9)}&quot;</ETag><Size>${text.length}</Size></Contents>`;
    });
    const more = from + 2 < all.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
    return {
      body: `<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more !== ''}</IsTruncated>${more}${page.join('')}</ListBucketResult>`,
    };
  });
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const optionsOf = (server: HttpStandIn, more: Record<string, Value>): Record<string, Value> => ({
  's3.keyid': 'ID',
  's3.key': KEY,
  's3.service_url': `127.0.0.1:${server.port}`,
  's3.path_style': true,
  's3.https_enable': false,
  ...more,
});

function fileServer(
  cachedir: string,
  options: Record<string, Value>,
): { server: FileServer; update(): Promise<RemotesUpdate> } {
  const opts = dict({ cachedir, fileserver_backend: ['s3fs'], ...options });
  const server = openFileServer({ opts, clock: systemClock, random: systemRandom, log: silentLogger });
  const update = (): Promise<RemotesUpdate> =>
    updateRemotes(
      server.backends.filter(isFetched).flatMap(({ remotes }) => remotes),
      { clock: systemClock, log: silentLogger },
      { role: 's3fs' },
    );
  return { server, update };
}

async function textOf(server: FileServer, path: string, saltenv = 'base'): Promise<string> {
  const answer = (await server.commands.get('_serve_file')?.(dict({ path, saltenv, loc: 0 }))) as Dict;
  const data = answer.get('data');
  return data instanceof Uint8Array ? Buffer.from(data).toString() : String(data);
}

test('s3fs - buckets by environment: what changes is fetched, what goes is removed, the rest is asked for no second time', async (t) => {
  const one = new Map([
    ['top.sls', 'top'],
    ['web/a b&c.sls', 'a'],
    ['web/folder/', ''],
    ['web/init.sls', 'web'],
  ]);
  const s3 = await startS3(
    t,
    new Map([
      ['first', one],
      [
        'second',
        new Map([
          ['top.sls', 'other'],
          ['x', 'y'],
        ]),
      ],
    ]),
  );
  const buckets = dict({ base: ['first', 'second'], prod: 'second' });
  const { server, update } = fileServer(folderOf(t), optionsOf(s3, { 's3.buckets': buckets }));
  assert.deepEqual(await update(), { isChanged: true, faults: [] });
  assert.deepEqual(server.environments(), ['base', 'prod']);
  assert.deepEqual(await server.list('base', 'files'), ['top.sls', 'web/a b&c.sls', 'web/init.sls', 'x']);
  assert.deepEqual(
    [await textOf(server, 'top.sls'), await textOf(server, 'top.sls', 'prod')],
    ['top', 'other'],
  );
  assert.equal(await textOf(server, 'web/a b&c.sls'), 'a');
  const asked = s3.taken.length;
  assert.deepEqual(await update(), { isChanged: false, faults: [] });
  assert.ok(s3.taken.slice(asked).every(({ path }) => path.includes('list-type=2')));
  one.set('top.sls', 'newer');
  one.delete('web/init.sls');
  one.set('web/folder/deep', 'd');
  assert.equal((await update()).isChanged, true);
  assert.equal(await textOf(server, 'top.sls'), 'newer');
  assert.deepEqual(await server.list('base', 'files'), ['top.sls', 'web/a b&c.sls', 'web/folder/deep', 'x']);
});

test('s3fs - environments as the first folders of a bucket', async (t) => {
  const s3 = await startS3(
    t,
    new Map([
      [
        'all',
        new Map([
          ['base/top.sls', 'b'],
          ['prod/top.sls', 'p'],
          ['prod/x/y', 'z'],
        ]),
      ],
    ]),
  );
  const { server, update } = fileServer(folderOf(t), optionsOf(s3, { 's3.buckets': ['all'] }));
  await update();
  assert.deepEqual(server.environments(), ['base', 'prod']);
  assert.deepEqual(await server.list('prod', 'files'), ['top.sls', 'x/y']);
  assert.equal(await textOf(server, '../base/top.sls', 'prod'), '');
});

test('s3fs - keys that lead elsewhere, a bucket that is not there, a redirect and a bomb are faults that name no key', async (t) => {
  const folder = folderOf(t);
  const buckets: Buckets = new Map([
    [
      'evil',
      new Map([
        ['a', 'x'],
        ['../../evil', 'x'],
      ]),
    ],
    ['good', new Map([['a', 'x']])],
  ]);
  const s3 = await startS3(t, buckets);
  const faultOf = async (bucket: string, more: Record<string, Value> = {}): Promise<string> => {
    const { update } = fileServer(folder, optionsOf(s3, { 's3.buckets': dict({ base: [bucket] }), ...more }));
    return (await update()).faults.join();
  };
  assert.match(await faultOf('evil'), /the object "\.\.\/\.\.\/evil", which is no path/);
  assert.ok(!existsSync(join(folder, 'evil')));
  assert.match(await faultOf('none'), /answered 404 \(NoSuchBucket: not there\)/);
  const bad = await startHttpStandIn(t, ({ path }) =>
    path.startsWith('/bomb')
      ? { body: '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult>&b;</ListBucketResult>' }
      : { status: 301, headers: { location: 'http://127.0.0.1:1/' } },
  );
  const there = { 's3.service_url': `127.0.0.1:${bad.port}` };
  assert.match(await faultOf('moved', there), /answered 301; see s3\.location/);
  assert.match(await faultOf('bomb', there), /gives no listing: not well-formed/);
  for (const fault of [await faultOf('none'), await faultOf('moved', there)]) assert.ok(!fault.includes(KEY));
  assert.throws(() => fileServer(folder, { 's3.buckets': dict({ base: ['x'] }) }), /keyid and key/);
  assert.throws(() => fileServer(folder, optionsOf(s3, { 's3.buckets': ['a/b'] })), /no name of a bucket/);
});

test('s3 pillar - SLS in a bucket, below a prefix; a bucket that was never fetched fails the pillar', async (t) => {
  const objects = new Map([
    ['pillar/top.sls', "base: {'*': [a]}"],
    ['pillar/a.sls', 'from: bucket'],
    ['other', 'x'],
  ]);
  const s3 = await startS3(t, new Map([['data', objects]]));
  const cachedir = folderOf(t);
  const pillarOf = (bucket: string): Promise<Dict> => {
    const source = dict({
      s3: dict({
        bucket,
        keyid: 'ID',
        key: KEY,
        prefix: 'pillar',
        service_url: `127.0.0.1:${s3.port}`,
        path_style: true,
        https_enable: false,
      }),
    });
    const service = new PillarService({
      opts: dict({ cachedir, renderer: 'jinja|yaml', pillar_roots: dict(), ext_pillar: [source] }),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      functions: () => ({ has: () => false, call: () => null }),
    });
    return service.pillar({
      minionId: 'm',
      grains: dict(),
      saltenv: null,
      pillarenv: null,
      override: dict(),
    });
  };
  assert.deepEqual(await pillarOf('data'), dict({ from: 'bucket' }));
  assert.ok(s3.taken.every(({ path }) => path.includes('pillar')));
  const told = String((await pillarOf('none')).get('_errors'));
  assert.match(told, /has never been fetched: .*NoSuchBucket/);
  assert.ok(!told.includes(KEY) && !readFileSync('/proc/self/cmdline', 'utf8').includes(KEY));
});

test('azurefs - containers as environments, signed by the key of the account or admitted by a token that no message tells', async (t) => {
  const blobs = new Map([
    ['top.sls', 'top'],
    ['web/a b.sls', 'a'],
    ['web/init.sls', 'web'],
  ]);
  const server = await startHttpStandIn(t, ({ path, headers }) => {
    const url = new URL(path, 'http://h');
    const isLetIn =
      /^SharedKey acc:[\w+/]{43}=$/.test(headers.get('authorization') ?? '') ||
      url.searchParams.get('sig') === 'canary/=';
    if (!isLetIn) return { status: 403, body: '\ufeff<Error><Code>AuthenticationFailed</Code></Error>' };
    const [, account, container, ...words] = url.pathname.split('/').map(decodeURIComponent);
    assert.deepEqual([account, container], ['acc', 'states']);
    if (words.length > 0) return { body: blobs.get(words.join('/')) ?? '' };
    const all = [...blobs.keys()].sort();
    const from = Number(url.searchParams.get('marker') ?? 0);
    const listed = all
      .slice(from, from + 2)
      .map(
        (key) =>
          `<Blob><Name>${key}</Name><Properties><Etag>${blobs.get(key) ?? ''}</Etag><Content-Length>1</Content-Length></Properties></Blob>`,
      );
    const next = from + 2 < all.length ? String(from + 2) : '';
    return {
      body: `\ufeff<?xml version="1.0"?><EnumerationResults><Blobs>${listed.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
    };
  });
  const serverOf = (more: Record<string, Value>): ReturnType<typeof fileServer> =>
    fileServer(folderOf(t), {
      fileserver_backend: ['azurefs'],
      azurefs: [
        dict({ account_name: 'acc', container_name: 'states', blob_endpoint: `${server.url}/acc`, ...more }),
      ],
    });
  for (const more of [
    { account_key: btoa('secret') },
    { sas_token: '?sv=1&sig=canary%2F%3D', saltenv: 'base' },
  ]) {
    const files = serverOf(more);
    assert.deepEqual(await files.update(), { isChanged: true, faults: [] });
    assert.deepEqual(await files.server.list('base', 'files'), ['top.sls', 'web/a b.sls', 'web/init.sls']);
    assert.equal(await textOf(files.server, 'web/a b.sls'), 'a');
  }
  const [fault] = (await serverOf({ sas_token: 'sig=wrong-canary' }).update()).faults;
  assert.match(fault ?? '', /the container states of the account acc answered 403 \(AuthenticationFailed\)/);
  assert.doesNotMatch(fault ?? '', /canary/);
  assert.throws(() => serverOf({ container_name: '../x' }), /no name of a container/);
  assert.throws(() => fileServer(folderOf(t), { fileserver_backend: ['azurefs'] }), /azurefs must be a list/);
});
