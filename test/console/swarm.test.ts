/** The console on ten thousand simulated minions, which need `ulimit -n 20100`; `BRINE_SWARM` says how many others there are to be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { simulatedAnswer } from '../../src/programs/swarm/answers.ts';
import { preseedKeys, swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import { Swarm } from '../../src/programs/swarm/swarm.ts';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const COUNT = Number(process.env['BRINE_SWARM'] ?? 10_000);
const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';

test('console - ten thousand minions: lists, and a job as it comes in', { skip: NO_BROWSER }, async (t) => {
  const console = await ConsoleFleet.start(t, ['max_minions: 0', 'max_open_files: 100000']);
  const keys = await swarmKeys(4);
  preseedKeys(console.fleet.path('m', 'pki'), 'sim-', COUNT, keys);
  const swarm = new Swarm({
    master: { host: '127.0.0.1', port: console.fleet.retPort },
    count: COUNT,
    prefix: 'sim-',
    keys,
    answer: simulatedAnswer(300),
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => swarm.close());
  await swarm.join();
  const at = await ConsolePage.open(await startBrowser(t), console);
  const { page } = at;
  const timed = async (what: string, act: () => Promise<void>): Promise<void> => {
    const startMs = systemClock.monotonicMs();
    await act();
    t.diagnostic(`${what}: ${Math.round(systemClock.monotonicMs() - startMs)} ms`);
  };
  const rows = (): Promise<number> => page.locator('.grid-body .grid-row').count();
  await timed(`first rows of ${COUNT} minions`, async () => {
    await at.go('#/minions');
    await page.locator('.grid-body .grid-row').first().waitFor();
  });
  await at.sees(COUNT.toLocaleString('en'));
  assert.ok((await rows()) < 80, 'only what can be seen is in the page');
  await timed('from the first row to the last', async () => {
    await page.getByRole('grid', { name: 'Minions' }).focus();
    for (let nth = 0; nth < 200; nth++) {
      await page.keyboard.press('End');
      if (await page.locator(`.grid-row[aria-rowindex="${COUNT + 1}"]`).isVisible()) break;
      await page.locator('[role=grid][aria-busy=false]').first().waitFor();
    }
    await page.locator(`.grid-row[aria-rowindex="${COUNT + 1}"]`).waitFor();
  });
  assert.ok((await rows()) < 80);
  await at.go('#/run');
  await page.getByLabel('Target', { exact: true }).fill('sim-*');
  await at.sees(`${COUNT.toLocaleString('en')} minions`);
  await page.getByLabel('Function', { exact: true }).fill('test.ping');
  await timed('a job from the click to its last return', async () => {
    await page.getByRole('button', { name: /^Run on/ }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    await at.sees(`${COUNT.toLocaleString('en')} succeeded`);
  });
  await page.getByRole('tab', { name: /^Same returns 1$/ }).waitFor();
  assert.ok((await rows()) < 80);
  await at.go('#/now');
  await at.sees(`${COUNT.toLocaleString('en')} succeeded`);
  await at.assertSound('ten thousand minions');
  await at.picture('swarm-light');
});
