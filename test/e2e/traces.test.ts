/** Jobs as traces, told by the built programs to a collector. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { Fleet, until } from '../support/fleet.ts';
import { startCollector, type Collector, type TakenSpan } from '../support/otlp-stand-in.ts';
import { addressOf, createBelow, joinSyndic, ORDERS } from '../support/tree.ts';

/** The spans of the only trace that has one of this name, once there are so many of them. */
async function traceOf({ spans, faults }: Collector, name: string, count: number): Promise<TakenSpan[]> {
  const all = (): TakenSpan[] => {
    const id = spans.find((span) => span.name === name)?.traceId;
    return spans.filter(({ traceId }) => traceId === id);
  };
  await until(`${count} spans of ${name}`, () => all().length >= count || faults.length > 0);
  assert.deepEqual(faults, []);
  return all();
}

/** The way from a span to the one that began its trace, as services and names. */
function wayTo(span: TakenSpan, all: readonly TakenSpan[]): string[] {
  const above = all.find(({ spanId }) => spanId === span.parentSpanId);
  assert.equal(above === undefined, span.parentSpanId === '', `${span.name} has a parent that is not there`);
  const own = `${span.service}: ${span.name}`;
  return above === undefined ? [own] : [...wayTo(above, all), own];
}

const deepest = (all: readonly TakenSpan[]): string[][] =>
  all
    .filter(({ spanId }) => !all.some(({ parentSpanId }) => parentSpanId === spanId))
    .map((span) => wayTo(span, all));

test('traces - a job is one trace over command, masters, syndic and minions', async (t) => {
  const collector = await startCollector(t);
  const option = `otlp_endpoint: ${collector.url}`;
  const top = await Fleet.create(t);
  top.configureMaster([...ORDERS, option]);
  const below = await createBelow(t, [addressOf(top)], ['auto_accept: True', option]);
  await Promise.all([top.startMaster(), below.startMaster()]);
  await joinSyndic(below, 's-below');
  await Promise.all([below.joinMinion('low', [option]), top.joinMinion('high', [option])]);
  assert.deepEqual(await top.json(['*', 'test.ping', '--static']), { high: true, low: true });

  const all = await traceOf(collector, 'job test.ping', 12);
  const command = ['salt: job test.ping', 'salt-master: publish test.ping'];
  const ofSyndic = [...command, 'salt-syndic: hand down test.ping'];
  const ofMinion = [
    'salt-minion: run test.ping',
    'salt-minion: return test.ping',
    'salt-master: take return test.ping',
  ];
  assert.deepEqual(
    deepest(all).sort((one, other) => one.length - other.length || (one.join() < other.join() ? -1 : 1)),
    [
      [...command, ...ofMinion],
      [...ofSyndic, 'salt-syndic: bring up test.ping', 'salt-master: take return test.ping'],
      [...ofSyndic, 'salt-master: publish test.ping', ...ofMinion],
    ],
  );
  const jids = new Set(all.map(({ facts }) => facts.get('salt.jid')));
  assert.equal(jids.size, 1);
  const run = all.find(({ name, facts }) => name === 'run test.ping' && facts.get('salt.minion') === 'low');
  assert.equal(run?.facts.get('salt.retcode'), '0');
  for (const span of all) assert.equal(span.isError, false, span.name);
});

test('traces - what does not trace hands on what came; nobody sees the field; errors are marked', async (t) => {
  const collector = await startCollector(t);
  const option = `otlp_endpoint: ${collector.url}`;
  const fleet = await Fleet.create(t, ['auto_accept: True', option]);
  await fleet.startMaster();
  await fleet.joinMinion('web1');
  const seen = JSON.stringify(await fleet.json(['web1', 'test.kwarg', 'a=1']));
  assert.ok(seen.includes('__pub_jid') && !seen.includes('traceparent'), seen);
  assert.notEqual((await fleet.salt(['web1', 'test.nope'])).code, 0);
  const all = await traceOf(collector, 'job test.nope', 3);
  assert.deepEqual(deepest(all), [
    ['salt: job test.nope', 'salt-master: publish test.nope', 'salt-master: take return test.nope'],
  ]);
});

test('traces - a collector that never answers delays nothing', async (t) => {
  const collector = await startCollector(t, () => ({ hang: true }));
  const fleet = await Fleet.create(t, ['auto_accept: True', `otlp_endpoint: ${collector.url}`]);
  const master = await fleet.startMaster();
  await fleet.joinMinion('web1', [`otlp_endpoint: ${collector.url}`]);
  await fleet.json(['web1', 'test.ping']);
  const beganMs = systemClock.monotonicMs();
  for (let i = 0; i < 5; i++) assert.deepEqual(await fleet.json(['web1', 'test.ping']), { web1: true });
  const tookMs = systemClock.monotonicMs() - beganMs;
  // each command stays 0.3 s for the collector at most, once its job is over
  assert.ok(tookMs < 5 * 4_000, `${tookMs} ms`);
  await until('the collector was asked', () => collector.requests.length > 0);
  assert.equal(await master.stop(), 0);
});

test('traces - an address that means nothing stops the start with a sentence', async (t) => {
  const fleet = await Fleet.create(t);
  const minion = fleet.startMinion('web1', ['otlp_endpoint: here']);
  assert.notEqual(await minion.exited, 0);
  assert.match(minion.log, /otlp_endpoint must be set to a URL that begins with http/);
});
