/**
 * Each view of the console in a browser, with real minions: what it shows, what it lets one do, and that it is
 * accessible.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { brineVersion, saltCompatVersion } from '../../src/version.ts';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';

test(
  'console - each view with real minions, in light and dark, and on a phone',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t);
    const { fleet } = console;
    prepareSite(console);
    for (const id of ['web1', 'web2', 'db1']) fleet.startMinion(id);
    const browser = await startBrowser(t);
    const at = await ConsolePage.open(browser, console);
    const { page } = at;

    // keys: the three wait, and are let in after a look at their fingerprints
    await at.go('#/keys');
    for (const id of ['web1', 'web2', 'db1'])
      await page.getByRole('checkbox', { name: `Choose ${id}` }).waitFor();
    const finger = await page.locator('.grid-body .grid-row').nth(0).locator('.cell').nth(2).innerText();
    await page.getByLabel(/Compare with a fingerprint/).fill(finger.toUpperCase());
    await at.sees('This is the key of db1.');
    await page.getByLabel(/Compare with a fingerprint/).fill('00'.repeat(32));
    await at.sees(/None of the 3 keys here/);
    await page.getByLabel(/Compare with a fingerprint/).fill('');
    await page.getByRole('button', { name: /^Choose all/ }).click();
    await at.assertSound('keys');
    await at.picture('keys-light');
    await page.getByRole('button', { name: 'Accept…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await at.sees('No minion waits for its key to be accepted.');
    await Promise.all(
      fleet.daemons
        .filter(({ name }) => name === 'salt-minion')
        .map((minion) => minion.logged('Minion is ready to receive requests')),
    );

    // run: whom it reaches before anything is sent, then the job with its outcomes
    await at.go('#/run');
    await page.getByLabel('Target', { exact: true }).fill('web*');
    await at.sees('2 minions');
    await page.getByLabel('Kind').selectOption('compound');
    await page.getByLabel('Target', { exact: true }).fill('G@kernel:Linux and (web1 or');
    await page.locator('.problem').first().waitFor();
    await page.getByLabel('Target', { exact: true }).fill('G@kernel:Linux and not db1');
    await at.sees('2 minions');
    await page.getByLabel('Function', { exact: true }).fill('test.ping');
    await at.assertSound('run');
    await page.getByRole('button', { name: /^Run on 2 minions/ }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    await at.sees('2 succeeded');
    await at.assertSound('job');

    // states: a test run first, grouped by state, with the difference of a file
    writeFileSync(fleet.path('web.conf'), 'listen 8080\nserver_name old\n');
    await at.go('#/states');
    await page.getByLabel('Target', { exact: true }).fill('*');
    await page.getByLabel(/^SLS/).fill('web');
    await at.sees('3 minions');
    await at.assertSound('states');
    await page.getByRole('button', { name: /^Test/ }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    await at.sees('test mode');
    const results = new URL(page.url()).hash;
    await openResults(at);
    await at.assertSound('results by state');
    await page.getByRole('tab', { name: /^Minions/ }).click();
    await page.getByRole('grid', { name: 'Minions of the job' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.panel .state-item').first().waitFor();
    await at.assertSound('return of one minion');

    // minions: by words, by target; one of them, whose pillar keeps its secrets
    await at.go('#/minions');
    await page.getByRole('link', { name: 'web1' }).waitFor();
    await at.sees(`Brine ${brineVersion}`);
    await page.getByRole('button', { name: 'Target' }).click();
    await page.getByLabel('Target', { exact: true }).fill('db*');
    await page.getByRole('link', { name: 'web1' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'db1' }).waitFor();
    await at.assertSound('minions');
    await at.go('#/minions/web1');
    await page.getByText('saltversion:').first().waitFor();
    await at.sees(`follows Salt ${saltCompatVersion}`);
    await at.assertSound('minion');
    await at.picture('minion-light');
    await page.getByRole('tab', { name: 'Pillar' }).click();
    await page.getByText('role:').first().waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /hunter2/);
    await at.sees(/sounds? secret/);

    // an id without a key can be asked nothing
    await at.go('#/minions/web9?tab=pillar');
    await at.sees('There is no key of a minion web9.');
    assert.equal(await page.getByRole('link', { name: 'Run on it' }).count(), 0);
    assert.deepEqual(await page.getByRole('tab').allInnerTexts(), ['Jobs']);

    // run: the form that a function's own description makes, a runner, and a wheel function
    await at.go('#/run?tgt=*&fun=pkg.install');
    await page.getByLabel('refresh').waitFor();
    await at.sees(/^Installs packages/);
    await page.getByRole('button', { name: 'Runner' }).click();
    await page.getByLabel('Function', { exact: true }).fill('manage.al');
    await page.getByRole('option', { name: /manage\.alived/ }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await at.sees('Returned');
    await page.locator('.value-view').getByText('web1').waitFor();
    await page.getByRole('button', { name: 'Wheel' }).click();
    await page.getByLabel('Function', { exact: true }).fill('key.list_all');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.value-view').getByText('minions_denied').waitFor();
    await at.assertSound('runner and wheel');

    // an orchestration with its steps, and what has drifted
    await at.go('#/orchestrations');
    await page.getByRole('button', { name: 'Run one…' }).click();
    await page.getByLabel('SLS').fill('orch');
    await page.getByRole('dialog').getByRole('button', { name: 'Run…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/whatever minions it names, without test mode/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Run orch' }).click();
    await page.waitForURL(/#\/orchestrations\/\d+/);
    await at.sees('ping them');
    await page.locator('.step.done').nth(1).waitFor();
    await at.assertSound('orchestration');
    await at.picture('orchestration-light');
    await at.go('#/states?tab=drift');

    await page.getByRole('grid', { name: 'Drift by minion' }).getByText('web.conf').first().waitFor();
    await at.assertSound('drift');
    await at.picture('drift-light');

    for (const [hash, text] of [
      ['#/jobs', 'state.apply web'],
      ['#/access', 'Rules that count for you'],
      ['#/now', 'Ended'],
    ] as const) {
      await at.go(hash);
      await at.sees(text);
      await at.assertSound(hash);
    }
    await at.go('#/access');
    await at.sees('@runner');
    await at.close();
    await showLooks(browser, console, results);
  },
);

/** Waits for all results of the test run, and opens those of the file. */
async function openResults(at: ConsolePage): Promise<void> {
  await at.sees(/^done$/);
  const conf = at.page.getByRole('button', { name: /web\.conf/ });
  await conf.waitFor();
  if ((await conf.getAttribute('aria-expanded')) === 'false') await conf.click();
  await at.page.locator('.diff-line.added').first().waitFor();
}

/** Pictures in dark and at the width of a phone; each is checked for contrast as well. */
async function showLooks(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  console: ConsoleFleet,
  results: string,
): Promise<void> {
  const jobs = await console.fleet.run('salt', ['--async', 'web1', 'test.sleep', '20']);
  assert.equal(jobs.code, 0);
  for (const [looks, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { width: 390, colorScheme: 'light' }],
  ] as const) {
    const at = await ConsolePage.open(browser, console, options);
    await console.fleet.run('salt', ['*', 'test.ping']);
    await at.sees('test.sleep 20');
    await at.sees(/succeeded/);
    await at.assertSound(`now, ${looks}`);
    await at.picture(`now-${looks}`);
    for (const [view, hash, text] of [
      ['minions', '#/minions', 'web1'],
      ['run', '#/run?tgt=*&fun=pkg.install', 'Run on'],
      ['jobs', '#/jobs', 'state.apply web'],
      ['states', results, 'test mode'],
      ['access', '#/access', 'Rules that count'],
    ] as const) {
      await at.go(hash);
      await at.sees(text);
      if (view === 'states') await openResults(at);
      assert.equal(
        await at.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
        true,
        `${view} is too wide`,
      );
      await at.assertSound(`${view}, ${looks}`);
      await at.picture(`${view}-${looks}`);
    }
    await at.close();
  }
}

function prepareSite({ fleet }: ConsoleFleet): void {
  writeFileSync(
    fleet.path('srv', 'web.sls'),
    [
      `${fleet.path('web.conf')}:`,
      '  file.managed:',
      '    - contents: |',
      '        listen 80',
      '        server_name {{ grains.id }}',
      'certificate is there:',
      '  file.exists:',
      `    - name: {{ '/nonexistent/cert.pem' if grains.id == 'web2' else '/' }}`,
      'checked:',
      '  test.nop: []',
      '',
    ].join('\n'),
  );
  writeFileSync(
    fleet.path('srv', 'orch.sls'),
    "ping them: {salt.function: [{name: test.ping}, {tgt: 'web*'}]}\nwait for it: {test.nop: []}\n",
  );
  writeFileSync(fleet.path('pillar', 'top.sls'), "base: {'*': [site]}\n");
  writeFileSync(
    fleet.path('pillar', 'site.sls'),
    'role: frontend\ndatabase: {user: app, password: hunter2}\n',
  );
}
