/** `cron.present`: a job that was there before it was managed, or before it had an identifier, is there once. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { useFakeCrontab } from '../../../compare/fake-crontab.ts';
import { callState } from '../../../support/state-context.ts';

const TAG = '# Lines below here are managed by Salt, do not edit\n';
const user = userInfo().username;

/** A crontab, and its jobs applied as a run applies them. */
function crontab(t: TestContext) {
  const [path, tables] = [process.env['PATH'], process.env['FAKE_CRONTABS']];
  const folder = mkdtempSync(join(tmpdir(), 'brine-cron-'));
  t.after(() => {
    process.env['PATH'] = path ?? '';
    if (tables === undefined) delete process.env['FAKE_CRONTABS'];
    rmSync(folder, { recursive: true, force: true });
  });
  useFakeCrontab(folder);
  const file = join(folder, 'tabs/root');
  const apply = async (jobs: readonly Record<string, Value>[], isTest = false): Promise<Value[]> => {
    const lowstate = jobs.map((job): Dict => dict({ state: 'cron', fun: 'present', user, ...job }));
    const answers: Value[] = [];
    for (const job of jobs) {
      const done = await callState('cron.present', dict({ user, ...job }), { lowstate, test: isTest });
      answers.push(done.get('comment') ?? null);
    }
    return answers;
  };
  /** Test mode, applying, and applying again, which has to find all as it is. */
  const settle = async (jobs: readonly Record<string, Value>[]): Promise<Value[][]> => {
    const before = readFileSync(file, 'utf8');
    const foretold = await apply(jobs, true);
    assert.equal(readFileSync(file, 'utf8'), before);
    const done = await apply(jobs);
    const after = readFileSync(file, 'utf8');
    for (const isTest of [false, true])
      assert.deepEqual(
        await apply(jobs, isTest),
        jobs.map(({ name }) => `Cron ${String(name)} already present`),
      );
    assert.equal(readFileSync(file, 'utf8'), after);
    return [foretold, done];
  };
  return {
    settle,
    write: (text: string) => writeFileSync(file, text),
    read: () => readFileSync(file, 'utf8'),
  };
}

const [UPDATES, UPDATED] = [['Cron /bin/x is set to be updated'], ['Cron /bin/x updated']];

test('cron.present - a line of the same command and times that nobody manages is taken over', async (t) => {
  const { settle, write, read } = crontab(t);
  for (const [line, job, made] of [
    ['5 4 * * * /bin/x', { minute: 5, hour: 4 }, '5 4 * * * /bin/x'],
    ['5  4\t* * MON   /bin/x ', { minute: '5', hour: '4', dayweek: 'mon' }, '5 4 * * mon /bin/x'],
    ['17 4 * * * /bin/x', { minute: 'random', hour: 4 }, '17 4 * * * /bin/x'],
    ['@daily /bin/x', { special: '@daily' }, '@daily /bin/x'],
    ['@midnight /bin/x', { special: '@daily' }, '@daily /bin/x'],
    ['0 0 * * *\t/bin/x', { special: '@daily' }, '@daily /bin/x'],
    ['00 00 * * * /bin/x', { special: '@midnight' }, '@midnight /bin/x'],
    ['@daily /bin/x', { minute: 0, hour: 0 }, '0 0 * * * /bin/x'],
    ['@annually /bin/x', { special: '@yearly' }, '@yearly /bin/x'],
    ['0 0 1 Jan * /bin/x', { special: '@annually' }, '@annually /bin/x'],
    ['0 0 01 */1 * /bin/x', { special: '@monthly' }, '@monthly /bin/x'],
    ['0 0 * * 7 /bin/x', { special: '@weekly' }, '@weekly /bin/x'],
    ['@weekly /bin/x', { minute: 0, hour: 0, dayweek: 'sun' }, '0 0 * * sun /bin/x'],
    ['@hourly /bin/x', { minute: '0' }, '0 * * * * /bin/x'],
    ['@reboot /bin/x', { special: '@reboot' }, '@reboot /bin/x'],
    ['05 4 * * 1-5 /bin/x', { minute: 5, hour: 4, dayweek: 'mon-fri' }, '5 4 * * mon-fri /bin/x'],
  ] as const) {
    write(`# mine\nA=b\n${line}\n6 4 * * * /bin/y\n`);
    assert.deepEqual(await settle([{ name: '/bin/x', ...job }]), [UPDATES, UPDATED], line);
    assert.equal(read(), `# mine\nA=b\n6 4 * * * /bin/y\n${TAG}# SALT_CRON_IDENTIFIER:/bin/x\n${made}\n`);
  }
  write(`5 4 * * * /bin/x\n${TAG}# SALT_CRON_IDENTIFIER:X\n5 4 * * * /bin/x\n`);
  assert.deepEqual(await settle([{ name: '/bin/x', minute: 5, hour: 4, identifier: 'X' }]), [
    UPDATES,
    UPDATED,
  ]);
  assert.equal(read(), `${TAG}# SALT_CRON_IDENTIFIER:X\n5 4 * * * /bin/x\n`);
});

test('cron.present - a line of another command, of other times, or a remark is left alone', async (t) => {
  const { settle, write, read } = crontab(t);
  const own = '5 4 * * * /bin/x --all\n7 4 * * * /bin/x\n# 5 4 * * * /bin/x\n@daily /bin/x\n';
  write(own);
  await settle([{ name: '/bin/x', minute: 5, hour: 4 }]);
  assert.equal(read(), `${own}${TAG}# SALT_CRON_IDENTIFIER:/bin/x\n5 4 * * * /bin/x\n`);
  for (const [line, special] of [
    ['@reboot /bin/x', '@daily'],
    ['@daily /bin/x', '@reboot'],
    ['@daily /bin/x', '@hourly'],
    ['0 0 * * 1 /bin/x', '@weekly'],
    ['0 * * * * /bin/x', '@daily'],
  ]) {
    write(`${line}\n`);
    await settle([{ name: '/bin/x', special: special ?? '' }]);
    assert.equal(read(), `${line}\n${TAG}# SALT_CRON_IDENTIFIER:/bin/x\n${special} /bin/x\n`);
  }
});

test('cron.present - a job that gets an identifier later is there once, at its new times', async (t) => {
  const { settle, write, read } = crontab(t);
  for (const more of [{}, { minute: 6 }, { special: '@daily' }]) {
    write(`${TAG}# SALT_CRON_IDENTIFIER:/bin/x\n5 4 * * * /bin/x\n`);
    const job = { name: '/bin/x', minute: 5, hour: 4, identifier: 'X', ...more };
    const [, done] = await settle([job]);
    assert.deepEqual(done, UPDATED);
    const times = 'special' in more ? '@daily' : `${String(job.minute)} 4 * * *`;
    assert.equal(read(), `${TAG}# SALT_CRON_IDENTIFIER:X\n${times} /bin/x\n`);
  }
});

test('cron.present - jobs of one command that are meant to be two stay two', async (t) => {
  const { settle, write, read } = crontab(t);
  const job = (minute: number, identifier?: string): Record<string, Value> => ({
    ...{ name: '/bin/x', minute },
    ...(identifier === undefined ? {} : { identifier }),
  });
  for (const jobs of [
    [job(1, 'A'), job(2, 'B')],
    [job(1, 'A'), job(1, 'B')],
    [job(1), job(2, 'B')],
    [job(2, 'B'), job(1)],
  ]) {
    write('');
    await settle(jobs);
    assert.equal(read().match(/^\d/gm)?.length, 2);
  }
  const other = '# SALT_CRON_IDENTIFIER:OTHER\n1 * * * * /bin/x\n';
  write(TAG + other);
  await settle([job(1, 'A')]);
  assert.equal(read(), `${TAG}${other}# SALT_CRON_IDENTIFIER:A\n1 * * * * /bin/x\n`);
});

test('cron.file - a table whose last line has no end gets one, once', async (t) => {
  const { read } = crontab(t);
  const folder = mkdtempSync(join(tmpdir(), 'brine-cron-source-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const name = join(folder, 'table');
  const apply = async (test: boolean): Promise<Value[]> => {
    const done = await callState('cron.file', dict({ name, user }), { test });
    return [done.get('result') ?? null, (done.get('changes') as Dict).size];
  };
  for (const text of ['0 1 * * * /bin/a', '0 1 * * * /bin/b\n@daily /bin/é', '0 1 * * * /bin/c\n']) {
    writeFileSync(name, text);
    assert.equal((await apply(true))[0], null, text);
    assert.deepEqual(await apply(false), [true, 1], text);
    assert.equal(read(), text.endsWith('\n') ? text : `${text}\n`);
    assert.deepEqual(await apply(false), [true, 0], text);
    assert.deepEqual(await apply(true), [true, 0], text);
  }
});
