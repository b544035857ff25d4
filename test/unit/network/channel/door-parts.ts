/** A door with handlers that only show what reached them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { AcceptedKeys } from '../../../../src/network/channel/accepted-keys.ts';
import {
  Door,
  type AesHandler,
  type AesRequest,
  type ClearHandler,
} from '../../../../src/network/channel/door.ts';
import type { RequestGate } from '../../../../src/network/channel/request-gate.ts';
import { SessionKeys } from '../../../../src/network/channel/session-keys.ts';
import { Crypticle, generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { makeDirectory } from '../../../../src/host/files.ts';
import type { Dict, Value } from '../../../../src/python/values/value.ts';
import { decode } from '../../../../src/formats/wire/msgpack.ts';
import { guardedDoor, testGate } from '../../../support/guarded-door.ts';
import { folder, keptLog, keyPair, requestBytes, type Lies } from '../../../support/attacker.ts';

/** A door, what passed it, and what belongs to it. */
export interface TestDoor {
  readonly door: Door;
  readonly gate: RequestGate;
  readonly sessions: SessionKeys;
  readonly keysFolder: string;
  readonly shared: Crypticle;
  readonly passed: AesRequest[];
  readonly lines: string[];
  /** Accepts a minion and gives it a session. */
  accept(id: string): Crypticle;
  /** Sends bytes through the door. */
  send(bytes: Buffer): Promise<Value>;
  /** A version 3 request of an accepted minion. */
  request(id: string, load: Record<string, Value>, lies?: Lies): Buffer;
}

/** A clock that lets a second pass between any two looks, so that what was seen before is never taken for granted. */
export function alwaysLater(): Clock {
  let at = 0;
  return { ...systemClock, monotonicMs: () => (at += 1_000) };
}

export function testDoor(
  t: TestContext,
  change: {
    minimumVersion?: number;
    ttlSeconds?: number;
    clock?: Clock;
    oldShared?: Crypticle;
    gateClock?: Clock;
    knowsUser?: boolean;
  } = {},
): TestDoor {
  const root = folder(t);
  const keysFolder = join(root, 'minions');
  makeDirectory(keysFolder, 0o755);
  const clock = change.clock ?? systemClock;
  const sessions = new SessionKeys(join(root, 'sessions'), 86_400_000, clock);
  const shared = new Crypticle(generateKeyString());
  const passed: AesRequest[] = [];
  const { log, lines } = keptLog();
  const door = new Door({
    clear: new Map<string, ClearHandler>([
      ['ping', (load: Dict) => load],
      ['fails', () => Promise.reject(new Error('secret details'))],
    ]),
    aes: new Map<string, AesHandler>([
      ['show', (request: AesRequest) => (passed.push(request), { value: { fine: request.load } })],
      ['fails', () => Promise.reject(new Error('secret details'))],
      ['raw', () => ({ raw: { own: 'wrapping' } })],
    ]),
    authenticate: () => 'authenticated',
    sessions,
    keys: new AcceptedKeys(keysFolder, alwaysLater()),
    knowsUser: () => change.knowsUser ?? false,
    sharedKeys: () => (change.oldShared === undefined ? [shared] : [shared, change.oldShared]),
    minimumVersion: change.minimumVersion ?? 3,
    ttlSeconds: change.ttlSeconds ?? 0,
    clock,
    log,
  });
  const gate = testGate({ clock: change.gateClock ?? systemClock, knowsUser: change.knowsUser ?? false });
  const guarded = guardedDoor(door, gate);
  const accept = (id: string): Crypticle => {
    writeFileSync(join(keysFolder, id), keyPair(id).key.publicKey.pem);
    return sessions.ensure(id);
  };
  return {
    door,
    gate,
    sessions,
    keysFolder,
    shared,
    passed,
    lines,
    accept,
    send: async (bytes) => decode(await guarded(bytes, '127.0.0.1:9'), 'network'),
    request: (id, load, lies) => requestBytes(id, keyPair(id).key, sessions.get(id) ?? shared, load, lies),
  };
}
