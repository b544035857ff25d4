/**
 * The console while minions answer late: what a view has gathered in the meantime is what it shows when it is opened
 * anew.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';
const MINIONS = Array.from({ length: 10 }, (_, nth) => `web${nth + 1}`);
const LAST = 'web10';
/** Those that return one after the other, each when the test says so. */
const LATE = ['web8', 'web9', LAST];
/** Views that were opened before anything happened, with what is compared of them. */
const WATCHED = [
  ['#/jobs', 'main [role=grid]'],
  ['#/states?tab=history', 'main [role=grid]'],
  ['#/states?tab=drift', 'main'],
  ['#/orchestrations', 'main [role=grid]'],
  ['#/minions/web10?tab=jobs', 'main [role=grid]'],
  ['#/now', '.job-lines'],
] as const;

test(
  'console - minions that answer late, and keys, jobs and drift that come while a view is open',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t);
    const { fleet } = console;
    prepareSite(console);
    for (const id of MINIONS.slice(0, -1)) fleet.startMinion(id);
    const browser = await startBrowser(t);
    const at = await ConsolePage.open(browser, console);
    const { page } = at;

    // a key that comes while the list of keys is open, with its mark in the menu and in Now
    await at.go('#/keys');
    for (const id of MINIONS.slice(0, -1))
      await page.getByRole('checkbox', { name: `Choose ${id}`, exact: true }).waitFor();
    fleet.startMinion(LAST);
    await page.getByRole('checkbox', { name: `Choose ${LAST}` }).waitFor();
    await page.getByRole('navigation').getByText('10 pending').waitFor();
    await at.go('#/now');
    await at.sees('10 minions wait for their key to be accepted');
    await at.assertSound('keys that wait');
    await at.go('#/keys');
    await page.getByRole('button', { name: /^Choose all/ }).click();
    await page.getByRole('button', { name: 'Accept…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('navigation').getByText('pending').waitFor({ state: 'detached' });
    await Promise.all(
      fleet.daemons
        .filter(({ name }) => name === 'salt-minion')
        .map((minion) => minion.logged('Minion is ready to receive requests')),
    );

    const watched = await openWatched(browser, console);
    await page.evaluate(WATCH_COUNTS);
    await applyFromRun(at);
    // those that have returned are there while the others wait for the next line
    await page.locator('.state-groups').waitFor();
    for (const [nth, id] of LATE.entries()) {
      await at.sees(`${LATE.length - nth} running`, '.job-counts');
      if (id === LAST) await at.picture('late-light');
      writeFileSync(fleet.path(`go-${id}`), '');
    }
    await page.locator('.job-counts').getByText('1 failed').waitFor();
    await at.sees(/^done$/);
    await addsUp(page);
    await isAsIfLoadedAnew(page, '.state-groups');
    await chooseResult(page);
    for (const tab of ['Minions', 'Same returns']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      await page.locator('.grid-body .grid-row').first().waitFor();
    }

    // a test run and an orchestration, which the views that are open hear of
    const ran = await fleet.run('salt', ['*', 'state.apply', 'late', 'test=True']);
    assert.match(ran.stdout, /Failed:/);
    await fleet.run('salt-run', ['state.orchestrate', 'orch']);
    for (const [hash, selector, other] of watched) {
      const fresh = await ConsolePage.open(browser, console);
      await fresh.go(hash);
      await fresh.page.locator(selector).first().waitFor();
      await showTheSame(other.page, fresh.page, selector, hash);
      assert.deepEqual(other.complaints, [], hash);
      await Promise.all([fresh.close(), other.close()]);
    }
    await at.assertSound('late minions');
  },
);

test(
  'console - a minion that returns when its job has long ended without it',
  { skip: NO_BROWSER },
  async (t) => {
    const console = await ConsoleFleet.start(t, ['auto_accept: True']);
    const { fleet } = console;
    const [stopped] = await Promise.all([fleet.joinMinion('web1'), fleet.joinMinion('web2')]);
    stopped.child.kill('SIGSTOP');
    const { stdout } = await fleet.run('salt', ['-v', '-t', '1', '*', 'cmd.run', 'exit 3']);
    const jid = /jid (\d{20})/.exec(stdout)?.[1] ?? '';
    const browser = await startBrowser(t);
    const at = await ConsolePage.open(browser, console);
    await at.go(`#/jobs/${jid}`);
    await at.sees('1 silent', '.job-counts');
    await at.sees('1 failed', '.job-counts');
    // who may not listen to the bus asks from time to time
    const other = await ConsolePage.open(browser, console, { user: 'limited' });
    await other.go('#/run');
    await other.page.getByLabel('Target', { exact: true }).fill('web*');
    await other.page.getByLabel('Function', { exact: true }).fill('test.ping');
    await other.page.getByRole('button', { name: /^Run/ }).click();
    await other.page.waitForURL(/#\/jobs\/\d+/);
    await other.sees('1 silent', '.job-counts');

    stopped.child.kill('SIGCONT');
    await at.sees('2 failed', '.job-counts');
    await at.sees('failed, late');
    await other.sees('2 succeeded', '.job-counts');
    for (const each of [at, other]) {
      assert.equal(await each.page.locator('.job-counts .count').count(), 1);
      await isAsIfLoadedAnew(each.page, 'main [role=grid]');
      await each.assertSound('a late return');
    }
  },
);

/** Keeps each moment at which the states do not add up: none has more or fewer minions than have returned. */
const WATCH_COUNTS = `(() => {
  const figures = (text) => (text.match(/[\\d,]+/g) ?? []).map((each) => Number(each.replaceAll(',', '')));
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const textOf = (part) => part.innerText.replace(/\\s+/g, ' ').trim();
  globalThis.moments = { seen: 0, wrong: [] };
  const look = () => {
    const heads = [...document.querySelectorAll('.state-head')];
    const buttons = [...document.querySelectorAll('.state-groups > .row .switch button')].map(textOf);
    if (heads.length === 0 || buttons.length === 0) return;
    const outcomes = [...document.querySelectorAll('.job-counts .count.ok, .job-counts .count.failed')];
    const returned = sum(outcomes.map((each) => figures(textOf(each))[0]));
    const onEach = heads.map((head) => sum([...head.querySelectorAll('.outcome')].map((each) => figures(textOf(each))[0])));
    const [all, ...results] = buttons.map((each) => figures(each)[0]);
    const isRight = onEach.every((count) => count === returned) && all === sum(results) && all === sum(onEach);
    globalThis.moments.seen++;
    if (!isRight) globalThis.moments.wrong.push([returned, ...heads.map(textOf), ...buttons].join(' | '));
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

/** After the last return: no moment was wrong, and the figures are those of ten minions. */
async function addsUp(page: Page): Promise<void> {
  const moments = await page.evaluate<{ seen: number; wrong: string[] }>('globalThis.moments');
  assert.deepEqual(moments.wrong, []);
  assert.ok(moments.seen > 2, `${moments.seen} moments`);
  assert.deepEqual(await plainTexts(page, '.state-head'), [
    'certificate file.exists late 1 failed 9 ok',
    'conf file.managed late 10 changed',
    'wait cmd.run late 10 changed',
  ]);
  assert.deepEqual(await plainTexts(page, '.state-groups > .row .switch button'), [
    '1 failed',
    '20 changed',
    '9 ok',
    'All 30',
  ]);
  await page.getByText('results of 3 states on 10 minions').waitFor();
}

/** A result that is chosen is the only one that stands beside the states. */
async function chooseResult(page: Page): Promise<void> {
  await page.getByRole('button', { name: '9 ok' }).first().click();
  await page.getByText('results of 1 of 3 states on 10 minions').waitFor();
  assert.deepEqual(await plainTexts(page, '.state-head'), ['certificate file.exists late 9 ok']);
  await page.getByRole('button', { name: 'All 30' }).click();
}

async function plainTexts(page: Page, selector: string): Promise<string[]> {
  const texts = await page.locator(selector).allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim()).sort();
}

async function openWatched(
  browser: Browser,
  console: ConsoleFleet,
): Promise<(readonly [string, string, ConsolePage])[]> {
  const pages: (readonly [string, string, ConsolePage])[] = [];
  for (const [hash, selector] of WATCHED) {
    const other = await ConsolePage.open(browser, console);
    await other.go(hash);
    await other.page.locator('main h1').first().waitFor();
    pages.push([hash, selector, other]);
  }
  return pages;
}

/** Runs the states by the form: nothing is sent before the question is answered. */
async function applyFromRun(at: ConsolePage): Promise<void> {
  const { page } = at;
  await at.go('#/run?tgt=*&fun=state.apply&arg=late');
  await page.getByRole('button', { name: /^Run on 10 minions/ }).click();
  const question = page.getByRole('dialog', { name: 'Run state.apply on 10 minions?' });
  await question.getByText(/every minion whose key is accepted/).waitFor();
  await question.getByText('web3').waitFor();
  await at.assertSound('the question');
  await at.picture('question-light');
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.match(page.url(), /#\/run/);
  await page.getByRole('button', { name: /^Run on 10 minions/ }).click();
  await question.getByRole('button', { name: 'Run on 10 minions' }).click();
  await page.waitForURL(/#\/jobs\/\d+/);
}

/** What a view says, without times. */
const TEXT = `(selector) => [...document.querySelectorAll(selector)]
  .map((part) => part.innerText.replace(/\\d+ (ms|s|min)( \\d+ s)? ago|just now|\\d+(\\.\\d+)? (ms|s)\\b/g, 'TIME'))
  .join('\\n')`;

function textOf(page: Page, selector: string): Promise<string> {
  return page.evaluate<string>(`(${TEXT})(${JSON.stringify(selector)})`);
}

async function isAsIfLoadedAnew(page: Page, selector: string): Promise<void> {
  const live = await textOf(page, selector);
  await page.reload();
  await page.locator(selector).waitFor();
  await page
    .waitForFunction(`(${TEXT})(${JSON.stringify(selector)}) === ${JSON.stringify(live)}`, undefined, {
      timeout: 10_000,
    })
    .catch(async () => assert.equal(live, await textOf(page, selector), 'live and loaded anew'));
}

/** Waits until both show the same; which of them is right, the newer one knows. */
async function showTheSame(live: Page, fresh: Page, selector: string, name: string): Promise<void> {
  for (let nth = 0; nth < 60; nth++) {
    const texts = await Promise.all([textOf(live, selector), textOf(fresh, selector)]);
    if (texts[0] === texts[1] && texts[0] !== '') return;
    await live.waitForTimeout(500);
  }
  assert.equal(await textOf(live, selector), await textOf(fresh, selector), name);
}

function prepareSite({ fleet }: ConsoleFleet): void {
  // a test that has failed takes its folder along, and nothing waits on
  const wait = `until [ -e ${fleet.path('go-')}{{ grains.id }} ] || [ ! -d ${fleet.path('srv')} ]; do sleep 0.1; done`;
  writeFileSync(
    fleet.path('srv', 'late.sls'),
    [
      'wait:',
      `  cmd.run: [{name: "{% if grains.id in ${JSON.stringify(LATE).replaceAll('"', "'")} %}${wait}{% else %}true{% endif %}"}]`,
      'conf:',
      `  file.managed: [{name: {{ '${fleet.path('conf-')}' ~ grains.id }}}, {contents: listen 80}]`,
      'certificate:',
      `  file.exists: [{name: {{ '/nonexistent/cert.pem' if grains.id == 'web10' else '/' }}}]`,
      '',
    ].join('\n'),
  );
  writeFileSync(
    fleet.path('srv', 'orch.sls'),
    "ping them: {salt.function: [{name: test.ping}, {tgt: 'web*'}]}\n",
  );
}
