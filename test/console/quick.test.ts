/** The way from the log-in to the results of a job, by the keyboard alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';
const FOCUSED_ROLE = `document.activeElement?.getAttribute('role')`;

test('console - the keyboard alone', { skip: NO_BROWSER }, async (t) => {
  const console = await ConsoleFleet.start(t, ['auto_accept: True']);
  await console.fleet.joinMinion('web1');
  const at = await ConsolePage.open(await startBrowser(t), console);
  const { page } = at;
  const { keyboard } = page;
  await keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await at.assertSound('palette');
  await keyboard.type('web1');
  await page.getByRole('option', { name: /web1/ }).waitFor();
  await keyboard.press('Enter');
  await page.waitForURL(/#\/minions\/web1/);
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await at.assertSound('shortcuts');
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keyboard.press('g');
  await keyboard.press('r');
  await page.getByRole('heading', { name: 'Run' }).waitFor();
  await keyboard.press('/');
  await keyboard.type('web1');
  await keyboard.press('Tab');
  await page.getByText('1 minion').first().waitFor();
  assert.equal(await page.evaluate<string | null>(FOCUSED_ROLE), 'combobox');
  await keyboard.type('test.ping');
  await keyboard.press('Escape');
  await keyboard.press('Control+Enter');
  await page.waitForURL(/#\/jobs\/\d+/);
  await at.sees('1 succeeded');
  await keyboard.press('g');
  await keyboard.press('j');
  await page.getByRole('grid').waitFor();
  await page.locator('.grid-body .grid-row').first().waitFor();
  for (let nth = 0; nth < 30; nth++) {
    await keyboard.press('Tab');
    if ((await page.evaluate<string | null>(FOCUSED_ROLE)) === 'grid') break;
  }
  await keyboard.press('Enter');
  await page.waitForURL(/#\/jobs\/\d+/);
  assert.deepEqual(at.complaints, []);
});

test('console - another address of the view that is open is gone to', { skip: NO_BROWSER }, async (t) => {
  const console = await ConsoleFleet.start(t, ['auto_accept: True']);
  await console.fleet.joinMinion('web1');
  const at = await ConsolePage.open(await startBrowser(t), console);
  const { page } = at;
  const isTab = (name: string): Promise<void> =>
    page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
  await at.go('#/minions/web1');
  await isTab('Grains');
  await at.go('#/minions/web1?tab=schedule');
  await isTab('Schedule');
  await page.goBack();
  await isTab('Grains');

  const fun = page.getByLabel('Function', { exact: true });
  await at.go('#/run?tgt=web1&fun=test.ping');
  await page.getByRole('button', { name: 'Run on 1 minion' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('test.echo');
  await page.getByRole('option', { name: /test\.echo/ }).click();
  await page.waitForURL(/fun=test\.echo/);
  assert.equal(await fun.inputValue(), 'test.echo');
  await page.goBack();
  await page.getByRole('button', { name: 'Run on 1 minion' }).waitFor();
  assert.equal(await fun.inputValue(), 'test.ping');

  // what somebody types is put into the address, and is no arrival
  await at.go('#/jobs');
  const typed = page.getByLabel('Function', { exact: true });
  await typed.pressSequentially('test.*');
  await page.waitForURL(/fun=test/);
  assert.equal(await typed.inputValue(), 'test.*');
  assert.deepEqual(at.complaints, []);
});
