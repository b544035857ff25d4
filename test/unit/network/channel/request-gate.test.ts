import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { ReplayGuard } from '../../../../src/network/channel/replay-guard.ts';
import { RequestGate } from '../../../../src/network/channel/request-gate.ts';

test('request gate - all log-ins reach the same worker, other requests in the clear whichever has time', () => {
  const guard = new ReplayGuard({ clock: systemClock, beginAnew: () => -Infinity });
  const gate = new RequestGate({
    guard,
    hasUserKey: () => false,
    knowsUser: () => false,
    hasSession: () => false,
    refused: () => undefined,
  });
  const idOf = (load: Record<string, unknown>): string | undefined => {
    const admitted = gate.admit(encode({ enc: 'clear', load: load as never, version: 3 }, 'network'), 'x');
    assert.ok(!Buffer.isBuffer(admitted));
    return admitted.id;
  };
  const login = { eauth: 'file', username: 'alice', password: 'x' };
  const lane = idOf({ cmd: 'runner', fun: 'test.arg', ...login });
  assert.equal(lane, '/log-ins');
  assert.equal(idOf({ cmd: 'mk_token', ...login, username: 'bob' }), lane);
  assert.equal(idOf({ cmd: 'publish', fun: 'test.ping', kwargs: login }), lane);
  assert.equal(idOf({ cmd: 'publish', fun: 'test.ping', kwargs: { token: 'f'.repeat(64) } }), undefined);
  assert.equal(idOf({ cmd: 'ping' }), undefined);
});
