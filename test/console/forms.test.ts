/** Forms of the console: by keyboard alone, with what is done with them always in sight. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';

test('console - the form of a function with many arguments', { skip: NO_BROWSER }, async (t) => {
  const console = await ConsoleFleet.start(t, ['auto_accept: True']);
  await console.fleet.startMinion('web1').logged('Minion is ready to receive requests');
  const at = await ConsolePage.open(await startBrowser(t), console);
  const { page } = at;
  await at.go('#/run');
  // from the function's name on without a mouse
  await page.getByLabel('Target', { exact: true }).fill('*');
  await page.getByLabel('Function', { exact: true }).fill('cmd.ru');
  await page
    .getByRole('option', { name: /^cmd\.run/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel(/^cmd /).waitFor();
  await at.sees('More options (23)');
  assert.equal(await page.getByLabel(/^raise_err/).isVisible(), false);
  assert.deepEqual(await namesOf(page), ['cmd', 'cwd', 'stdin', 'runas', 'shell', 'env', 'timeout']);
  const run = page.getByRole('button', { name: /^Run on 1 minion/ });
  await run.waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 700 });
    assert.equal(await isInSight(page), true, `Run at a width of ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.keyboard.press('Tab');
  await page.keyboard.type('echo $((40 + 2))');
  for (let nth = 0; nth < 8; nth++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByLabel(/^group /).waitFor();
  assert.equal(await isInSight(page), true, 'Run, with all options open');
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(`document.activeElement.closest('label').innerText.split(' ')[0]`),
    'group',
  );
  await at.assertSound('all options');
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/#\/jobs\/\d+/);
  await at.sees('42');
});

function namesOf(page: Page): Promise<string[]> {
  return page.locator('fieldset > .function-form > .field > span > .mono').allInnerTexts();
}

/** Whether the button that runs can be seen as it is. */
function isInSight(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const button = document.querySelector('.run-actions button');
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })()`);
}
