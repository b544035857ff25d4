/** The schedule of a minion in the console: jobs are made, changed, run, switched off and deleted by forms. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { ConsoleFleet, ConsolePage, hasBrowser, startBrowser } from '../support/console-browser.ts';

const NO_BROWSER = hasBrowser ? false : 'chromium is not installed';
type Job = Readonly<Record<string, unknown>>;

test('console - the schedule of a minion by forms', { skip: NO_BROWSER }, async (t) => {
  const console = await ConsoleFleet.start(t, ['auto_accept: True']);
  const { fleet } = console;
  writeFileSync(fleet.path('pillar', 'top.sls'), "base: {'*': [jobs]}\n");
  writeFileSync(fleet.path('pillar', 'jobs.sls'), 'schedule: {nightly: {function: test.ping, hours: 24}}\n');
  const ran = fleet.path('ran');
  const backup = `{function: cmd.run, args: ['echo backup >> ${ran}'], kwargs: {env: {A: '1'}, timeout: 30}, cron: '0 4 * * *', ticket: OPS-1, skip_explicit: [{time: '2030-01-01T00:00:00'}], splay: {start: 1, end: 5}}`;
  const options = [
    `schedule: {backup: ${backup}, many: {function: test.arg, args: ["two\\nlines"], seconds: 86400}}`,
  ];
  const web1 = await fleet.joinMinion('web1', options);
  await fleet.joinMinion('web2', options);
  const statusOf = async (id: string, name: string): Promise<Job> =>
    (await fleet.json([id, 'schedule.job_status', name]))[id] as Job;
  const at = await ConsolePage.open(await startBrowser(t), console);
  const { page } = at;
  await at.go('#/minions/web1?tab=schedule');
  const line = (name: string): Locator =>
    page.getByRole('list', { name: 'Jobs of the schedule' }).getByRole('listitem').filter({ hasText: name });
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const answered = async (text: string): Promise<void> => page.getByText(text).first().waitFor();

  await t.test('what is there, and what is from the pillar', async () => {
    await line('backup').getByText('cron 0 4 * * *').waitFor();
    await line('nightly').getByText('It is changed in the pillar, and not here.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Change nightly' }).count(), 0);
    await at.assertSound('the schedule');
    await at.picture('schedule-light');
  });

  await t.test('a job is changed without loss of what the form does not show', async () => {
    await press('Change backup');
    await page.getByLabel(/^cmd /).waitFor();
    assert.equal(await page.getByLabel(/^cmd /).inputValue(), `echo backup >> ${ran}`);
    assert.equal(await page.getByLabel(/^timeout /).inputValue(), '30');
    await at.sees('It has no fields here, and stays as it is.');
    await at.sees('OPS-1');
    await page.getByRole('button', { name: 'Cron', exact: true }).waitFor();
    await at.assertSound('a job');
    await at.picture('schedule-job-light');
    await page.getByLabel(/^cron/).fill('0 25 * * *');
    await press('Save');
    await at.sees('The hour 25 is not between 0 and 23.');
    await page.getByLabel(/^cron/).fill('30 5 * * *');
    await press('Save');
    await answered('web1: Modified job: backup in schedule.');
    await line('backup').getByText('cron 30 5 * * *').waitFor();
    const { cron, args, kwargs, ticket, skip_explicit: skipped, splay } = await statusOf('web1', 'backup');
    assert.deepEqual(
      [cron, args, kwargs, ticket, skipped, splay],
      [
        '30 5 * * *',
        [`echo backup >> ${ran}`],
        { env: { A: '1' }, timeout: 30 },
        'OPS-1',
        [{ time: '2030-01-01T00:00:00' }],
        { start: 1, end: 5 },
      ],
    );
  });

  await t.test('arguments that no form says are there in JSON', async () => {
    await press('Change many');
    await at.sees('do not fit into a form');
    assert.equal(await page.getByLabel('args', { exact: true }).inputValue(), '["two\\nlines"]');
    await page.getByLabel('args', { exact: true }).fill('["two\\nlines"');
    await press('Save');
    await at.sees('args is a list in JSON');
    await page.getByLabel('args', { exact: true }).fill('["two\\nlines", 3]');
    await press('Save');
    await answered('web1: Modified job: many in schedule.');
    assert.deepEqual((await statusOf('web1', 'many'))['args'], ['two\nlines', 3]);
  });

  await t.test('a new job, which is run, switched off and on, and deleted', async () => {
    await press('New job…');
    await press('Add the job');
    for (const problem of ['Give the job a name.', 'Name the function', 'at least one second'])
      await at.sees(problem);
    await at.assertSound('problems of a job');
    await page.getByLabel('Name', { exact: true }).fill('mark');
    await page.getByLabel('Function', { exact: true }).fill('cmd.run');
    await page.getByLabel(/^cmd /).fill(`echo mark >> ${ran}`);
    await page.getByLabel('hours').fill('12');
    await press('Add the job');
    await answered('web1: Added job: mark to schedule.');
    await line('mark').getByText('every 12 hours').waitFor();
    await press('Run now mark');
    await answered('web1: Scheduling Job mark on minion.');
    await web1.logged('Running Job: mark');
    for (let nth = 0; !existsSync(ran) && nth < 100; nth++) await page.waitForTimeout(100);
    assert.equal(readFileSync(ran, 'utf8'), 'mark\n');
    await press('Disable mark');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It does not run any more').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await press('Disable mark');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await line('mark').getByText('disabled').waitFor();
    assert.equal((await statusOf('web1', 'mark'))['enabled'], false);
    await press('Enable mark');
    await answered('web1: Enabled Job mark in schedule.');
    await press('Delete mark');
    await at.assertSound('the question before a job goes');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await line('mark').waitFor({ state: 'detached' });
    await press('Disable the schedule…');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await at.sees('The whole schedule is disabled');
    await press('Enable the schedule');
    await page.getByText('The whole schedule is disabled').waitFor({ state: 'detached' });
  });

  await t.test('a job for many minions is asked about, and its answers are those of a job', async () => {
    await press('New job…');
    await page.getByLabel('Name', { exact: true }).fill('of all');
    await page.getByLabel('Function', { exact: true }).fill('test.ping');
    await page.getByLabel('minutes').fill('30');
    await page.getByLabel('Kind').selectOption('glob');
    await page.getByLabel('Target', { exact: true }).fill('web*');
    await at.sees('2 minions');
    await press('Add the job');
    const question = page.getByRole('dialog', { name: 'Run schedule.add on 2 minions?' });
    await question.getByRole('button', { name: 'Run on 2 minions' }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    await at.sees(/^done$/);
    for (const id of ['web1', 'web2']) assert.equal((await statusOf(id, 'of all'))['minutes'], 30, id);
    await at.assertSound('after all');
  });
});
