import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../../../src/host/log.ts';
import { orderSchedule } from '../../../../src/runtime/scheduler/orders.ts';
import { dict, isDict, PyDatetime, type Dict } from '../../../../src/python/values/value.ts';
import { virtualSchedule, type VirtualSchedule } from '../../../support/virtual-schedule.ts';

const FROM = '2026-11-18T12:00:00Z';
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const log = createLogger('test', []);

/** A job that waits for its first time; the first run of an interval has tests of its own. */
const job = (fields: Parameters<typeof dict>[0]): Dict =>
  dict({ function: 'test.ping', run_on_start: false, ...fields });

/** Seconds after the start at which a job ran. */
function seconds({ runs }: VirtualSchedule, name: string): number[] {
  return (runs.get(name) ?? []).map((atMs) => (atMs - Date.parse(FROM)) / 1000);
}

function start(schedule: Dict, more: Partial<Parameters<typeof virtualSchedule>[0]> = {}): VirtualSchedule {
  return virtualSchedule({ from: FROM, schedule, ...more });
}

test('scheduler - an interval begins when the job is loaded, and keeps its rhythm', () => {
  const virtual = start(dict({ a: job({ seconds: 10 }) }));
  virtual.pass(35 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'a'), [10, 20, 30]);
});

test('scheduler - an interval runs when the minion starts, unless run_on_start forbids it (salt issue 61964)', () => {
  const own = (fields: Parameters<typeof dict>[0]): Dict => dict({ function: 'test.ping', ...fields });
  const over = '2026-11-18T11:00:00';
  const range = (start: string, end: string): Dict => dict({ start, end });
  const virtual = start(
    dict({
      plain: own({ seconds: 20 }),
      days: own({ days: 7 }),
      not: own({ seconds: 20, run_on_start: false }),
      empty: own({ seconds: 20, run_on_start: null }),
      explicit: own({ seconds: 20, run_on_start: true, until: over }),
      until: own({ seconds: 20, until: over }),
      after: own({ seconds: 20, after: '2026-11-18T12:00:30' }),
      later: own({ seconds: 20, range: range('12:00:30', '12:01:30') }),
      skipped: own({ seconds: 20, skip_during_range: range('12:00:00', '12:00:10') }),
      off: own({ seconds: 20, enabled: false }),
      named: own({ when: '12:00:25' }),
      cron: own({ cron: '* * * * *' }),
    }),
  );
  virtual.pass(45 * SECOND_MS);
  for (const [name, runs] of [
    ['plain', [0, 20, 40]],
    ['days', [0]],
    ['not', [20, 40]],
    ['empty', [20, 40]],
    // what is asked for by name is done whatever the conditions say, as in Salt; the default is subject to them
    ['explicit', [0]],
    ['until', []],
    ['after', [40]],
    ['later', [30]],
    ['skipped', [20, 40]],
    ['off', []],
    ['named', [25]],
    ['cron', []],
  ] as const)
    assert.deepEqual(seconds(virtual, name), runs, name);
});

test('scheduler - a job that is added or enabled while the minion runs', () => {
  const virtual = start(dict({}));
  virtual.pass(3 * SECOND_MS);
  const order = (fields: Parameters<typeof dict>[0]): unknown =>
    orderSchedule(virtual.scheduler, dict(fields), log);
  const added = dict({ function: 'test.ping', seconds: 10 });
  order({ func: 'add', name: 'a', schedule: dict({ a: added }) });
  order({
    func: 'add',
    name: 'off',
    schedule: dict({ off: dict({ function: 'test.ping', seconds: 10, enabled: false }) }),
  });
  virtual.pass(12 * SECOND_MS);
  order({ func: 'enable_job', name: 'off' });
  virtual.pass(12 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'a'), [3, 13, 23]);
  assert.equal(seconds(virtual, 'off')[0], 23);
});

test('scheduler - a missed interval runs once, and a missed named time not at all', () => {
  const virtual = start(
    dict({ a: job({ seconds: 10 }), w: job({ when: '12:05' }), c: job({ cron: '5 12 * * *' }) }),
  );
  virtual.pass(0);
  virtual.pass(20 * MINUTE_MS, 10 * MINUTE_MS);
  assert.deepEqual(seconds(virtual, 'a').slice(0, 2), [600, 1200]);
  assert.deepEqual(seconds(virtual, 'w'), []);
  assert.deepEqual(seconds(virtual, 'c'), [600]);
  assert.equal(virtual.started.find(({ name }) => name === 'c')?.lateSeconds, 300);
});

test('scheduler - splay: a number draws from 1 to it, a range from its start to its end, each run anew', () => {
  const drawn: [number, number][] = [];
  const random = {
    bytes: (count: number) => Buffer.alloc(count),
    int: (min: number, max: number) => (drawn.push([min, max]), max),
    fraction: () => 0,
  };
  const schedule = dict({
    number: job({ seconds: 60, splay: 5 }),
    range: job({ when: '12:02', splay: dict({ start: 10, end: 15 }) }),
    cron: job({ cron: '3 12 * * *', splay: 7 }),
    wrong: job({ seconds: 50, splay: dict({ start: 9, end: 3 }) }),
  });
  const virtual = start(schedule, { random });
  virtual.pass(4 * MINUTE_MS);
  assert.deepEqual(seconds(virtual, 'number'), [65, 130, 195]);
  assert.deepEqual(seconds(virtual, 'range'), [135]);
  assert.deepEqual(seconds(virtual, 'cron'), [187]);
  assert.deepEqual(seconds(virtual, 'wrong').slice(0, 2), [50, 100]);
  assert.ok(
    drawn.some(([min, max]) => min === 1 && max === 5) &&
      drawn.some(([min, max]) => min === 10 && max === 15),
  );
});

test('scheduler - skip_during_range skips, run_after_skip_range makes up for it once', () => {
  const range = dict({ start: '12:00:15', end: '12:00:45' });
  const virtual = start(
    dict({
      plain: job({ seconds: 10, skip_during_range: range }),
      after: job({ seconds: 10, skip_during_range: range, run_after_skip_range: true }),
    }),
  );
  virtual.pass(61 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'plain'), [10, 50, 60]);
  assert.deepEqual(seconds(virtual, 'after'), [10, 46, 56]);
});

test('scheduler - skip_function runs in the place of skipped runs; settings for all hold', () => {
  const virtual = start(
    dict({
      skip_function: 'test.true',
      skip_during_range: dict({ start: '12:00:15', end: '12:00:25' }),
      a: job({ seconds: 10 }),
    }),
  );
  virtual.pass(31 * SECOND_MS);
  assert.deepEqual(
    virtual.started.map(({ fun }) => fun),
    ['test.ping', 'test.true', 'test.ping'],
  );
});

test('scheduler - a job runs only as often at a time as maxrunning allows', () => {
  const alive = new Map([
    ['one', 1],
    ['two', 1],
    ['free', 9],
  ]);
  const schedule = dict({
    one: job({ seconds: 10 }),
    two: job({ seconds: 10, maxrunning: 2 }),
    free: job({ seconds: 10, jid_include: false }),
  });
  const virtual = start(schedule, { alive });
  virtual.pass(10 * SECOND_MS);
  assert.deepEqual([...virtual.runs.keys()], ['two', 'free']);
  assert.equal(virtual.scheduler.describe('one').get('_skip_reason'), 'maxrunning');
});

test('scheduler - what cannot be understood is ignored, and said once in the words of Salt, with what to do', () => {
  const virtual = start(
    dict({
      cron: job({ cron: 'nonsense' }),
      when: job({ when: 'tea time' }),
      once: job({ once: 'soon' }),
      both: job({ when: '12:01', cron: '* * * * *' }),
      range: job({ seconds: 1, range: 'always' }),
      order: job({ seconds: 1, range: dict({ start: '9am', end: '8am' }) }),
      text: 'no job',
      good: job({ seconds: 1 }),
    }),
  );
  virtual.pass(5 * SECOND_MS);
  assert.deepEqual(
    virtual.errors,
    [
      "Invalid cron string. Ignoring job cron. cron is nonsense; it takes five fields: minute, hour, day of month, month, day of week, such as '*/5 * * * *'.",
      "Invalid date string tea time. Ignoring job when. Write it as '5:00pm', 'Tuesday 3:30pm' or '2026-12-24T17:00:00', or as a name of whens in pillar or grains.",
      'Date string could not be parsed: soon, %Y-%m-%dT%H:%M:%S. Ignoring job once. Write it in that format, such as 2026-12-24T17:00:00 for the default one, or give another in once_fmt.',
      'Unable to use "when", "cron", "once" options together. Ignoring. Keep one of when and cron.',
      'Scheduled job "text" should have a dict value, not <class \'str\'>',
      'schedule.handle_func: Invalid, range must be specified as a dictionary.Ignoring job range. Write range with start and end below it.',
      'schedule.handle_func: Invalid range, end must be larger than start. Ignoring job order. Both are times of one day; for hours over midnight give the hours of the day with "invert: True" in range, or skip them with skip_during_range.',
    ].sort((a, b) => virtual.errors.indexOf(a) - virtual.errors.indexOf(b)),
  );
  assert.deepEqual(seconds(virtual, 'good'), [1, 2, 3, 4, 5]);
});

test('scheduler - what of a job can have no effect is said once, and a job that is switched off is left alone', () => {
  const virtual = start(
    dict({
      start: job({ run_on_start: true }),
      explicit: dict({
        function: 'test.ping',
        run_explicit: ['2030-01-01T00:00:00'],
        range: dict({ start: '8am', end: '9am' }),
      }),
      nofun: dict({ seconds: 5 }),
      typo: job({ secondss: 5, seconds: 5 }),
      both: job({ once: '2030-01-01T00:00:00', minutes: 1 }),
      zero: job({ seconds: 0 }),
      until: job({ seconds: 1, until: 'January 1, 2020' }),
      once: job({ once: '2020-01-01T00:00:00' }),
      when: job({ when: ['January 1, 2020 5:00pm', '2021-01-01'] }),
      today: job({ when: '8am' }),
      none: job({ when: [] }),
      max: job({ seconds: 60, maxrunning: 0 }),
      jid: job({ seconds: 60, maxrunning: 2, jid_include: false }),
      skips: job({ seconds: 60, skip_explicit: ['tomorrow'], return_config: 'alt' }),
      types: job({ seconds: 60, args: 'a', kwargs: ['b'], metadata: 'm', splay: dict({ start: 9, end: 3 }) }),
      off: job({ run_on_start: true, enabled: false }),
      good: job({ seconds: 60, splay: 5, range: dict({ start: '8am', end: '9pm' }), until: '2030-01-01' }),
    }),
  );
  virtual.pass(5 * SECOND_MS);
  const times = 'seconds, minutes, hours, days, when, cron, once';
  assert.deepEqual(
    virtual.warnings.map((text) => text.replace('Scheduled job ', '')),
    [
      `"start": it has no time and never runs, whatever run_on_start says; add one of ${times}.`,
      `"explicit": it has no time and never runs, whatever run_explicit and range say; add one of ${times}.`,
      '"nofun": it names no function and never runs; add one, such as "function: state.apply".',
      `"typo": there is no field secondss; it has no effect. Did you mean 'seconds'?`,
      '"both": once has no effect beside minutes; remove one of them.',
      '"zero": an interval of 0 seconds means a run each second; set one of 1 or more.',
      '"until": its time ended (until: January 1, 2020), it does not run any more; move the end or remove the job.',
      '"once": its only time is over (once: 2020-01-01T00:00:00), it does not run any more; set another or remove the job.',
      '"when": all its times are over (when: January 1, 2020 5:00pm, 2021-01-01), it does not run any more; set others or remove the job.',
      '"none": its list of times (when) is empty and it never runs; add one, or remove the job.',
      '"max": "maxrunning: 0" lets it never run; set 1 or more.',
      '"jid": maxrunning has no effect beside "jid_include: False"; remove one of them.',
      '"skips": the time tomorrow in skip_explicit is left out; write it as %Y-%m-%dT%H:%M:%S, or give time_fmt.',
      '"skips": return_config has no effect without returner; add it, or remove return_config.',
      '"types": args must be a list, not str; its function is called without it.',
      '"types": kwargs must be a mapping, not list; its function is called without it.',
      '"types": metadata must be a mapping, not str; it is left out.',
      '"types": splay has no effect; its start and end must be numbers, the end not below the start.',
    ],
  );
  assert.deepEqual(virtual.errors, []);
  assert.deepEqual(
    virtual.seen,
    [...virtual.scheduler.list().keys()].filter((name) => name !== 'off'),
  );
});

test('scheduler - jobs of the pillar: the configuration wins, a refresh keeps what has not changed', () => {
  const pillar = (everySeconds: number): Dict =>
    dict({ schedule: { a: job({ seconds: 10 }), b: job({ seconds: everySeconds }) } });
  const virtual = start(dict({ a: job({ seconds: 7 }) }), { pillar: pillar(10) });
  virtual.pass(5 * SECOND_MS);
  virtual.setPillar(pillar(10));
  virtual.pass(6 * SECOND_MS);
  assert.deepEqual([seconds(virtual, 'a'), seconds(virtual, 'b')], [[7], [10]]);
  virtual.setPillar(pillar(3));
  virtual.pass(4 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'b'), [10, 14]);
  virtual.setPillar(dict());
  virtual.pass(6 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'b'), [10, 14]);
});

test('scheduler - orders change, list and persist jobs, and answer with the events of Salt', () => {
  const virtual = start(dict({}), { pillar: dict({ schedule: { p: job({ seconds: 10 }) } }) });
  const order = (fields: Parameters<typeof dict>[0]): ReturnType<typeof orderSchedule> =>
    orderSchedule(virtual.scheduler, dict(fields), log);
  const added = order({ func: 'add', name: 'a', schedule: dict({ a: job({ seconds: 5 }) }), persist: true });
  assert.equal(added?.tag, '/salt/minion/minion_schedule_add_complete');
  assert.deepEqual([...(virtual.persisted[0] ?? dict()).keys()], ['a']);
  virtual.pass(5 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'a'), [5]);
  order({ func: 'disable_job', name: 'a', persist: false });
  virtual.pass(6 * SECOND_MS);
  assert.deepEqual(seconds(virtual, 'a'), [5]);
  order({ func: 'enable_job', name: 'a' });
  order({ func: 'delete', name: 'p' });
  const listed = order({ func: 'list', where: null })?.data.get('schedule');
  assert.ok(isDict(listed) && listed.has('p'));
  const shown = listed.get('a');
  assert.ok(isDict(shown) && shown.get('_next_fire_time') instanceof PyDatetime);
  assert.equal(
    order({ func: 'get_next_fire_time', name: 'p' })?.data.get('next_fire_time'),
    '2026-11-18T12:00:20',
  );
  order({ func: 'run_job', name: 'p' });
  assert.equal(virtual.started.at(-1)?.name, 'p');
  order({ func: 'disable', persist: true });
  assert.equal(virtual.persisted.at(-1)?.get('enabled'), false);
  assert.equal(order({ func: '__proto__' }), undefined);
});

test('scheduler - a postponed job runs at the new time in place of the old one, a skipped one not at all', () => {
  const virtual = start(dict({ a: job({ cron: '* * * * *' }), b: job({ cron: '* * * * *' }) }));
  const base = { time: '2026-11-18T12:02:00', time_fmt: '%Y-%m-%dT%H:%M:%S' };
  orderSchedule(
    virtual.scheduler,
    dict({ func: 'postpone_job', name: 'a', ...base, new_time: '2026-11-18T12:02:30' }),
    log,
  );
  orderSchedule(virtual.scheduler, dict({ func: 'skip_job', name: 'b', ...base }), log);
  virtual.pass(3 * MINUTE_MS);
  assert.deepEqual(seconds(virtual, 'a'), [60, 150, 180]);
  assert.deepEqual(seconds(virtual, 'b'), [60, 180]);
});

test('scheduler - a when that names a grain or pillar must find a mapping there', () => {
  const virtual = start(dict({ a: job({ when: 'tea' }) }), { grains: dict({ whens: ['tea'] }) });
  virtual.pass(SECOND_MS);
  assert.deepEqual(virtual.errors, ['Grain "whens" must be a dict. Ignoring job a.']);
});
