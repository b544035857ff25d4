import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import {
  PeerWatch,
  type WatchedPeer,
  type WatchLimits,
} from '../../../../src/network/transport/peer-watch.ts';

class Peer implements WatchedPeer {
  hasSpoken = false;
  pendingBytes = 0;
  receivedBytes = 0;
  messages = 0;
  address: string | undefined;
  isPaused = false;
  fault = '';

  destroy(error: Error): void {
    this.fault = error.message;
  }
}

function watch(limits: WatchLimits) {
  let nowMs = 0;
  let look = (): void => undefined;
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    every: (_periodMs, run) => {
      look = run;
      return { cancel: () => undefined };
    },
  };
  const peers = new Set<Peer>();
  const watched = new PeerWatch<Peer>(clock, peers, limits);
  const come = (address?: string): Peer => {
    const peer = new Peer();
    peer.address = address;
    peers.add(peer);
    watched.add(peer);
    return peer;
  };
  const pass = (ms: number): void => {
    nowMs += ms;
    look();
  };
  return { come, pass, watched, peers };
}

test('peer watch - who says nothing in time is cut off, who has spoken may be silent', () => {
  const { come, pass } = watch({ firstWordMs: 30_000, silentMax: 10 });
  const [silent, speaking] = [come(), come()];
  pass(29_000);
  speaking.hasSpoken = true;
  pass(2_000);
  assert.match(silent.fault, /said nothing that makes sense within 30 s/);
  pass(600_000);
  assert.equal(speaking.fault, '');
});

test('peer watch - a message that trickles ends the connection, one that comes on does not', () => {
  const { come, pass } = watch({ firstWordMs: Infinity, silentMax: 10 });
  const [loris, slow, paused] = [come(), come(), come()];
  paused.isPaused = true;
  for (const peer of [loris, slow, paused]) peer.pendingBytes = 10;
  for (let round = 0; round < 5; round++) {
    loris.receivedBytes += 5;
    slow.receivedBytes += 600;
    pass(5_000);
  }
  assert.match(loris.fault, /lets a message trickle \(10 bytes of it have come\)/);
  assert.deepEqual([slow.fault, paused.fault], ['', '']);
});

test('peer watch - of too many silent peers the oldest go', () => {
  const { come, watched, peers } = watch({ firstWordMs: Infinity, silentMax: 2 });
  const [first, second] = [come(), come()];
  second.hasSpoken = true;
  const third = come();
  const fourth = come();
  const fifth = come();
  assert.match(first.fault, /more than 2 peers have connected and said nothing/);
  assert.deepEqual([second.fault, fourth.fault, fifth.fault], ['', '', '']);
  assert.match(third.fault, /more than 2 peers/);
  watched.remove(third);
  peers.delete(third);
  watched.close();
});

test('peer watch - no message may take longer than five minutes, however it comes on, and a busy peer is none such', () => {
  const { come, pass } = watch({ firstWordMs: Infinity, silentMax: 10 });
  const [endless, busy] = [come(), come()];
  for (const peer of [endless, busy]) peer.pendingBytes = 10;
  for (let round = 0; round < 62; round++) {
    for (const peer of [endless, busy]) peer.receivedBytes += 1000;
    if (round % 20 === 0) busy.messages++;
    pass(5_000);
  }
  assert.match(endless.fault, /has not finished a message within 300 s/);
  assert.equal(busy.fault, '');
});

test('peer watch - of too many silent peers of one address the oldest go, and nobody else', () => {
  const { come, watched } = watch({ firstWordMs: Infinity, silentMax: 10, silentByAddressMax: 2 });
  const other = come('10.0.0.2');
  const [first, second] = [come('10.0.0.1'), come('10.0.0.1')];
  assert.equal(first.fault, '');
  watched.remove(second);
  come('10.0.0.1');
  assert.equal(first.fault, '');
  come('10.0.0.1');
  assert.match(first.fault, /more than 2 peers from 10\.0\.0\.1 have connected and said nothing yet/);
  assert.deepEqual([other.fault, second.fault], ['', '']);
});
