/** How `git` logs in: private keys through a script of its own, and passwords that nothing returns. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { redacted, withBasicAuth } from '../../../../src/plugins/git/module/credentials.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n';
const REMOTE = 'ssh://git@git.example.com/up.git';

/** A folder with a program `ssh` that writes down how it was called, and refuses. */
function placeOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'git-log-in-'));
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${folder}:${path}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const script = `#!/bin/sh\nprintf '%s\\n' "$GIT_SSH" "$@" > ${folder}/said; echo denied >&2; exit 1\n`;
  writeFileSync(join(folder, 'ssh'), script, { mode: 0o755 });
  return folder;
}

function lsRemote(folder: string, identity: Value, cli?: string): Promise<Value> {
  const opts = dict({
    cachedir: join(folder, 'cache'),
    file_client: 'local',
    local: true,
    __cli: cli ?? null,
  });
  const ctx = fakeContext({ opts, clock: systemClock, random: systemRandom });
  return ctx.functions.call('git.ls_remote', [], dict({ remote: REMOTE, identity }));
}

test('git - a private key is used by a script that is gone afterwards', async (t) => {
  const folder = placeOf(t);
  const key = join(folder, 'key');
  writeFileSync(key, KEY);
  await assert.rejects(lsRemote(folder, [join(folder, 'nosuch'), key]), (error: Error) => {
    assert.match(error.message, /^Unable to authenticate using identity file:\n\ndenied/);
    assert.ok(
      error.message.endsWith(`\n\nThe following identity file(s) were not found: ${join(folder, 'nosuch')}`),
    );
    return true;
  });
  const [script = '', ...words] = readFileSync(join(folder, 'said'), 'utf8').trim().split('\n');
  assert.equal(existsSync(script), false);
  assert.ok(existsSync(key));
  assert.equal(words[words.indexOf('-i') + 1], key);
  assert.ok(words.includes('git@git.example.com'));
});

test('git - a key with a passphrase is not tried where nobody can type it, and a public one never', async (t) => {
  const folder = placeOf(t);
  const key = join(folder, 'key');
  writeFileSync(key, `${KEY}Proc-Type: 4,ENCRYPTED\n`);
  await assert.rejects(lsRemote(folder, key), /passphrase-protected and cannot be used/);
  assert.equal(existsSync(join(folder, 'said')), false);
  await assert.rejects(lsRemote(folder, key, 'salt-call'), /denied/);
  writeFileSync(key, 'ssh-ed25519 AAAA\n');
  await assert.rejects(lsRemote(folder, key), /is not a private key/);
});

test('git - passwords are put into addresses of https only, and hidden in texts', () => {
  assert.equal(withBasicAuth('https://h/x', 'u', 'p'), 'https://u:p@h/x');
  assert.equal(withBasicAuth('https://h/x', 'u', undefined), 'https://u@h/x');
  assert.throws(() => withBasicAuth('http://h/x', 'u', 'p'), /Basic Auth only supported for HTTPS/);
  assert.equal(redacted('clone https://u:p@h/x'), 'clone https://<redacted>@h/x');
  assert.equal(redacted('ssh://u:p@h/x ssh://git@h/y'), 'ssh://<redacted>@h/x ssh://git@h/y');
});

test('git - a command that fails does not tell the password it was given', async (t) => {
  const folder = placeOf(t);
  const ctx = fakeContext({
    opts: dict({ cachedir: folder, file_client: 'local', local: true }),
    clock: systemClock,
    random: systemRandom,
  });
  spawnSync('git', ['init', '-q', join(folder, 'r')]);
  const words = dict({ https_user: 'joe', https_pass: 'geheim', remote: 'https://127.0.0.1:9/x.git' });
  await assert.rejects(ctx.functions.call('git.ls_remote', [join(folder, 'r')], words), (error: Error) => {
    assert.match(
      error.message,
      /^Command 'git ls-remote https:\/\/<redacted>@127\.0\.0\.1:9\/x\.git' failed/,
    );
    assert.doesNotMatch(error.message, /geheim/);
    return true;
  });
});
