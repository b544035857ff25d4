/** Figures: how they are counted, added up and written. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricsAddress } from '../../../../src/programs/daemon/metrics-server.ts';
import { exposition } from '../../../../src/runtime/metrics/exposition.ts';
import { FAMILY_TABLE } from '../../../../src/runtime/metrics/families.ts';
import { readSamples, sample } from '../../../../src/runtime/metrics/sample.ts';
import { Tally, Timings } from '../../../../src/runtime/metrics/tally.ts';
import { Totals } from '../../../../src/runtime/metrics/totals.ts';

test('metrics - names follow the rules of Prometheus', () => {
  for (const [name, { kind, labels, help }] of FAMILY_TABLE) {
    assert.match(name, /^brine_[a-z][a-z_]*[a-z]$/);
    assert.equal(name.endsWith('_total'), kind === 'counter', name);
    for (const label of labels) assert.match(label, /^[a-z_]+$/);
    assert.ok(!labels.includes('le') && help.endsWith('.'), name);
  }
});

test('metrics - every figure of the table is counted somewhere', () => {
  const folder = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'src');
  const text = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('families.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
  const unused = [...FAMILY_TABLE.keys()].filter((name) => !text.includes(`'${name}'`));
  assert.deepEqual(unused, []);
});

test('metrics - the text has values escaped, and distributions that add up', () => {
  const times = new Timings('brine_function_seconds');
  for (const seconds of [0.01, 0.02, 4000, Number.NaN, -1]) times.add(seconds, 'test.ping');
  const lines = exposition([sample('brine_keys', 2, 'a"b\\c\nd'), ...times.samples()]).split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    '# HELP brine_keys Keys of minions by state.',
    '# TYPE brine_keys gauge',
    'brine_keys{state="a\\"b\\\\c\\nd"} 2',
  ]);
  for (const line of [
    'brine_function_seconds_bucket{fun="test.ping",le="0.01"} 1',
    'brine_function_seconds_bucket{fun="test.ping",le="3600"} 2',
    'brine_function_seconds_bucket{fun="test.ping",le="+Inf"} 3',
    'brine_function_seconds_count{fun="test.ping"} 3',
  ])
    assert.ok(lines.includes(line), line);
});

test('metrics - names that others choose are bounded in number and length', () => {
  const tally = new Tally('brine_returns_failed_total');
  for (let i = 0; i < 1000; i++) tally.add(`x.f${i}`);
  tally.add('y'.repeat(101));
  const samples = tally.samples();
  assert.equal(samples.length, 302);
  assert.deepEqual(
    samples.slice(-2).map(({ name, labels, value }) => [name, labels, value]),
    [
      ['brine_returns_failed_total', ['other'], 701],
      ['brine_metrics_label_overflow_total', [], 701],
    ],
  );
});

test('metrics - what a process had counted before it died stays, what it held does not', () => {
  const totals = new Totals();
  const said = (count: number) => [
    sample('brine_publications_total', count),
    sample('brine_connected_minions', count),
    sample('brine_process_up', 1, 'PubServer'),
  ];
  totals.take('PubServer', 1, said(5));
  totals.take('PubServer', 2, said(2));
  totals.take('other', 3, [sample('brine_publications_total', 10)]);
  const values = new Map(totals.samples(new Set(['PubServer'])).map(({ name, value }) => [name, value]));
  assert.deepEqual([...values].sort(), [
    ['brine_connected_minions', 2],
    ['brine_process_up', 0],
    ['brine_publications_total', 17],
  ]);
});

test('metrics - what is no figure of ours is not taken from another process', () => {
  const good = sample('brine_keys', 1, 'accepted');
  const wrong = [null, 'x', { ...good, name: 'toString' }, { ...good, labels: [] }, { ...good, value: 'x' }];
  assert.deepEqual(readSamples([...wrong, good]), [good]);
  assert.deepEqual(readSamples({ length: 1 }), []);
});

test('metrics - an address is a host and a port', () => {
  assert.deepEqual(metricsAddress('[::1]:9175', 'metrics_address'), { host: '::1', port: 9175 });
  for (const text of ['9175', ':9175', 'host', 'host:', 'host:70000', 'http://host:1'])
    assert.throws(() => metricsAddress(text, 'metrics_address'), /metrics_address is ".*"; write an address/);
});
