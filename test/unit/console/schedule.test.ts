/** The console: jobs of a schedule as forms, and the arguments of their functions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionDetail, Param, Return } from '../../../src/console/model/contract.ts';
import { cronProblem } from '../../../src/console/model/cron-text.ts';
import { argumentsOf, valuesFor } from '../../../src/console/model/form-values.ts';
import { summaryOfAnswer } from '../../../src/console/model/schedule-answer.ts';
import {
  droppedOf,
  formOf,
  jobProblems,
  keptOf,
  keywordsOf,
  NEW_JOB,
  timeInWords,
  type JobForm,
} from '../../../src/console/model/schedule-job.ts';
import { readArguments, writeArguments } from '../../../src/console/model/words.ts';
import { parseCron } from '../../../src/runtime/scheduler/cron.ts';

const NOW_MS = Date.UTC(2026, 10, 29);

/** Jobs as minions show them. */
const JOBS: readonly Readonly<Record<string, unknown>>[] = [
  { function: 'test.ping', seconds: 30, enabled: true, maxrunning: 1, name: 'a', jid_include: true },
  { function: 'state.apply', hours: 2, minutes: 30, args: ['web'], kwargs: { test: true }, splay: 60 },
  { function: 'cmd.run', cron: '*/5 * * * *', args: ['date >> /tmp/x'], splay: { start: 10, end: 20 } },
  { function: 'cmd.run', cron: '@daily', range: { start: '8:00am', end: '5:00pm' }, until: '2027-01-01' },
  { function: 'cmd.run', days: 1, range: { start: '1am', end: '2am', invert: true }, return_job: false },
  { function: 'test.ping', when: '5:00pm', after: '2026-01-01T00:00:00', metadata: { a: [1, { b: null }] } },
  { function: 'test.ping', when: ['Monday 5:00pm', 'deploy'], returner: ['mysql', 'redis'], enabled: false },
  { function: 'test.ping', once: '2026-12-24 17:00', once_fmt: '%Y-%m-%d %H:%M', run_on_start: true },
  {
    function: 'test.ping',
    skip_during_range: { start: '1am', end: '2am' },
    run_after_skip_range: true,
    minutes: '5',
  },
  { function: 'test.ping', seconds: 5, return_kwargs: { db: 'x' }, return_config: 'other', maxrunning: 3 },
  {
    function: 'test.ping',
    seconds: 5,
    dry_run: true,
    ticket: 'OPS-1',
    skip_explicit: [{ time: '2026-12-01T00:00:00' }],
  },
  { function: 'test.ping', range: { start: 8, end: 17, note: 'kept' }, seconds: 5 },
  { func: 'test.ping' },
];

test('console - a job of a schedule whose form nobody touches is sent as it was, whatever it has', () => {
  for (const job of JOBS) {
    const form = formOf('a', { ...job, _next_fire_time: 'x', _last_run: null, saved: true });
    const { args, kwargs, name, func, ...rest } = job;
    void [args, kwargs, name];
    const wanted = { ...rest, function: job['function'] ?? func };
    assert.deepEqual(keywordsOf(form), wanted, JSON.stringify(job));
    assert.deepEqual(jobProblems(form, ['a'], NOW_MS), [], JSON.stringify(job));
  }
});

test('console - what a field is changed to is sent, what is emptied is not, and the rest stays', () => {
  const job = {
    ...{ function: 'cmd.run', cron: '0 4 * * *', splay: { start: 10, end: 20 }, metadata: { a: 1 } },
    ...{ ticket: 'OPS-1', test: true, maxrunning: 2, when: '5pm' },
  };
  const form = change(formOf('a', job), {
    'splay.start': '',
    'splay.end': ' 90 ',
    metadata: '',
    enabled: 'False',
  });
  assert.deepEqual(keywordsOf(form), {
    ...{ function: 'cmd.run', cron: '0 4 * * *', splay: 90, ticket: 'OPS-1', maxrunning: 2, enabled: false },
  });
  // `test` would have the minion only say what it would do
  assert.deepEqual(keptOf(form), { ticket: 'OPS-1', test: true });
  assert.deepEqual(droppedOf(form), ['when']);
  const other = { ...change(form, { hours: '6', minutes: '0' }), timing: 'interval' } as const;
  const { hours, minutes, cron } = keywordsOf(other);
  assert.deepEqual([hours, minutes, cron], [6, 0, undefined]);
  assert.deepEqual(droppedOf(other), ['cron', 'when']);
  const range = change(formOf('a', { function: 'a.b', seconds: 1 }), {
    ...{
      'range.start': '8am',
      'range.end': '5pm',
      'range.invert': 'True',
      run_on_start: 'True',
      until: '2027-01-01',
    },
  });
  assert.deepEqual(keywordsOf(range), {
    ...{ function: 'a.b', seconds: 1, run_on_start: true, until: '2027-01-01' },
    range: { start: '8am', end: '5pm', invert: true },
  });
  const times = { ...change(form, { when: '5pm\n\n 6pm ' }), timing: 'when' } as const;
  assert.deepEqual(keywordsOf(times)['when'], ['5pm', '6pm']);
});

function change(form: JobForm, texts: Readonly<Record<string, string>>): JobForm {
  return { ...form, fields: new Map([...form.fields, ...Object.entries(texts)]) };
}

test('console - what is wrong with a job is said before it is sent', () => {
  const good = change({ ...NEW_JOB, name: 'new', fun: 'test.ping' }, { minutes: '5' });
  assert.deepEqual(jobProblems(good, ['old'], NOW_MS), []);
  const cases: readonly (readonly [JobForm, RegExp])[] = [
    [{ ...good, name: ' ' }, /^Give the job a name\.$/],
    [{ ...good, name: 'old' }, /There is a job old already/],
    [{ ...good, name: 'enabled' }, /setting of the whole schedule/],
    [{ ...good, name: '__mine_interval' }, /those of the minion itself/],
    [{ ...good, fun: 'ping' }, /Name the function/],
    [change(good, { minutes: '' }), /at least one second/],
    [change(good, { minutes: '0' }), /at least one second/],
    [change(good, { minutes: '1.5' }), /minutes is a whole number, not 1\.5/],
    [change(good, { hours: 'x' }), /hours is a whole number, not x/],
    [change(good, { 'splay.end': 'x' }), /splay is a whole number of seconds, not x/],
    [change(good, { 'splay.start': '5' }), /needs the most/],
    [change(good, { 'splay.start': '9', 'splay.end': '5' }), /below its least/],
    [change(good, { 'splay.end': '0' }), /no effect/],
    [change(good, { 'range.start': '8am' }), /The range needs a start and an end/],
    [change(good, { 'skip_during_range.end': '8am' }), /left out needs a start and an end/],
    [change(good, { maxrunning: '0' }), /maxrunning is a whole number above 0/],
    [change(good, { maxrunning: '3', jid_include: 'False' }), /no effect when jid_include/],
    [change(good, { metadata: '[1]' }), /metadata is a mapping in JSON/],
    [change(good, { return_kwargs: '{' }), /return_kwargs is a mapping/],
    [{ ...good, timing: 'cron' }, /five fields.*has 0/],
    [{ ...good, timing: 'when' }, /Say when it runs/],
    [{ ...good, timing: 'once' }, /Say when it runs/],
    [change({ ...good, timing: 'once' }, { once: 'tomorrow' }), /Write tomorrow as a date/],
    [change({ ...good, timing: 'once' }, { once: '2026-02-30T10:00:00' }), /There is no 2026-02-30/],
    [change({ ...good, timing: 'once' }, { once: '2020-02-20T10:00:00' }), /is over/],
    [change({ ...good, timing: 'none' }, { run_on_start: 'True' }), /never runs by itself/],
  ];
  for (const [form, wanted] of cases) {
    const problems = jobProblems(form, ['old'], NOW_MS);
    assert.equal(problems.length, 1, `${String(wanted)} ${problems.join(' ')}`);
    assert.match(problems[0] ?? '', wanted);
  }
});

test('console - a cron expression is refused in the console where the minion would refuse it', () => {
  const good = [
    '* * * * *',
    '*/5 0-6 1,15 jan-mar mon',
    '@hourly',
    '0 0 l * *',
    '0 0 * * 5#2',
    '0 0 * * l5',
    '1 2 3 4 5 30',
    '0 0 * * 7',
  ];
  const bad = [
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * foo *',
    '* * * * 8',
    '*/0 * * * *',
    '*/x * * * *',
    '1-2-3 * * * *',
    '* * * * 5#6',
    '@often',
    ', * * * *',
  ];
  for (const text of good)
    assert.deepEqual([cronProblem(text), parseCron(text) === undefined], [undefined, false], text);
  for (const text of bad) {
    assert.match(cronProblem(text) ?? '', /\.$/, text);
    assert.equal(parseCron(text), undefined, text);
  }
});

test('console - the time of a job in words', () => {
  const words = JOBS.map(timeInWords);
  assert.deepEqual(words.slice(0, 4), [
    'every 30 seconds',
    'every 2 hours and 30 minutes',
    'cron */5 * * * *',
    'cron @daily',
  ]);
  assert.deepEqual(
    [words[4], words[6], words.at(-1)],
    ['every day', 'Monday 5:00pm, deploy', 'only when it is asked to'],
  );
});

const param = (name: string, type: string, required: boolean): Param => ({
  ...{ name, type, required, doc: '', keyword_only: false },
  ...(required ? {} : { default: null }),
});
const detail = (params: readonly Param[], isOpen = true): FunctionDetail => ({
  ...{
    name: 'x.y',
    summary: '',
    changes: null,
    allowed: true,
    doc: '',
    examples: [],
    params,
    returns: '',
    schema: {},
  },
  ...{ varargs: isOpen, kwargs: isOpen },
});

test('console - the arguments of a job are in the form of its function, and the form says just these', () => {
  const cmd = detail([param('cmd', 'str', true), param('cwd', 'str', false), param('timeout', 'int', false)]);
  const shown = valuesFor(['date >> "x"'], { timeout: 5, env: { A: '1' } }, cmd);
  assert.deepEqual(
    [...(shown?.fields ?? [])],
    [
      ['cmd', 'date >> "x"'],
      ['timeout', '5'],
    ],
  );
  assert.equal(shown?.line, 'env={"A":"1"}');
  const values: readonly unknown[] = [
    ...[
      'a',
      'a b',
      '',
      'True',
      '5',
      '1.10',
      '0644',
      'a=b',
      'it\'s "so"',
      '{x',
      '~',
      ' a',
      '[1]',
      'back\\slash',
      '#',
      '-1',
    ],
    ...[0, -3, 1.5, true, false, null, [1, 'a b', { c: ']' }], { a: { b: [null] } }, {}, [], 1e21],
  ];
  for (const value of values)
    for (const [arg, kwarg] of [
      [[value], {}],
      [['x', value], {}],
      [[], { cmd: 'x', cwd: value }],
      [[], { other: value }],
    ] as const)
      for (const of of [cmd, detail([]), undefined]) {
        const form = valuesFor(arg, kwarg, of);
        // what no form can say has undefined here, and is shown in JSON
        if (form === undefined) continue;
        const said = argumentsOf(form, of);
        assert.deepEqual([said.arg, said.kwarg, said.problem], [arg, kwarg, undefined]);
      }
  assert.equal(valuesFor(['two\nlines'], {}, cmd), undefined);
  for (const text of ['a', 'a b', 'True', '5', 'None', '[1]', '{"a": 1}'])
    assert.deepEqual(readArguments(writeArguments([], { k: text })).kwarg, { k: text }, text);
});

test('console - what a minion says of its schedule is good or not, in its own words', () => {
  const answer = (value: unknown, success = true): ReturnType<typeof summaryOfAnswer> =>
    summaryOfAnswer({ return: value, success } as Return);
  assert.deepEqual(answer({ comment: 'Added job: a to schedule.', result: true }), {
    isGood: true,
    text: 'Added job: a to schedule.',
  });
  assert.deepEqual(answer({ comment: 'No.', result: false }), { isGood: false, text: 'No.' });
  assert.deepEqual(answer({ comment: ['One.', 'Two.'], result: true }), { isGood: true, text: 'One. Two.' });
  assert.deepEqual(answer("'schedule.add' is not available.", false), {
    isGood: false,
    text: "'schedule.add' is not available.",
  });
  assert.deepEqual(answer({}), { isGood: false, text: '{}' });
});
