import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minionOptions } from '../../../../src/config/minion-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { startupDelay } from '../../../../src/programs/minion/startup-delay.ts';
import { dict } from '../../../../src/python/values/value.ts';

/** @returns the milliseconds slept */
async function slept(longest: number, fraction: number): Promise<number[]> {
  const sleeps: number[] = [];
  await startupDelay({
    opts: new Options(minionOptions, dict({ id: 'm1', random_startup_delay: longest })),
    clock: { ...systemClock, sleep: async (delayMs) => void sleeps.push(delayMs) },
    random: { ...systemRandom, fraction: () => fraction },
    log: createLogger('salt.minion', []),
  });
  return sleeps;
}

test('random_startup_delay - a random part of so many seconds, and no sleep at all with 0', async () => {
  assert.deepEqual(await slept(60, 0.5), [30_000]);
  assert.deepEqual(await slept(60, 0.999), [60_000]);
  assert.deepEqual(await slept(0, 0.5), []);
});
