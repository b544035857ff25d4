/**
 * Logging in to the console at a provider of OpenID Connect, in a real browser: cookies, redirects and the policy of
 * the page play along.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConsoleFleet, hasBrowser, startBrowser } from '../support/console-browser.ts';
import { CLIENT, OidcStandIn } from '../support/oidc-stand-in.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';

test('console - a log-in by OpenID Connect', { skip: NO_BROWSER }, async (t) => {
  const provider = await OidcStandIn.start(t);
  const folder = mkdtempSync(join(tmpdir(), 'console-oidc-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const console = await ConsoleFleet.start(t, (port) => {
    const lines = [
      'external_auth:',
      '  oidc:',
      '    ^name: Example ID',
      `    ^issuer: ${provider.issuer}`,
      `    ^client_id: ${CLIENT.id}`,
      `    ^client_secret: '${CLIENT.secret}'`,
      `    ^redirect_uri: http://127.0.0.1:${port}/api/v2/session/oidc/callback`,
      '    ^username_claim: preferred_username',
      '    olga: [test.ping]',
    ];
    writeFileSync(join(folder, 'oidc.conf'), `${lines.join('\n')}\n`);
    return [`include: ${folder}/oidc.conf`];
  });
  const context = await (await startBrowser(t)).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  await page.goto(console.url);
  const button = page.getByRole('button', { name: 'Log in with Example ID' });
  await button.waitFor();
  assert.equal(await page.locator('input[name=password]').count(), 0, 'there is nothing to type');

  provider.misdeeds.claims = (good) => ({ ...good, aud: 'another-client' });
  await button.click();
  await page.getByRole('alert').getByText('has not let you in').waitFor();
  assert.equal((await context.cookies()).filter(({ name }) => name === 'session_id').length, 0);

  provider.misdeeds = {};
  await button.click();
  await page.waitForSelector('.shell main h1');
  await page.getByText('olga').first().waitFor();
  const cookies = new Map((await context.cookies(console.url)).map((each) => [each.name, each]));
  assert.deepEqual([...cookies.keys()], ['session_id'], 'the cookie of the log-in is gone');
  assert.deepEqual(
    [cookies.get('session_id')?.httpOnly, cookies.get('session_id')?.sameSite],
    [true, 'Strict'],
  );
  assert.equal(new URL(page.url()).origin, new URL(console.url).origin);
  await page.reload();
  await page.waitForSelector('.shell main h1');
  assert.deepEqual(complaints, []);
});
