import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { StillConnected } from '../../../../src/runtime/cluster/still-connected.ts';
import { JumpingClock } from '../client/fake-master.ts';

test('cluster - a minion that has left another master and is connected here is not lost', async () => {
  const clock = new JumpingClock();
  const asked: (readonly string[])[] = [];
  const fired: string[] = [];
  const still = new StillConnected({
    local: {
      connections: ({ ids }) => {
        asked.push(ids);
        return Promise.resolve(
          new Map([
            ['here', { isConnected: true }],
            ['gone', { isConnected: false }],
          ]),
        );
      },
    },
    fire: (tag) => void fired.push(tag),
    clock,
    log: silentLogger,
  });
  for (const tag of [
    'brine/minion/here/disconnected',
    'brine/minion/gone/disconnected',
    'brine/minion/new/connected',
    'brine/minion/a/b/disconnected',
    'salt/minion/here/start',
  ])
    still.heard(tag);
  await clock.sleep(100);
  assert.deepEqual([asked, fired], [[['here', 'gone']], ['brine/minion/here/connected']]);
});
