/** Sessions of those who have logged in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { Secret } from '../../../../src/host/secret.ts';
import { SESSION_SECONDS, Sessions } from '../../../../src/programs/api/sessions.ts';

function made(): { sessions: Sessions; begin: (user: string) => string; later: (ms: number) => void } {
  let nowMs = 0;
  const sessions = new Sessions({ ...systemClock, monotonicMs: () => nowMs }, systemRandom);
  return {
    sessions,
    begin: (user) => sessions.begin({ token: new Secret('t'), user, expire: 0 }),
    later: (ms) => (nowMs += ms),
  };
}

test('API sessions - a user who begins many ends his own, and nobody else’s', () => {
  const { sessions, begin, later } = made();
  const alice = begin('alice');
  const mine = Array.from({ length: 1_000 }, () => {
    later(1);
    return begin('limited');
  });
  later(1);
  const [first, second] = mine as [string, string];
  assert.ok(sessions.find(first) !== undefined, 'the first is used again');
  const kept = sessions.find(second);
  later(1);
  assert.ok(sessions.find(second) !== undefined);
  const third = sessions.find(mine[2]);
  assert.ok(third !== undefined);
  later(1);
  for (const id of mine.slice(4)) sessions.find(id);
  begin('limited');
  assert.equal(sessions.find(mine[3]), undefined, 'the one that was used longest ago');
  assert.equal(kept?.isOver, false);
  for (let at = 0; at < 12_000; at++) begin('limited');
  assert.ok(sessions.find(alice) !== undefined);
  assert.equal(kept?.isOver, true, 'whoever holds on to it is told');
  assert.equal(sessions.size, 1_001);
  assert.equal(sessions.replaced, 12_001);
});

test('API sessions - they end by themselves, and when somebody logs out', () => {
  const { sessions, begin, later } = made();
  const [one, other] = [begin('alice'), begin('alice')];
  sessions.end(one);
  assert.equal(sessions.find(one), undefined);
  later(SESSION_SECONDS * 1000 + 1);
  assert.equal(sessions.find(other), undefined);
  assert.equal(sessions.size, 0);
});
