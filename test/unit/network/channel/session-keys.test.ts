import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AcceptedKeys } from '../../../../src/network/channel/accepted-keys.ts';
import { SessionKeys } from '../../../../src/network/channel/session-keys.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { folder, keyPair } from '../../../support/attacker.ts';
import { alwaysLater } from './door-parts.ts';

const DAY_MS = 86_400_000;

test('session keys - made once, kept in a file that only the master may read', (t) => {
  const directory = join(folder(t), 'sessions');
  const sessions = new SessionKeys(directory, DAY_MS, systemClock);
  assert.equal(sessions.get('m1'), undefined);
  const made = sessions.ensure('m1');
  assert.equal(readFileSync(join(directory, 'm1'), 'utf8'), made.keyString.reveal());
  assert.equal(made.keyString.reveal().length, 76);
  assert.equal(statSync(join(directory, 'm1')).mode & 0o777, 0o600);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(sessions.ensure('m1').keyString.reveal(), made.keyString.reveal());
});

test('session keys - every worker hands out the same one, and a new one after it was ended elsewhere', (t) => {
  const directory = join(folder(t), 'sessions');
  const [one, two] = [
    new SessionKeys(directory, DAY_MS, systemClock),
    new SessionKeys(directory, DAY_MS, systemClock),
  ];
  const first = one.ensure('m1').keyString.reveal();
  assert.equal(two.ensure('m1').keyString.reveal(), first);
  rmSync(join(directory, 'm1')); // salt-key -d
  const second = one.ensure('m1').keyString.reveal();
  assert.notEqual(second, first);
  assert.equal(readFileSync(join(directory, 'm1'), 'utf8'), second);
  assert.equal(two.ensure('m1').keyString.reveal(), second);
});

test('session keys - a process that begins anew opens nothing of before, and the others give out new sessions', (t) => {
  const directory = join(folder(t), 'sessions');
  const [one, two] = [
    new SessionKeys(directory, DAY_MS, systemClock),
    new SessionKeys(directory, DAY_MS, systemClock),
  ];
  const first = one.ensure('m1').keyString.reveal();
  const old = systemClock.nowMs() / 1000 - 61;
  utimesSync(join(directory, 'm1'), old, old);
  const standing = { sessionsFromMs: two.beginAnew(), generation: 0 };
  assert.equal(two.get('m1', standing), undefined);
  assert.equal(one.get('m1', standing), undefined, 'nor does who remembers it');
  assert.equal(one.get('m1')?.keyString.reveal(), first);
  const second = one.ensure('m1').keyString.reveal();
  assert.notEqual(second, first);
  assert.equal(two.get('m1', standing)?.keyString.reveal(), second);
});

test('session keys - a session that was ended is remembered nowhere', (t) => {
  const directory = join(folder(t), 'sessions');
  const [one, two] = [
    new SessionKeys(directory, DAY_MS, systemClock),
    new SessionKeys(directory, DAY_MS, systemClock),
  ];
  const standing = { sessionsFromMs: -Infinity, generation: 0 };
  one.ensure('m1');
  assert.notEqual(two.get('m1', standing), undefined);
  one.remove('m1');
  assert.notEqual(two.get('m1', standing), undefined, 'the file is not read for each request');
  assert.equal(two.get('m1', { ...standing, generation: 1 }), undefined);
});

test('session keys - a clock that was set back shuts nobody out and opens nothing of before', (t) => {
  const directory = join(folder(t), 'sessions');
  let nowMs = systemClock.nowMs();
  const sessions = new SessionKeys(directory, DAY_MS, { ...systemClock, nowMs: () => nowMs });
  const first = sessions.ensure('m1').keyString.reveal();
  // dates of files are the system's: the session and the beginning are from an hour ahead
  const ahead = nowMs / 1000 + 3600;
  utimesSync(join(directory, 'm1'), ahead, ahead);
  const standing = { sessionsFromMs: sessions.beginAnew(), generation: 0 };
  assert.equal(sessions.reload('m1', standing), undefined);
  const second = sessions.ensure('m1').keyString.reveal();
  assert.notEqual(second, first);
  utimesSync(`${directory}.floor`, ahead, ahead);
  nowMs += 1;
  const later = { sessionsFromMs: ahead * 1000, generation: 0 };
  assert.equal(sessions.get('m1', later), undefined);
  const third = sessions.ensure('m1').keyString.reveal();
  assert.notEqual(third, second);
  assert.equal(sessions.get('m1', later)?.keyString.reveal(), third);
});

test('session keys - renewed when older than publish_session', (t) => {
  const directory = join(folder(t), 'sessions');
  const sessions = new SessionKeys(directory, 60_000, systemClock);
  const first = sessions.ensure('m1').keyString.reveal();
  const old = systemClock.nowMs() / 1000 - 61;
  utimesSync(join(directory, 'm1'), old, old);
  assert.notEqual(new SessionKeys(directory, 60_000, systemClock).ensure('m1').keyString.reveal(), first);
});

test('session keys - files that are no session and ids that are no names are nothing', (t) => {
  const directory = join(folder(t), 'sessions');
  const sessions = new SessionKeys(directory, DAY_MS, systemClock);
  for (const text of ['', 'short', `${'A'.repeat(76)}`, '\0'.repeat(76)]) {
    writeFileSync(join(directory, 'm1'), text);
    assert.equal(sessions.reload('m1'), undefined, JSON.stringify(text));
  }
  for (const id of ['', '..', 'x/../..', 'a\0b']) {
    assert.equal(sessions.get(id), undefined);
    sessions.remove(id);
    assert.throws(() => sessions.ensure(id));
  }
});

test('accepted keys - follow the file at once, and only usable keys count', (t) => {
  const directory = folder(t);
  const keys = new AcceptedKeys(directory, alwaysLater());
  const token = keyPair('m1').key.signX931(Buffer.from('salt'));
  assert.equal(keys.verifyToken('m1', token), false);
  writeFileSync(join(directory, 'm1'), keyPair('m1').key.publicKey.pem);
  assert.ok(keys.verifyToken('m1', token));
  assert.ok(keys.verifyToken('m1', token), 'from memory');
  assert.equal(keys.verifyToken('m1', Buffer.alloc(256)), false);
  writeFileSync(join(directory, 'm1'), `${keyPair('m2').key.publicKey.pem}\n`);
  assert.equal(keys.verifyToken('m1', token), false, 'the key was replaced');
  writeFileSync(join(directory, 'm1'), 'no key');
  assert.equal(keys.get('m1'), undefined);
  rmSync(join(directory, 'm1'));
  assert.equal(keys.get('m1'), undefined);
  for (const id of ['.', '..', '', '../m1', 'a/b', 'x\0y']) assert.equal(keys.get(id), undefined);
});

test('accepted keys - a deleted key is noticed within milliseconds, a key overwritten in place within a second', (t) => {
  const directory = folder(t);
  let atMs = 0;
  const keys = new AcceptedKeys(directory, { ...systemClock, monotonicMs: () => atMs });
  writeFileSync(join(directory, 'm1'), keyPair('m1').key.publicKey.pem);
  writeFileSync(join(directory, 'm2'), keyPair('m2').key.publicKey.pem);
  assert.ok(keys.get('m1') !== undefined && keys.get('m2') !== undefined);
  rmSync(join(directory, 'm1'));
  atMs += 5;
  assert.equal(keys.get('m1'), undefined);
  assert.ok(keys.get('m2'));
  writeFileSync(join(directory, 'm2'), 'no key');
  atMs += 1_000;
  assert.equal(keys.get('m2'), undefined);
});
