/**
 * The functions of `gpg` with the system's gpg: each call gives what a real Salt 3006.16 was given; and what Salt does
 * not do.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  dict,
  isBytes,
  isDict,
  type Dict,
  type DictInit,
  type Value,
} from '../../src/python/values/value.ts';
import { replayTable } from '../support/recorded-replay.ts';
import { fakeStateContext, runState } from '../support/state-context.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const ALICE = 'DE3543FA908BAF0A';

interface Recorded {
  readonly files: Readonly<Record<string, string>>;
}

/** A key that is among the recorded files. */
function keyFile(name: string): string {
  const path = join(ROOT, 'test/fixtures/modules/calls/gpg.json');
  const [group] = JSON.parse(readFileSync(path, 'utf8')) as Recorded[];
  return group?.files[name] ?? '';
}

/** An empty folder of keys, whose agent ends with the test. */
function keyFolder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'brine-gpg-'));
  t.after(() => {
    spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true, force: true });
  });
  return home;
}

test('gpg functions - answers are those of Salt 3006.16', async (t) => {
  await replayTable(t, 'gpg');
});

test('gpg functions - a passphrase of the pillar protects a key, opens it and is nowhere else', async (t) => {
  const home = keyFolder(t);
  const pillar = dict({ gpg_passphrase: 'open sesame' });
  const ctx = fakeStateContext({ opts: dict({ id: 'm', hash_type: 'sha256', user: 'root' }), pillar });
  const call = (fun: string, kwargs: DictInit): Promise<Value> =>
    ctx.functions.call(`gpg.${fun}`, [], dict({ gnupghome: home, ...kwargs }));
  const made = await call('create_key', { use_passphrase: true, name_email: 'eve@example.com' });
  assert.ok(isDict(made));
  assert.equal(made.get('message'), 'GPG key pair successfully generated.');
  const fingerprint = String(made.get('fingerprint'));
  spawnSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']);
  const refused = await call('sign', { text: 'words' });
  assert.ok(isBytes(refused) && !Buffer.from(refused).includes('PGP SIGNATURE'));
  const signed = await call('sign', { text: 'words', use_passphrase: true });
  assert.ok(isBytes(signed));
  const verified = await call('verify', { text: Buffer.from(signed).toString() });
  assert.ok(isDict(verified) && verified.get('res') === true);
  assert.equal(verified.get('key_id'), fingerprint.slice(-16));
  const exported = await call('export_key', {
    keyids: fingerprint,
    secret: true,
    use_passphrase: true,
    bare: true,
  });
  assert.match(String(exported), /^-----BEGIN PGP PRIVATE KEY BLOCK-----/);
  const deleted = await call('delete_key', { fingerprint, delete_secret: true });
  assert.deepEqual(
    deleted,
    dict({
      res: true,
      message: `Secret key for ${fingerprint} deleted\nPublic key for ${fingerprint} deleted`,
    }),
  );
  assert.ok(!JSON.stringify(ctx.logged ?? []).includes('sesame'));
});

test('gpg states - keys come from a keyserver, are trusted and go; test mode only says so', async (t) => {
  const home = keyFolder(t);
  const server = createServer((request, response) => {
    const isThere = (request.url ?? '').includes(ALICE);
    response.writeHead(isThere ? 200 : 404, { 'Content-Type': 'application/pgp-keys' });
    response.end(isThere ? keyFile('alice.asc') : '');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const keyserver = `hkp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opts = dict({ id: 'm', hash_type: 'sha256', user: 'root' });
  const state = async (fun: string, kwargs: DictInit, isTest = false): Promise<Dict> => {
    const made = await runState(
      fakeStateContext({ opts, test: isTest }),
      `gpg.${fun}`,
      dict({ gnupghome: home, ...kwargs }),
    );
    assert.ok(isDict(made));
    return made;
  };
  const wanted = { name: ALICE, keyserver, trust: 'fully' };
  assert.equal((await state('present', wanted, true)).get('result'), null);
  const first = await state('present', wanted);
  assert.equal(first.get('result'), true, String(first.get('comment')));
  assert.deepEqual(first.get('changes'), dict({ [ALICE]: { added: true } }));
  const second = await state('present', wanted);
  assert.deepEqual(second.get('changes'), dict());
  assert.match(String(second.get('comment')), /already in correct trust state/);
  const other = await state('present', { name: '0000000000000000', keyserver });
  assert.equal(other.get('result'), false);
  assert.equal((await state('absent', { name: ALICE }, true)).get('result'), null);
  assert.deepEqual((await state('absent', { name: ALICE })).get('changes'), dict({ deleted: [ALICE] }));
  assert.deepEqual((await state('absent', { name: ALICE })).get('changes'), dict());
});
