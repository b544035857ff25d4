import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nextCron, parseCron } from '../../../../src/runtime/scheduler/cron.ts';
import type { Zone } from '../../../../src/runtime/scheduler/zone.ts';
import { zoneNamed } from '../../../support/zone.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const UTC: Zone = { offsetMs: () => 0 };
const vectors = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/scheduler/cron.json'), 'utf8')) as {
  base: string;
  cases: [text: string, times: string[] | null][];
};

for (const [text, times] of vectors.cases) {
  test(`scheduler cron - '${text}' means what croniter makes of it`, () => {
    const cron = parseCron(text);
    let at = Date.parse(`${vectors.base}Z`);
    if (times === null) {
      assert.equal(cron === undefined ? undefined : nextCron(cron, UTC, at), undefined);
      return;
    }
    assert.ok(cron);
    const found = times.map(() => {
      at = nextCron(cron, UTC, at) ?? NaN;
      return new Date(at).toISOString().slice(0, 19);
    });
    assert.deepEqual(found, times);
  });
}

/** The runs of an expression in Berlin, in UTC, from an instant on. */
function runs(text: string, from: string, count: number): string[] {
  const cron = parseCron(text);
  assert.ok(cron);
  const zone = zoneNamed('Europe/Berlin');
  let at = Date.parse(from);
  return Array.from({ length: count }, () => {
    at = nextCron(cron, zone, at) ?? NaN;
    return new Date(at).toISOString().slice(0, 16);
  });
}

test('scheduler cron - a time that the clock jumps over runs at the jump, once', () => {
  assert.deepEqual(runs('30 2 * * *', '2026-03-28T00:00:00Z', 3), [
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
});

test('scheduler cron - a time that the clock shows twice runs at the first, once', () => {
  assert.deepEqual(runs('30 2 * * *', '2026-10-24T00:00:00Z', 3), [
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

test('scheduler cron - a pattern for every hour goes on through both changes', () => {
  assert.deepEqual(runs('*/20 * * * *', '2026-03-29T00:30:00Z', 4), [
    '2026-03-29T00:40',
    '2026-03-29T01:00',
    '2026-03-29T01:20',
    '2026-03-29T01:40',
  ]);
  assert.deepEqual(runs('*/30 * * * *', '2026-10-25T00:10:00Z', 5), [
    '2026-10-25T00:30',
    '2026-10-25T01:00',
    '2026-10-25T01:30',
    '2026-10-25T02:00',
    '2026-10-25T02:30',
  ]);
});

test('scheduler cron - a yearly time is found across several changes', () => {
  assert.deepEqual(runs('0 12 1 1 *', '2026-01-02T00:00:00Z', 2), ['2027-01-01T11:00', '2028-01-01T11:00']);
  assert.deepEqual(runs('0 12 15 7 *', '2026-01-02T00:00:00Z', 2), ['2026-07-15T10:00', '2027-07-15T10:00']);
});
