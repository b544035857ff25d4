/** What `manage.doctor` finds, figure by figure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings, stateOf, type Measured } from '../../../../src/plugins/shared/runner/doctor/findings.ts';
import { FAMILY_TABLE } from '../../../../src/runtime/metrics/families.ts';
import { exposition } from '../../../../src/runtime/metrics/exposition.ts';
import { ReadFigures } from '../../../../src/runtime/metrics/read-exposition.ts';
import { sample, type Sample } from '../../../../src/runtime/metrics/sample.ts';

const GIB = 1024 ** 3;

function measured(samples: readonly Sample[], more: Partial<Measured> = {}): Measured {
  return {
    figures: new ReadFigures(exposition(samples)),
    isRunning: true,
    accepted: ['web1'],
    pending: [],
    away: new Map(),
    disks: [{ path: '/var/cache/salt', freeBytes: 50 * GIB, sizeBytes: 100 * GIB }],
    ...more,
  };
}

function codes(samples: readonly Sample[], more: Partial<Measured> = {}): string[] {
  return findings(measured(samples, more)).map(({ code, severity }) => `${severity} ${code}`);
}

test('manage.doctor - a fleet that is well has no findings', () => {
  const well = [sample('brine_requests_under_way', 10), sample('brine_requests_under_way_limit', 1000)];
  assert.deepEqual(codes(well), []);
  assert.equal(stateOf([]), 'well');
});

test('manage.doctor - each ill is found by its figure', () => {
  const cases: readonly (readonly [readonly Sample[], Partial<Measured>, string])[] = [
    [
      [sample('brine_requests_under_way', 900), sample('brine_requests_under_way_limit', 1000)],
      {},
      'warning request-queue-full',
    ],
    [
      [sample('brine_requests_under_way', 1000), sample('brine_requests_under_way_limit', 1000)],
      {},
      'critical request-queue-full',
    ],
    [
      [sample('brine_event_bus_waiting_bytes', 90), sample('brine_event_bus_waiting_bytes_limit', 100)],
      {},
      'warning event-reader-stalled',
    ],
    [[sample('brine_event_bus_readers_cut_total', 1)], {}, 'warning event-readers-cut'],
    [[sample('brine_requests_refused_total', 3, 'too old')], {}, 'warning clock-off'],
    [[sample('brine_workers_silent', 1)], {}, 'critical workers-silent'],
    [[sample('brine_returner_down', 1, 'postgres', 'returns')], {}, 'critical returner-down'],
    [[], { away: new Map([['web1', '2026-11-25T16:00:00.000000']]) }, 'warning minion-away'],
    [[], { pending: ['new1'] }, 'warning keys-pending'],
    [[], { disks: [{ path: '/x', freeBytes: GIB, sizeBytes: 100 * GIB }] }, 'critical disk-nearly-full'],
    [[], { figures: undefined }, 'warning no-figures'],
    [[], { figures: undefined, isRunning: false }, 'critical master-down'],
  ];
  for (const [samples, more, expected] of cases) assert.deepEqual(codes(samples, more), [expected]);
});

test('manage.doctor - sentences end, and say who and what next', () => {
  const [found] = findings(measured([], { away: new Map([['web1', '2026-11-25T16:00:00.000000']]) }));
  assert.equal(found?.who, 'web1');
  assert.match(found.why, /lost at 2026-11-25T16:00:00\.000000 UTC\.$/);
  for (const text of [found.what, found.why, found.next]) assert.match(text, /\.$/);
});

test('manage.doctor - many minions that are away are told in one sentence', () => {
  const ids = Array.from({ length: 300 }, (_, at) => `m${at}`);
  const found = findings(measured([], { accepted: ids, away: new Map(ids.map((id) => [id, undefined])) }));
  assert.equal(found.length, 21);
  assert.equal(found[0]?.code, 'minions-away');
});

test('metrics - names follow the rules of Prometheus', () => {
  for (const [name, { kind, labels, help }] of FAMILY_TABLE) {
    assert.match(name, /^brine_[a-z][a-z0-9_]*[a-z0-9]$/);
    assert.equal(name.endsWith('_total'), kind === 'counter', name);
    assert.doesNotMatch(
      name,
      /_(milliseconds|ms|kilobytes|megabytes|count|sum|bucket)(_|$)/,
      `${name} has base units`,
    );
    for (const label of labels) assert.match(label, /^[a-z][a-z0-9_]*$/);
    assert.ok(!labels.includes('le') && help.endsWith('.'), name);
  }
});
