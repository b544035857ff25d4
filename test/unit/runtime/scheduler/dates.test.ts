import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDate } from '../../../../src/python/text/date-text.ts';
import { strftime, strptime } from '../../../../src/python/text/strftime.ts';
import { fromLocal, nextChange, toLocal } from '../../../../src/runtime/scheduler/zone.ts';
import { zoneNamed } from '../../../support/zone.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const vectors = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/scheduler/dates.json'), 'utf8')) as {
  now: string;
  cases: [text: string, iso: string | null][];
};

for (const [text, iso] of vectors.cases) {
  test(`scheduler dates - '${text}' is read as dateutil reads it`, () => {
    const read = readDate(text, Date.parse(`${vectors.now}Z`));
    if (iso === null) return assert.equal(read, undefined);
    assert.ok(read);
    const zone = /(?:([+-])(\d\d):(\d\d))$/.exec(iso);
    const wall = zone === null ? iso : iso.slice(0, -6);
    assert.equal(new Date(read.localMs).toISOString(), new Date(`${wall}Z`).toISOString());
    const minutes = zone && (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]));
    assert.equal(read.offsetMinutes, minutes ?? undefined);
  });
}

test('scheduler dates - strptime takes what fits its format, and nothing else', () => {
  const at = (text: string, format: string): string | undefined => {
    const found = strptime(text, format);
    return found === undefined ? undefined : new Date(found).toISOString();
  };
  assert.equal(at('2026-11-21T16:20:05', '%Y-%m-%dT%H:%M:%S'), '2026-11-21T16:20:05.000Z');
  assert.equal(at('21 nov 26 04:05 PM', '%d %b %y %I:%M %p'), '2026-11-21T16:05:00.000Z');
  assert.equal(at('100% 2026', '100%% %Y'), '2026-01-01T00:00:00.000Z');
  assert.equal(at('2026-11-21', '%Y-%m-%dT%H:%M:%S'), undefined);
  assert.equal(at('2026-02-30', '%Y-%m-%d'), undefined);
  assert.equal(at('x', '%Q'), undefined);
});

test('scheduler dates - strftime writes what strptime reads', () => {
  const at = Date.UTC(2026, 10, 21, 16, 5, 9);
  assert.equal(strftime(at, '%Y-%m-%dT%H:%M:%S'), '2026-11-21T16:05:09');
  assert.equal(strftime(at, '%a %A %b %B %I%p %j %%'), 'Sat Saturday Nov November 04PM 325 %');
});

test('scheduler dates - wall clock and instants, where clocks change', () => {
  const zone = zoneNamed('Europe/Berlin');
  const gap = Date.parse('2026-03-29T02:30:00Z');
  assert.equal(new Date(fromLocal(zone, gap)).toISOString(), '2026-03-29T01:00:00.000Z');
  const twice = Date.parse('2026-10-25T02:30:00Z');
  assert.equal(new Date(fromLocal(zone, twice)).toISOString(), '2026-10-25T00:30:00.000Z');
  assert.equal(toLocal(zone, Date.parse('2026-07-01T00:00:00Z')), Date.parse('2026-07-01T02:00:00Z'));
  const change = nextChange(zone, Date.parse('2026-10-20T00:00:00Z'), Date.parse('2026-10-30T00:00:00Z'));
  assert.equal(new Date(change ?? 0).toISOString(), '2026-10-25T01:00:00.000Z');
});
