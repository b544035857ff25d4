/** The console when things go wrong: hostile returns, a user with few rights, a master that dies and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsoleFleet, ConsolePage, hasBrowser, PASSWORD, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';
/** Lists in lists; a form for deeper ones is refused long before. */
const DEEP = 90;
const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script><a href="javascript:alert(3)">x</a>';

test(
  'console - returns and events that are made to do harm, and one of ten megabytes',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t, ['auto_accept: True', 'file_recv_max_size: 100']);
    await console.fleet.joinMinion('web1');
    const at = await ConsolePage.open(await startBrowser(t), console);
    const { page } = at;
    const run = async (fun: string, ...args: string[]): Promise<void> => {
      const { stdout } = await console.fleet.run('salt', ['--async', 'web1', fun, ...args]);
      const jid = /(\d{20})/.exec(stdout)?.[1] ?? '';
      await at.go(`#/jobs/${jid}`);
      await at.sees(jid);
      await at.sees('1 succeeded');
      await page.getByRole('grid', { name: 'Minions of the job' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.panel .value-view').waitFor();
    };
    const isHarmless = async (): Promise<void> => {
      assert.equal(
        await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count(),
        0,
      );
      assert.deepEqual(at.complaints, []);
    };
    await run('test.echo', HOSTILE);
    await at.sees(/onerror=alert/);
    await isHarmless();
    await run('test.arg', HOSTILE, `__proto__=${HOSTILE}`, 'constructor=1');
    await isHarmless();
    await run('test.echo', `${'['.repeat(DEEP)}"${HOSTILE}"${']'.repeat(DEEP)}`);
    await isHarmless();
    await page.getByRole('button', { name: 'JSON' }).click();
    await at.sees(/onerror=alert/);
    await isHarmless();
    await run('cmd.run', `python3 -c 'print("x" * 10000000)'`);
    await at.sees(/more characters/);
    assert.ok((await page.evaluate<number>('document.body.innerHTML.length')) < 300_000);
    await page.getByRole('button', { name: 'JSON' }).click();
    await at.sees(/cut here/);
    assert.ok((await page.evaluate<number>('document.body.innerHTML.length')) < 500_000);
    await run('cmd.run', 'python3 -c "import json; print(json.dumps(list(range(200000))))"');
    await isHarmless();

    await at.go('#/now');
    const sent = await console.fleet.run('salt', ['web1', 'event.send', `site/${HOSTILE}`, HOSTILE]);
    assert.equal(sent.code, 0, sent.stdout);
    await page.getByLabel('Show events whose tag matches').fill('site/');
    await page
      .getByRole('grid', { name: /^Events/ })
      .getByText('onerror')
      .first()
      .click();
    await page.getByRole('dialog').getByText('alert(2)').first().waitFor();
    assert.equal(await page.locator('dialog img, dialog script').count(), 0);
    await isHarmless();
    await at.go(`#/minions/${encodeURIComponent(HOSTILE)}`);
    await page.locator('main .problem').first().waitFor();
    await isHarmless();
  },
);

test(
  'console - what a user may not do is not offered, and refused all the same',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t, ['auto_accept: True']);
    await Promise.all([console.fleet.joinMinion('web1'), console.fleet.joinMinion('db1')]);
    const at = await ConsolePage.open(await startBrowser(t), console, { user: 'limited' });
    const { page } = at;
    const names = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();
    assert.equal(names.includes('Keys'), false, names.join());
    await at.sees(/You may not listen to the event bus/);
    await at.go('#/keys');
    await at.sees(/You have no rights to anything in this view/);
    await at.go('#/run');
    assert.equal(await page.getByRole('button', { name: 'Wheel' }).count(), 0);
    await page.getByLabel('Target', { exact: true }).fill('web1');
    await page.getByLabel('Function', { exact: true }).fill('test.ping');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    await at.sees('1 succeeded');
    await at.go('#/run');
    await page.getByLabel('Target', { exact: true }).fill('db1');
    await page.getByLabel('Function', { exact: true }).fill('cmd.run');
    await page
      .getByLabel(/rguments/)
      .first()
      .fill('id');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.locator('main .problem').first().waitFor();
    const refused = await page.evaluate(
      async () =>
        (
          await fetch('api/v2/keys/accept', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: '{"ids":["x"]}',
          })
        ).status,
    );
    assert.equal(refused, 403);
    await at.assertSound('limited user');
  },
);

test(
  'console - who logs in before the API has said how is let in all the same',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t);
    const at = await ConsolePage.open(await startBrowser(t), console);
    const { page } = at;
    await at.context.clearCookies();
    // another one of this browser may have used a system that is not there any more
    await page.evaluate(`localStorage.setItem('brine-eauth', 'ldap')`);
    let letGo: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/session/options', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.fill('input[name=username]', 'alice');
    await page.fill('input[name=password]', PASSWORD);
    await page.press('input[name=password]', 'Enter');
    await page.getByRole('button', { name: 'Logging in…' }).waitFor();
    assert.equal(await page.locator('.login .problem').count(), 0);
    letGo?.();
    await page.waitForSelector('.shell main h1');
    await at.assertSound('an early log-in');
  },
);

test(
  'console - a master and an API that die and come back, and a session that ends',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t, ['auto_accept: True']);
    const { fleet } = console;
    await fleet.joinMinion('web1');
    const at = await ConsolePage.open(await startBrowser(t), console);
    const { page } = at;
    const status = page
      .getByRole('status')
      .filter({ hasText: /live|reconnecting|away|connecting/ })
      .first();
    await status.getByText('live').waitFor();

    await fleet.master?.stop('SIGKILL');
    await at.go('#/minions');
    await page
      .getByRole('alert')
      .filter({ hasText: /master/i })
      .first()
      .waitFor();
    await fleet.startMaster();
    await page.getByRole('link', { name: 'web1' }).waitFor();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await status.getByText('live').waitFor();

    await at.go('#/jobs');
    await console.api?.stop('SIGKILL');
    await page
      .locator('.banner')
      .getByText(/salt-api cannot be reached/)
      .waitFor();
    await console.startApi();
    // the API keeps sessions in its memory: it asks for the password, and the view stays
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.getByRole('dialog').getByLabel('Password').fill('pw');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(page.url(), /#\/jobs/);
    await page.locator('.banner').waitFor({ state: 'detached' });
    await status.getByText('live').waitFor();
    await fleet.run('salt', ['web1', 'test.ping']);
    await page.reload();
    await at.sees('test.ping');
    assert.deepEqual(at.complaints, []);
  },
);
