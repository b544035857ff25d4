import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { Secret } from '../../../src/host/secret.ts';
import { ConfiguredAuth } from '../../../src/plugins/registry/auth/configured.ts';
import { hashCost, verifyHash } from '../../../src/plugins/password-file/auth/crypt.ts';
import { Slots } from '../../../src/plugins/shared/auth/slots.ts';
import { dict, type DictInit } from '../../../src/python/values/value.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'auth-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function configured(externalAuth: DictInit, more: DictInit = {}): ConfiguredAuth {
  const opts = dict({ external_auth: dict(externalAuth), ...more });
  return new ConfiguredAuth({ opts, clock: systemClock, log: silentLogger });
}

async function logsIn(
  auth: ConfiguredAuth,
  name: string,
  username: string,
  password: string,
): Promise<boolean> {
  return (await auth.backend(name)?.authenticate({ username, password: new Secret(password) })) ?? false;
}

// made by openssl passwd and htpasswd
const HASHES = [
  ['hello world', '$apr1$abcdefgh$CZx3qOBL3IJw7t4yUwt4J.'],
  ['', '$1$xy$JSgu5Zv4igzK2ULm5nTM30'],
  ['hello world', '$5$saltsalt$iCSto/1y3LK1GxFWJB6bg2L4y8RyFskzzyTdhOwyBe3'],
  [
    'p',
    '$6$saltsaltsaltsalt$4KFfaoZuCYuff5yHjKRjs2rDMETtxSn347mmgnLol7GYSeCDq7qwehoj4q39DBqkAJsnwB1I3lZx4hJuLImyO0',
  ],
  ['hello world', '{SHA}Kq5sNclPz7QV2+lfQIuc6R7oRu0='],
] as const;

test('auth - hashes of passwords', async () => {
  for (const [password, hash] of HASHES) {
    assert.equal(await verifyHash(password, hash), true, hash);
    assert.equal(await verifyHash(`${password}x`, hash), false, hash);
  }
  const { hash } = (await import('bcryptjs')).default;
  assert.equal(await verifyHash('p', await hash('p', 4)), true);
  assert.equal(await verifyHash('p', 'rqXexS6ZhobKA'), undefined, 'the DES crypt of old');
});

test('auth - names and passwords in files', async (t) => {
  const at = (name: string): string => join(folder(t), name);
  const [text, digest, htpasswd] = [at('text'), at('digest'), at('htpasswd')];
  writeFileSync(text, '46|trey|16a0034f90b06bf3c5982ed8ac41aab4\n555|mike|x\n');
  writeFileSync(digest, 'ann:realm:0d3b67a07a2eb4cbbe2bb2fc0c54ddf0\n');
  writeFileSync(htpasswd, `ann:${HASHES[0][1]}\n`);
  const columns = {
    '^filename': text,
    '^hashtype': 'md5',
    '^username_field': 2,
    '^password_field': 3,
    '^field_separator': '|',
  };
  const auth = configured({ file: dict(columns) });
  assert.deepEqual([...auth.faults()], []);
  assert.equal(await logsIn(auth, 'file', 'trey', 'wrong'), false);
  const ht = configured({ file: dict({ '^filename': htpasswd, '^filetype': 'htpasswd' }) });
  assert.equal(await logsIn(ht, 'file', 'ann', 'hello world'), true);
  assert.equal(await logsIn(ht, 'file', 'ann', 'hello'), false);
  assert.equal(await logsIn(ht, 'file', 'bob', 'hello world'), false);
  const plain = configured({ file: dict({ '^filename': htpasswd }) });
  assert.equal(await logsIn(plain, 'file', 'ann', HASHES[0][1]), true, 'a text is what it says');
});

test('auth - what cannot work is said before a master starts', () => {
  const faults = configured(
    {
      file: dict({ '^filename': '/nowhere' }),
      sharedsecret: dict({ a: [] }),
      rest: dict({ '^url': 'file:///etc/passwd' }),
      django: dict({ a: [] }),
      pam: dict({ a: [] }),
    },
    { 'auth.pam.python': '/no/python' },
  ).faults();
  assert.deepEqual([...faults.keys()], ['file', 'sharedsecret', 'rest', 'django', 'pam']);
  assert.match(faults.get('django') ?? '', /there is no authentication system django/);
});

test('auth - rest lets in whom the address answers 200, with its rules', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => void asked.push(chunk.toString()));
    request.on('end', () => {
      const isRight = asked.at(-1) === 'username=fred&password=a%26b';
      response.writeHead(isRight ? 200 : 401).end(isRight ? '["test.ping"]' : '');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const auth = configured({ rest: dict({ '^url': `http://127.0.0.1:${port}/x`, fred: ['@runner'] }) });
  assert.equal(await logsIn(auth, 'rest', 'fred', 'a&b'), true);
  assert.equal(await logsIn(auth, 'rest', 'fred', 'b'), false);
  const credentials = { username: 'fred', password: new Secret('a&b') };
  assert.deepEqual(await auth.backend('rest')?.acl?.(credentials), ['@runner', 'test.ping']);
});

test('auth - log-ins that cost a process or a core are bounded, and the rest is turned away', async () => {
  const slots = new Slots(2, 1);
  let running = 0;
  const ends: (() => void)[] = [];
  const work = (): Promise<number> => {
    running++;
    return new Promise((resolve) => ends.push(() => resolve(running--)));
  };
  const begun = [slots.run(work), slots.run(work), slots.run(work)];
  await assert.rejects(slots.run(work), /too many log-ins wait/);
  assert.deepEqual([running, slots.counters.refused], [2, 1]);
  ends.shift()?.();
  await begun[0];
  assert.equal(running, 2, 'the next one has begun');
  for (const end of ends.splice(0)) end();
  await Promise.all(begun);
  await assert.rejects(
    slots.run(() => Promise.reject(new Error('down'))),
    /down/,
  );
  assert.equal(running, 0);
});

test('auth - the hash for names that are not there is the one of the file that takes longest', () => {
  const costs = ['$apr1$x$y', '$2y$05$abc', '$6$salt$y', '$2b$14$abc', '$5$rounds=999999999$s$y'].map(
    hashCost,
  );
  assert.deepEqual(
    [...costs].sort((a, b) => a - b),
    costs,
  );
});
