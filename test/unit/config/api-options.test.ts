/**
 * The options of salt-api: what Salt has and ours does not do, or does otherwise, is said, and nothing is opened
 * further than was meant.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readApiOptions, type ApiConfiguration } from '../../../src/config/api-options.ts';
import { loadMasterConfig } from '../../../src/config/load.ts';
import { silentLogger } from '../../../src/host/log.ts';

function read(t: TestContext, text: string): ApiConfiguration {
  const folder = mkdtempSync(join(tmpdir(), 'api-options-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'master'), `${text}\n`);
  return readApiOptions(loadMasterConfig({ configDir: folder, env: {}, log: silentLogger }));
}

/** A warning each, of what Salt 3006.16 reads below each section and ours has no use for. */
const WITHOUT_EFFECT = [
  ['rest_cherrypy', 'expire_responses: False'],
  ['rest_tornado', 'num_processes: 4'],
  ['rest_tornado', 'websockets: True'],
] as const;

test('api options - what has no effect is said', (t) => {
  for (const [section, line] of WITHOUT_EFFECT) {
    const { warnings } = read(t, `${section}: {port: 8000, disable_ssl: True, ${line}}`);
    const name = line.split(':')[0] as string;
    assert.ok(
      warnings.some((each) => each.startsWith(`${section}: ${name} has no effect: `)),
      warnings.join('\n'),
    );
  }
  const { warnings } = read(
    t,
    'rest_cherrypy: {port: 8000, disable_ssl: True, thread_pol: 3, tools.x.on: True}',
  );
  assert.ok(
    warnings.some((each) => /nobody knows the option thread_pol\..*thread_pool/.test(each)),
    warnings.join('\n'),
  );
  assert.ok(warnings.some((each) => each.includes('nobody knows the option tools.x.on')));
});

test('api options - a section of another program of Salt is served as rest_cherrypy is, and what it means more than there is said', (t) => {
  const { servers, warnings } = read(
    t,
    'rest_tornado: {port: 8001, address: 127.0.0.2, backlog: 9, disable_ssl: True, cors_origin: "*", static: /srv/www, authorized_ips: [127.0.0.1]}',
  );
  assert.deepEqual([servers[0]?.values.host, servers[0]?.values.socket_queue_size], ['127.0.0.2', 9]);
  assert.ok(warnings.includes('rest_tornado is served with the addresses and answers of rest_cherrypy.'));
  assert.ok(
    warnings.includes(
      'rest_tornado: Salt does not read static, authorized_ips there; here the same as in rest_cherrypy is meant.',
    ),
    warnings.join('\n'),
  );
  assert.ok(!read(t, 'rest_wsgi: {port: 8002}').warnings.some((each) => each.includes('does not read')));
});

test('api options - rest_wsgi, which has no TLS in Salt and listens on this machine alone, is not opened to others', (t) => {
  const wide = read(t, 'rest_wsgi: {port: 8002, host: 0.0.0.0}');
  assert.equal(wide.servers[0]?.values.host, '127.0.0.1');
  assert.ok(wide.warnings.some((each) => each.startsWith('rest_wsgi: host has no effect without TLS')));
  const secure = read(t, 'rest_wsgi: {port: 8002, host: 0.0.0.0, ssl_crt: /c, ssl_key: /k}');
  assert.equal(secure.servers[0]?.values.host, '0.0.0.0');
});

test('api options - what cannot be served stops the start', (t) => {
  for (const [text, what] of [
    ['rest_cherrypy: {port: 8000}', /ssl_crt and ssl_key are required/],
    ['rest_tornado: {port: x, disable_ssl: True}', /port is x; it takes a whole number/],
    ['rest_cherrypy: {port: 70000, disable_ssl: True}', /ports go to 65535/],
    ['rest_cherrypy: [8000]', /is a mapping of options/],
    ['rest_tornado: {address: 127.0.0.1}', /nothing for salt-api to serve/],
  ] as const)
    assert.throws(() => read(t, text), what, text);
});

test('api options - a refusal names every option that nobody knows, too', (t) => {
  assert.throws(
    () => read(t, 'rest_cherrypy: {prot: 8000, disable_ssl: True}'),
    /nothing for salt-api.*\n[^]*option prot\./,
  );
  assert.throws(
    () => read(t, 'rest_cherrypy: {port: 8000, ssl_cert: /x, ssl_key: /y}'),
    /ssl_crt and ssl_key are required[^]*nobody knows the option ssl_cert\..*ssl_crt/,
  );
  assert.throws(
    () => read(t, 'rest_cherrypy: {port: 8000, disable_ssl: True, debgu: True, thread_pool: 0}'),
    /thread_pool is 0; it takes 1 or more\.[^]*option debgu/,
  );
  assert.throws(
    () => read(t, 'rest_cherrypy: {port: 8000, disable_ssl: True, max_request_body_size: -5}'),
    /max_request_body_size is -5; it takes 1 or more/,
  );
});

test('api options - a folder or a file to serve that is not there is said', (t) => {
  const { warnings } = read(
    t,
    'rest_cherrypy: {port: 8000, disable_ssl: True, static: /nope, app: /nope/a.html, favicon: /nope/f.ico}',
  );
  for (const pattern of [
    /static is \/nope, and there is no such folder: nothing is served at \/static\./,
    /app is \/nope\/a\.html, and there is no such file/,
    /favicon is \/nope\/f\.ico, and there is no such file/,
  ])
    assert.ok(
      warnings.some((each) => pattern.test(each)),
      warnings.join('\n'),
    );
});
