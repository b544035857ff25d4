/** A week on a virtual clock, across both changes of the clocks: each form runs at exactly the times it means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { virtualSchedule } from '../../../support/virtual-schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const text = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19);
/** `count` instants, each a span after the other. */
const series = (first: string, spanMs: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => text(Date.parse(`${first}Z`) + i * spanMs));

/** Berlin goes back from summer time on 25 October 2026 at 01:00 UTC. */
const AUTUMN = '2026-10-19T22:00:00Z';
/** And forward on 29 March 2026 at 01:00 UTC. */
const SPRING = '2026-03-23T23:00:00Z';

/** Every second of the day on which the clocks change, and the first seconds of each minute of the other days. */
function week(
  from: string,
  schedule: Dict,
  extra: { pillar?: Dict; grains?: Dict } = {},
): Map<string, string[]> {
  const virtual = virtualSchedule({ from, zone: 'Europe/Berlin', schedule, ...extra });
  virtual.passMinutes(5 * DAY_MS);
  virtual.pass(DAY_MS);
  virtual.passMinutes(DAY_MS + 1);
  return new Map([...virtual.runs].map(([name, times]) => [name, times.map(text)]));
}

/** A job that waits for its first time; the first run of an interval has tests of its own. */
const job = (fields: Parameters<typeof dict>[0]): Dict =>
  dict({ function: 'test.ping', run_on_start: false, ...fields });

test('scheduler week - every form at exactly its times, clocks put back', () => {
  const runs = week(
    AUTUMN,
    dict({
      hourly: job({ hours: 1 }),
      summed: job({ days: 1, hours: 2, minutes: 3, seconds: 1 }),
      nightly: job({ cron: '30 2 * * *' }),
      every6: job({ cron: '0 */6 * * *' }),
      fives: job({ when: ['5:00pm', 'Monday 9:00am'] }),
      named: job({ when: 'tea time' }),
      once: job({ once: '2026-10-24T12:00:01' }),
      onceFormat: job({ once: '26/10/26 08:15', once_fmt: '%d/%m/%y %H:%M' }),
      office: job({ minutes: 90, range: dict({ start: '8:00am', end: '5:00pm' }) }),
      lunch: job({ hours: 1, range: dict({ start: '1:00am', end: '11:00pm', invert: true }) }),
      start: job({ days: 30, run_on_start: true }),
      until: job({ days: 1, until: '2026-10-22T12:00:00' }),
      after: job({ days: 1, after: '2026-10-24T12:00:00' }),
      off: job({ seconds: 10, enabled: false }),
    }),
    { pillar: dict({ whens: { 'tea time': '2026-10-23 16:20' } }) },
  );
  assert.deepEqual(runs.get('hourly'), series('2026-10-19T23:00:00', HOUR_MS, 168));
  assert.deepEqual(runs.get('summed'), series('2026-10-21T00:03:01', 26 * HOUR_MS + 181_000, 6));
  assert.deepEqual(runs.get('nightly'), [...series('2026-10-20T00:30:00', DAY_MS, 6), '2026-10-26T01:30:00']);
  assert.deepEqual(
    runs.get('every6'),
    [
      ...series('2026-10-20T04:00:00', 6 * HOUR_MS, 20),
      ...series('2026-10-25T05:00:00', 6 * HOUR_MS, 7),
    ].slice(0, 27),
  );
  assert.deepEqual(runs.get('fives'), [
    ...series('2026-10-20T15:00:00', DAY_MS, 5),
    '2026-10-25T16:00:00',
    '2026-10-26T08:00:00',
    '2026-10-26T16:00:00',
  ]);
  assert.deepEqual(runs.get('named'), ['2026-10-23T14:20:00']);
  assert.deepEqual(runs.get('once'), ['2026-10-24T10:00:01']);
  assert.deepEqual(runs.get('onceFormat'), ['2026-10-26T07:15:00']);
  assert.equal(runs.get('office')?.[0], '2026-10-20T06:00:00');
  assert.deepEqual(
    runs.get('office')?.filter((each) => each.startsWith('2026-10-26')),
    ['2026-10-26T07:00:00', ...series('2026-10-26T08:30:00', 1.5 * HOUR_MS, 6)],
  );
  assert.deepEqual(runs.get('lunch')?.slice(0, 4), [
    '2026-10-19T23:00:00',
    '2026-10-20T21:00:00',
    '2026-10-20T22:00:00',
    '2026-10-20T23:00:00',
  ]);
  assert.deepEqual(runs.get('start'), ['2026-10-19T22:00:00']);
  assert.deepEqual(runs.get('until'), series('2026-10-20T22:00:00', DAY_MS, 2));
  assert.deepEqual(runs.get('after'), series('2026-10-24T22:00:00', DAY_MS, 3));
  assert.equal(runs.get('off'), undefined);
});

test('scheduler week - every form at exactly its times, clocks put forward', () => {
  const runs = week(
    SPRING,
    dict({
      hourly: job({ hours: 1 }),
      nightly: job({ cron: '30 2 * * *' }),
      half: job({ cron: '*/30 * * * *' }),
      dailyGap: job({ when: '2:30am' }),
      evening: job({ when: ['20:00'] }),
    }),
  );
  assert.deepEqual(runs.get('hourly'), series('2026-03-24T00:00:00', HOUR_MS, 168));
  assert.deepEqual(runs.get('half'), series('2026-03-23T23:30:00', HOUR_MS / 2, 336));
  const nights = [...series('2026-03-24T01:30:00', DAY_MS, 5), '2026-03-29T01:00:00', '2026-03-30T00:30:00'];
  assert.deepEqual(runs.get('nightly'), nights);
  assert.deepEqual(runs.get('dailyGap'), nights);
  assert.deepEqual(runs.get('evening'), [
    ...series('2026-03-24T19:00:00', DAY_MS, 5),
    ...series('2026-03-29T18:00:00', DAY_MS, 2),
  ]);
});
