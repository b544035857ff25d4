import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fullNameOf, generateMinionId, type ConfigHost } from '../../../src/config/host-names.ts';
import { detectId, requireValidId, withDomain } from '../../../src/config/minion-id.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { dict, type Value } from '../../../src/python/values/value.ts';

function hostWith(parts: Partial<ConfigHost>): ConfigHost {
  return {
    hostname: () => 'localhost',
    fullName: (name) => name,
    addresses: () => [],
    readText: () => undefined,
    userName: () => 'root',
    ...parts,
  };
}

function detect(t: TestContext, options: Record<string, Value>, cached?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'brine-id-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  if (cached !== undefined) {
    mkdirSync(join(root, 'etc/salt'), { recursive: true });
    writeFileSync(join(root, 'etc/salt/minion_id'), cached);
  }
  const host = hostWith({ hostname: () => 'Web1.Example.com' });
  return detectId(dict({ root_dir: root, ...options }), { host, log: silentLogger, cache: false }).id;
}

test('minion id - the first name that is not only local is taken', () => {
  assert.equal(
    generateMinionId(hostWith({ hostname: () => 'web1', fullName: () => 'web1.example.com' })),
    'web1.example.com',
  );
  assert.equal(
    generateMinionId(hostWith({ hostname: () => 'web1', fullName: () => 'localhost.localdomain' })),
    'web1',
  );
  const hosts =
    '# x\n127.0.0.1 localhost\n::1 ip6-localhost\n192.0.2.1 other\n127.0.1.1 box.example.com box\n';
  assert.equal(
    generateMinionId(hostWith({ readText: (p) => (p === '/etc/hosts' ? hosts : undefined) })),
    'box.example.com',
  );
  assert.equal(
    generateMinionId(hostWith({ readText: (p) => (p === '/etc/hostname' ? 'named\n' : undefined) })),
    'named',
  );
  assert.equal(generateMinionId(hostWith({ addresses: () => ['127.0.0.1', '192.0.2.9'] })), '192.0.2.9');
  assert.equal(generateMinionId(hostWith({})), 'localhost');
});

test('minion id - the full name is found in the hosts file, then by the name service', () => {
  const lookup = (key: string): string[] =>
    key === '192.0.2.5' ? ['192.0.2.5', 'b.example.com'] : ['192.0.2.5', key];
  assert.equal(
    fullNameOf('a', '127.0.1.1 a a.example.com\n', () => []),
    'a.example.com',
  );
  assert.equal(fullNameOf('b', '127.0.0.1 localhost\n', lookup), 'b.example.com');
  assert.equal(
    fullNameOf('c', '', () => []),
    'c',
  );
});

test('minion id - the cached id wins unless caching is off or it is localhost', (t) => {
  assert.equal(detect(t, {}, 'cached\nsecond'), 'cached');
  assert.equal(detect(t, {}, '\ufeffcached'), 'cached');
  assert.equal(detect(t, {}, 'localhost'), 'Web1.Example.com');
  assert.equal(detect(t, { minion_id_caching: false }, 'cached'), 'Web1.Example.com');
});

test('minion id - case and domain of a found id can be changed', (t) => {
  assert.equal(detect(t, { minion_id_lowercase: true }), 'web1.example.com');
  assert.equal(detect(t, { minion_id_remove_domain: true }), 'Web1');
  assert.equal(detect(t, { minion_id_remove_domain: 'EXAMPLE.com' }), 'Web1');
  assert.equal(detect(t, { minion_id_remove_domain: 'other.org' }), 'Web1.Example.com');
});

test('minion id - an id function is refused with a way out', (t) => {
  assert.throws(
    () => detect(t, { id_function: 'a.b' }),
    /id_function \(a\.b\) is not supported yet\. Set the option id/,
  );
});

test('minion id - a domain is appended once', () => {
  assert.equal(withDomain('a', 'x.org'), 'a.x.org');
  assert.equal(withDomain('a.x.org', 'x.org'), 'a.x.org');
  assert.equal(withDomain('a.', 'x.org'), 'a.');
});

test('minion id - names that could leave the folder of keys are refused', () => {
  for (const id of ['', '..', 'a/b', 'a\\b', 'a\0b', 'a\nb'])
    assert.throws(() => requireValidId(id), /is not valid/);
  requireValidId('web1.example.com');
});
