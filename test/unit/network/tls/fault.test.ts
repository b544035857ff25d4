import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { messageOf } from '../../../../src/errors/errors.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { sendHttp } from '../../../../src/network/http/client.ts';
import { tlsFault } from '../../../../src/network/tls/fault.ts';
import {
  checkPair,
  readAuthorities,
  readCertificate,
  readPrivateKey,
} from '../../../../src/network/tls/files.ts';
import { TrustedFile } from '../../../../src/network/tls/trusted-file.ts';
import { exchange } from '../../../../src/plugins/http/module/exchange.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { fetchHttp } from '../../../../src/storage/fileclient/http.ts';
import { httpSettings } from '../../../../src/storage/fileclient/get-url.ts';
import { certificate } from '../../../support/database-servers.ts';
import { makeTree } from '../../storage/fileserver/tree.ts';

const pem = (file: string): Buffer => readFileSync(certificate(file));
const served = (crt: string, key = crt): ServerOptions => ({
  cert: pem(`${crt}.crt`),
  key: pem(`${key}.key`),
});

async function listening(t: TestContext, server: Server & { closeAllConnections(): void }): Promise<string> {
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What each of those says that ask over HTTP. */
async function said(url: string, caBundle: string): Promise<Map<string, string>> {
  const clock = systemClock;
  const settings = httpSettings(dict({ ca_bundle: caBundle }));
  const asking: [string, Promise<unknown>][] = [
    ['fileclient', fetchHttp({ url, verifySsl: true, headers: {}, settings, clock }, async () => undefined)],
    [
      'http.query',
      exchange({
        ...{ url: new URL(url), method: 'GET', headers: new Map(), body: undefined, auth: undefined },
        ...{ verifySsl: true, cert: undefined, settings, clock, signal: new AbortController().signal },
      }),
    ],
    [
      'returners and sdb',
      sendHttp({
        ...{ method: 'GET', url: new URL(url), timeoutMs: 5_000, verify: caBundle, clock },
        tlsSettings: { ca: 'ca_bundle', own: 'cert' },
      }),
    ],
  ];
  const out = new Map<string, string>();
  for (const [who, asked] of asking) out.set(who, await asked.then(() => 'an answer', messageOf));
  return out;
}

test('tls - what fails names the address, the certificate and what to do, whoever asks', async (t) => {
  const ca = certificate('ca.crt');
  const cases: [name: string, ServerOptions, string, RegExp][] = [
    [
      'self-signed',
      served('address'),
      ca,
      /its certificate \(CN=address, issued by CN=address, valid from \S+ to \S+\) is of no authority that is trusted here \(self-signed certificate\); .* put the certificate of its authority into .*ca\.crt \(ca_bundle\)$/,
    ],
    [
      'unknown authority',
      served('master'),
      certificate('other-ca.crt'),
      /of no authority that is trusted here/,
    ],
    [
      'expired',
      served('expired', 'master'),
      certificate('dates-ca.crt'),
      /its certificate \(CN=dates\.example, issued by CN=Authority of dates, valid from 2020-01-01 to 2021-01-01\) has expired; renew it there/,
    ],
    ['too early', served('early', 'master'), certificate('dates-ca.crt'), /is not valid yet; set the clock/],
    [
      'another host',
      served('elsewhere'),
      ca,
      /is not for this host .*; ask for the server by a name that its certificate has \(DNS:elsewhere\.example\)/,
    ],
    [
      'no common version',
      { ...served('master'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      ca,
      /there is no version of TLS that both ends speak/,
    ],
    [
      'no common cipher',
      { ...served('master'), maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256@SECLEVEL=0' },
      ca,
      /refuses the handshake: .* no cipher that both ends have/,
    ],
    [
      'ours is demanded',
      { ...served('master'), requestCert: true, rejectUnauthorized: true, ca: pem('ca.crt') },
      ca,
      /it demands a certificate of us/,
    ],
  ];
  for (const [name, options, caBundle, expected] of cases) {
    const address = await listening(
      t,
      createTlsServer(options, (_, answer) => answer.end()),
    );
    for (const [who, text] of await said(`https://${address}/x`, caBundle)) {
      assert.match(text, expected, `${name}: ${who}`);
      assert.ok(text.startsWith(`${address} cannot be reached over TLS: `), `${name}: ${who}: ${text}`);
      assert.doesNotMatch(text, /Errno|EPROTO|:error:|^Error/, `${name}: ${who}`);
    }
  }
});

test('tls - who has answered has accepted what it was shown: an answer that breaks off is no fault of certificates', async (t) => {
  const address = await listening(
    t,
    createTlsServer(served('master'), (_, answer) => {
      answer.writeHead(200, { 'content-length': 100 });
      answer.write('half');
      setImmediate(() => answer.socket?.destroy());
    }),
  );
  for (const [who, text] of await said(`https://${address}/x`, certificate('ca.crt')))
    assert.doesNotMatch(text, /certificate|over TLS/, who);
});

test('tls - the authorities of a file are read once, and again when it is another', (t) => {
  const path = join(makeTree(t).folder, 'ca.pem');
  const file = new TrustedFile();
  writeFileSync(path, pem('ca.crt'));
  const first = file.context(path, 'ca_bundle');
  assert.equal(file.context(path, 'ca_bundle'), first);
  writeFileSync(path, Buffer.concat([pem('ca.crt'), pem('other-ca.crt')]));
  assert.notEqual(file.context(path, 'ca_bundle'), first);
  rmSync(path);
  assert.throws(() => file.context(path, 'ca_bundle'), /ca\.pem \(ca_bundle\) cannot be read/);
});

test('tls - a port that speaks the other of HTTP and HTTPS is said to', async (t) => {
  const plain = await listening(
    t,
    createServer((_, answer) => answer.end()),
  );
  const tls = await listening(
    t,
    createTlsServer(served('master'), (_, answer) => answer.end()),
  );
  for (const [who, text] of await said(`https://${plain}/x`, certificate('ca.crt')))
    assert.match(text, /^127.*: what answers there does not speak TLS \(wrong version number\)/, who);
  for (const [who, text] of await said(`http://${tls}/x`, certificate('ca.crt')))
    assert.equal(
      text,
      `${tls} cannot be reached: it closed the connection without an answer (socket hang up); if it speaks TLS, ask for it with https://${tls}`,
      who,
    );
});

test('tls - files of certificates that cannot be used are named with their setting', async (t) => {
  const { folder } = makeTree(t);
  const junk = join(folder, 'junk.pem');
  writeFileSync(junk, 'junk');
  const damaged = join(folder, 'damaged.pem');
  writeFileSync(damaged, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const place = join(folder, 'place');
  mkdirSync(place);
  const cases: [string, RegExp][] = [
    [
      join(folder, 'none.pem'),
      /^The file .*none\.pem \(ca_bundle\) cannot be read: No such file or directory\./,
    ],
    [place, /^The file .*place \(ca_bundle\) cannot be read: Is a directory\./],
    [junk, /^The file .*junk\.pem \(ca_bundle\) has no certificate in PEM/],
    [damaged, /^The certificate in .*damaged\.pem \(ca_bundle\) is damaged/],
    [certificate('master.key'), /\(ca_bundle\) has no certificate in PEM/],
  ];
  for (const [path, expected] of cases)
    for (const [who, text] of await said('https://127.0.0.1:1/x', path))
      assert.match(text, expected, `${path}: ${who}`);
  assert.throws(
    () => readCertificate(certificate('master.key'), 'cert'),
    /\(cert\) has no certificate in PEM/,
  );
  assert.throws(() => readPrivateKey(certificate('master.crt'), 'key'), /\(key\) has no private key in PEM/);
  const pair = { cert: pem('master.crt'), key: pem('minion.key') };
  assert.throws(
    () => checkPair(pair, ['ssl_crt', 'ssl_key']),
    /of ssl_key is not that of the certificate of ssl_crt/,
  );
  assert.ok(readAuthorities(certificate('ca.crt'), 'ca').length > 0);
});

test('tls - errors of drivers are understood by their words, and others are left alone', () => {
  const peer = { address: 'db:5432', caSetting: 'returner.postgres.sslrootcert', caFile: '/ca.pem' };
  const wrapped = new Error('all hosts failed', {
    cause: new Error('unable to verify the first certificate'),
  });
  assert.match(
    String(tlsFault(wrapped, peer)),
    /^db:5432 .* put the certificate of its authority into \/ca\.pem/,
  );
  const coded = Object.assign(new Error('certificate has expired'), { code: 'HANDSHAKE_SSL_ERROR' });
  assert.match(String(tlsFault(coded, peer)), /its certificate has expired/);
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ECONNRESET'])
    assert.equal(tlsFault(Object.assign(new Error(code), { code }), peer), undefined);
  assert.equal(tlsFault(new Error('the answer is too large'), peer), undefined);
});
