/** Forms of the console: by keyboard alone, with what is done with them always in sight. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
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
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
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
  // every minion is one minion today
  await page
    .getByRole('dialog', { name: 'Run cmd.run on 1 minion?' })
    .getByRole('button', { name: 'Run on 1 minion' })
    .click();
  await page.waitForURL(/#\/jobs\/\d+/);
  await at.sees('42');

  // a function without a test mode is asked about with it, too, and a timeout that is none is not left out
  await at.go('#/run?tgt=*&fun=cmd.run&arg=true&test=true');
  await at.sees('cmd.run is not known to have a test mode: it may act as ever.');
  await page.getByRole('button', { name: 'Run on 1 minion' }).waitFor();
  await page.getByLabel('Timeout', { exact: true }).fill('5s');
  await at.sees('The timeout 5s is no number of seconds above 0.');
  assert.equal(await page.getByRole('button', { name: 'Run on 1 minion' }).isDisabled(), true);
  await page.getByLabel('Timeout', { exact: true }).fill('');
  // wherever the focus is
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Run cmd.run on 1 minion?' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // what lies over the page has the keys: a palette that is open runs nothing behind it
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
  assert.equal(await dialog.count(), 0);
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

test(
  'console - templates are on the server, and those of a browser move there',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t);
    const browser = await startBrowser(t);
    const at = await ConsolePage.open(browser, console);
    const { page } = at;
    const old = [
      {
        name: 'old one',
        kind: 'local',
        target: { text: 'web*', kind: 'glob' },
        fun: 'test.ping',
        fields: {},
        line: '',
      },
      {
        name: 'old two',
        kind: 'runner',
        target: { text: '', kind: 'glob' },
        fun: 'manage.up',
        fields: {},
        line: '',
      },
    ];
    await page.evaluate(`localStorage.setItem('brine-templates', ${JSON.stringify(JSON.stringify(old))})`);
    await at.go('#/run?tgt=web*&fun=test.arg&arg=a%20b');
    await page.getByRole('button', { name: 'Templates' }).click();
    const dialog = page.getByRole('dialog', { name: 'Templates' });
    await dialog.getByText('2 templates are in this browser only.').waitFor();
    await at.assertSound('templates of the browser');
    await dialog.getByRole('button', { name: 'Move to the server' }).click();
    await dialog.getByRole('button', { name: 'Remove old two' }).waitFor();
    assert.equal(await page.evaluate(`localStorage.getItem('brine-templates')`), null);
    await dialog.getByLabel('Keep the form as').fill('words');
    await dialog.getByLabel('for everybody').check();
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.getByText('shared by file:alice').waitFor();
    await at.assertSound('templates');
    await at.picture('templates-light');
    await asksForEverybody(dialog);
    await at.assertSound('the question about a template');
    await at.close();

    // another browser has them too, and somebody else what is shared
    const second = await ConsolePage.open(browser, console);
    await second.go('#/run');
    await second.page.getByRole('button', { name: 'Templates' }).click();
    await second.page
      .getByRole('dialog')
      .getByRole('button', { name: /^words/ })
      .click();
    assert.deepEqual(
      await Promise.all(
        ['Target', 'Function'].map((name) => second.page.getByLabel(name, { exact: true }).inputValue()),
      ),
      ['web*', 'test.arg'],
    );
    assert.equal(await second.page.getByLabel(/^(More a|A)rguments/).inputValue(), 'a b');
    await second.close();
    const other = await ConsolePage.open(browser, console, { user: 'limited' });
    await other.go('#/run');
    await other.page.getByRole('button', { name: 'Templates' }).click();
    await other.page.getByRole('button', { name: /^words/ }).waitFor();
    assert.equal(await other.page.getByRole('button', { name: /^(Remove|old)/ }).count(), 0);
  },
);

/** What everybody has is not replaced and not removed by one click. */
async function asksForEverybody(dialog: Locator): Promise<void> {
  const replaces = dialog.getByRole('dialog', { name: 'Replace the template words for everybody?' });
  await dialog.getByLabel('Keep the form as').fill('words');
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await replaces.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await replaces.getByRole('button', { name: 'Replace' }).click();
  await replaces.waitFor({ state: 'detached' });
  await dialog.getByLabel('Keep the form as').fill('short');
  await dialog.getByRole('button', { name: 'Keep' }).click();
  const remove = dialog.getByRole('button', { name: 'Remove short' });
  await remove.click();
  const removes = dialog.getByRole('dialog', { name: 'Remove the template short for everybody?' });
  await removes.getByText('It is shared').waitFor();
  await removes.getByRole('button', { name: 'Cancel' }).click();
  await remove.click();
  await removes.getByRole('button', { name: 'Remove' }).click();
  await remove.waitFor({ state: 'detached' });
}
