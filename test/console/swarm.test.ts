/**
 * The console on ten thousand simulated minions and a hundred thousand jobs. `BRINE_SWARM` and `BRINE_SWARM_JOBS` say
 * how many others there are to be; each process of the master has a connection of each minion open (`ulimit -n`).
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { jobCacheDirectory } from '../../src/config/job-caches.ts';
import { systemClock } from '../../src/host/clock.ts';
import { dict } from '../../src/python/values/value.ts';
import { jidAt } from '../../src/storage/jobs/jid.ts';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';
import type { Fleet } from '../support/fleet.ts';
import { joinSwarm } from '../support/swarm-processes.ts';

const COUNT = Number(process.env['BRINE_SWARM'] ?? 10_000);
const JOBS = Number(process.env['BRINE_SWARM_JOBS'] ?? 100_000);
const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';
const TEST_MS = 20 * 60_000;
/** A lot of patience for a machine that does other work; what is measured is told. */
const PATIENCE_MS = 180_000;
/** Jobs of a day, which is how long a master keeps them. */
const DAY_MS = 20 * 3_600_000;
const AT_A_TIME = 2_000;

async function fillJobCache(fleet: Fleet): Promise<void> {
  const store = new SqliteJobStore({ directory: jobCacheDirectory(fleet.path('m', 'cache')) });
  const endMs = systemClock.nowMs();
  for (let from = 0; from < JOBS; from += AT_A_TIME) {
    const writes: Promise<unknown>[] = [];
    for (let nth = from; nth < Math.min(JOBS, from + AT_A_TIME); nth++) {
      const jid = jidAt(endMs - DAY_MS + Math.floor((nth * DAY_MS) / JOBS));
      const fun = ['test.ping', 'state.apply', 'cmd.run'][nth % 3] ?? '';
      const id = `sim-a-${String(nth % 100).padStart(5, '0')}`;
      const job = {
        cmd: 'publish',
        tgt: id,
        tgt_type: 'glob',
        fun,
        arg: [],
        ret: '',
        jid,
        user: 'root',
        kwargs: {},
      };
      writes.push(store.saveJob(jid, dict(job), [id]));
      writes.push(store.saveReturn({ jid, id, fun, return: true, retcode: 0, success: true }));
    }
    await Promise.all(writes);
  }
  store.checkpoint();
  await store.close();
}

class Timed {
  readonly #t: TestContext;
  constructor(t: TestContext) {
    this.#t = t;
  }
  async run<T>(what: string, act: () => Promise<T>): Promise<T> {
    const startMs = systemClock.monotonicMs();
    const out = await act();
    this.#t.diagnostic(`${what}: ${Math.round(systemClock.monotonicMs() - startMs)} ms`);
    return out;
  }
}

test(
  'console - ten thousand minions: lists, and a job as it comes in',
  { skip: NO_BROWSER, timeout: TEST_MS },
  async (t) => {
    const timed = new Timed(t);
    const all = COUNT.toLocaleString('en');
    const console = await ConsoleFleet.start(t, ['max_minions: 0', 'max_open_files: 100000'], (fleet) =>
      timed.run(`${JOBS} jobs are stored`, () => fillJobCache(fleet)),
    );
    await timed.run(`${COUNT} minions have joined`, () => joinSwarm(t, console.fleet, COUNT));
    const at = await timed.run('the browser, the log-in and the first view', async () =>
      ConsolePage.open(await startBrowser(t), console),
    );
    const { page } = at;
    page.setDefaultTimeout(PATIENCE_MS);
    const rows = (): Promise<number> => page.locator('.grid-body .grid-row').count();
    const firstRow = (): Promise<void> => page.locator('.grid-body .grid-row').first().waitFor();

    await timed.run(`first rows of ${COUNT} minions`, async () => {
      await at.go('#/minions');
      await firstRow();
    });
    await at.sees(all);
    assert.ok((await rows()) < 80, 'only what can be seen is in the page');
    await timed.run('from the first row to the last', async () => {
      await page.getByRole('grid', { name: 'Minions' }).focus();
      for (let nth = 0; nth < 200; nth++) {
        await page.keyboard.press('End');
        if (await page.locator(`.grid-row[aria-rowindex="${COUNT + 1}"]`).isVisible()) break;
        await page.locator('[role=grid][aria-busy=false]').first().waitFor();
      }
      await page.locator(`.grid-row[aria-rowindex="${COUNT + 1}"]`).waitFor();
    });
    assert.ok((await rows()) < 80);

    await timed.run(`first rows of ${JOBS} jobs`, async () => {
      await at.go('#/jobs');
      await page.getByRole('grid', { name: 'Jobs' }).waitFor();
      await firstRow();
    });
    assert.ok((await rows()) < 80);

    await at.go('#/run');
    await timed.run('the forecast of a target', async () => {
      await page.getByLabel('Target', { exact: true }).fill('sim-*');
      await at.sees(`${all} minions`);
    });
    await page.getByLabel('Function', { exact: true }).fill('test.ping');
    await timed.run('a job from the click to its last return', async () => {
      await page.getByRole('button', { name: /^Run on/ }).click();
      await page.waitForURL(/#\/jobs\/\d+/);
      await at.sees(`${all} succeeded`);
    });
    await page.getByRole('tab', { name: /^Same returns 1$/ }).waitFor();
    assert.ok((await rows()) < 80);
    await timed.run('that job among those of now', async () => {
      await at.go('#/now');
      await at.sees(`${all} succeeded`);
    });
    await at.assertSound('ten thousand minions');
    await at.picture('swarm-light');

    await timed.run('the whole page anew, until its first view', async () => {
      await page.reload();
      await page.waitForSelector('.shell main h1');
    });
  },
);
