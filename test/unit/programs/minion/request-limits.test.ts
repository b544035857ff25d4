/** Every request of a minion has the limits that are configured. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { callerServices } from '../../../../src/cli/call/caller-services.ts';
import type { CallerServiceDeps } from '../../../../src/cli/call/caller-services-deps.ts';
import { minionServices, type MinionServicesDeps } from '../../../../src/programs/minion/services.ts';
import { onceLimits, requestLimits } from '../../../../src/programs/minion/request-limits.ts';
import type { MinionOptions } from '../../../../src/config/minion-options.ts';
import type { Patience } from '../../../../src/network/channel/client/request-channel.ts';
import type { MinionServices } from '../../../../src/runtime/loader/module.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict } from '../../../../src/python/values/value.ts';

const opts = {
  get: (name: string) => ({ request_channel_timeout: 5, request_channel_tries: 2 })[name],
} as unknown as MinionOptions;

/** The services of a minion and of salt-call, and the limits of what they have asked. */
function made(): { readonly services: readonly MinionServices[]; readonly asked: Patience[] } {
  const asked: Patience[] = [];
  const requests = {
    send: (_load: unknown, patience: Patience) => {
      asked.push(patience);
      return Promise.resolve(true);
    },
  };
  const connection = { requests, address: { host: 'm' } };
  const state = (): unknown => ({ opts: new Map(), deps: { opts, log: silentLogger } });
  return {
    asked,
    services: [
      minionServices({ state, sides: () => [{ connection, state }] } as unknown as MinionServicesDeps),
      callerServices({ opts, link: connection, log: silentLogger } as unknown as CallerServiceDeps),
    ],
  };
}

test('request limits - the pillar of a state run, the mine, files and events are not waited for longer than configured', async () => {
  const { services, asked } = made();
  for (const service of services) {
    await service.request(dict({ cmd: '_pillar' }));
    await service.requestAll?.(dict({ cmd: '_mine' }));
    await service.fireMaster('tag', new Map());
  }
  assert.equal(asked.length, 6);
  for (const patience of asked) assert.deepEqual(patience, { timeoutMs: 5000, tries: 2 });
});

test('request limits - what must not be asked twice is waited for as long as all attempts', async () => {
  const { services, asked } = made();
  for (const service of services) await service.request(dict({ cmd: 'minion_runner' }), { once: true });
  assert.deepEqual(asked, [
    { timeoutMs: 10_000, tries: 1 },
    { timeoutMs: 10_000, tries: 1 },
  ]);
  assert.deepEqual(onceLimits(opts), asked[0]);
});

test('request limits - a request that nobody waits for so long keeps its own where that is shorter', () => {
  assert.deepEqual(requestLimits(opts, { timeoutMs: 3000, tries: 9 }), { timeoutMs: 3000, tries: 2 });
});
