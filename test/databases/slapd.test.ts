/**
 * `ldap3`, `ldap` and the state `ldap.managed` on a real directory: each call gives what a real Salt 3006.16 was given
 * there.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { replayTable } from '../support/recorded-replay.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const skip = process.getuid?.() === 0 ? false : 'only root is the manager at its socket';

test('slapd - what the directory is asked, and made, is as with Salt 3006.16', { skip }, async (t) => {
  await replayTable(t, 'ldap3', () => {
    const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
    const started = spawnSync('bash', [join(ROOT, 'test/compare/slapd-host.sh')], { env, encoding: 'utf8' });
    assert.equal(started.status, 0, started.stderr);
    t.after(() => process.kill(Number(readFileSync('/tmp/brine-slapd/pid', 'utf8'))));
  });
});
