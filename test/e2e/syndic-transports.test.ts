/** A syndic whose master above is reached over other transports than zeromq. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fleet, freePort } from '../support/fleet.ts';
import { createBelow, joinSyndic, ORDERS, publishAll, untilKept } from '../support/tree.ts';

test('syndic - reaches its master over tcp and over ws', { timeout: 90_000 }, async (t) => {
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const top = await Fleet.create(t, [
    ...ORDERS,
    `transport_opts: {tcp: {publish_port: ${ports[0]}, ret_port: ${ports[1]}}, ws: {publish_port: ${ports[2]}, ret_port: ${ports[3]}}}`,
  ]);
  await top.startMaster();
  await Promise.all(
    [
      ['tcp', ports[1]],
      ['ws', ports[3]],
    ].map(async ([transport, port]) => {
      const low = await createBelow(t, [`127.0.0.1:${port}`]);
      await low.startMaster();
      await joinSyndic(low, `s-${transport}`, [`transport: ${transport}`]);
      await low.joinMinion(`below-${transport}`);
    }),
  );
  const both = { 'below-tcp': 'x', 'below-ws': 'x' };
  assert.deepEqual(await top.json(['*', 'test.echo', 'x']), both);
  assert.deepEqual(await top.json(['below-tcp', 'test.ping']), { 'below-tcp': true });
  const [jid = ''] = await publishAll(top, [['test.echo', 'x']]);
  assert.deepEqual(await untilKept(top, jid, 2), both);
});
