/** What the events of `event.fire_master` and `event.send` carry to the master (salt/modules/event.py, 3006.16). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { callerServices } from '../../../../src/cli/call/caller-services.ts';
import type { CallerServiceDeps } from '../../../../src/cli/call/caller-services-deps.ts';
import type { MinionOptions } from '../../../../src/config/minion-options.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { minionServices, type MinionServicesDeps } from '../../../../src/programs/minion/services.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import type { MinionServices } from '../../../../src/runtime/loader/module.ts';

const opts = { get: () => undefined } as unknown as MinionOptions;
const data = dict({ a: 1 });
const preload = dict({ x: 1 });

/** What a master is sent when these services fire. */
async function sent(
  make: (connection: unknown) => MinionServices,
  ...args: Parameters<MinionServices['fireMaster']>
): Promise<Dict> {
  const loads: Dict[] = [];
  const send = (load: Dict): Promise<boolean> => Promise.resolve(loads.push(load) > 0);
  assert.equal(await make({ requests: { send }, address: { host: 'm' } }).fireMaster(...args), true);
  assert.equal(loads.length, 1);
  return loads[0] as Dict;
}

function ofMinion(connection: unknown): MinionServices {
  const state = (): unknown => ({ opts: new Map(), deps: { opts, log: silentLogger } });
  return minionServices({ state, sides: () => [{ connection, state }] } as unknown as MinionServicesDeps);
}

function ofSaltCall(link: unknown): MinionServices {
  return callerServices({ opts, link, log: silentLogger } as unknown as CallerServiceDeps);
}

const plain = { cmd: '_minion_event', tag: 'my/tag', data };

test('events to the master - one of salt-call has no pretag', async () => {
  assert.deepEqual(await sent(ofSaltCall, 'my/tag', data), dict(plain));
  assert.deepEqual(await sent(ofSaltCall, 'my/tag', data, preload), dict({ ...plain, x: 1 }));
  for (const other of ['done', [1, 2]])
    assert.deepEqual(await sent(ofSaltCall, 'my/tag', other), dict({ ...plain, data: other }));
});

test('events to the master - one of a minion has an empty pretag, unless it carries a preload', async () => {
  assert.deepEqual(await sent(ofMinion, 'my/tag', data), dict({ ...plain, pretag: null }));
  assert.deepEqual(await sent(ofMinion, 'my/tag', data, new Map()), dict({ ...plain, pretag: null }));
  assert.deepEqual(await sent(ofMinion, 'my/tag', data, preload), dict({ ...plain, x: 1 }));
});
