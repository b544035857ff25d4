/** What the built daemons show to Prometheus. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { Fleet, freePort, until } from '../support/fleet.ts';
import { addressOf, createBelow, joinSyndic, ORDERS } from '../support/tree.ts';

/** Lines of a page by what stands before the value. */
async function figures(port: number): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** The figures when they are as expected; what is shown may be a quarter of a second old. */
async function figuresOnce(
  port: number,
  isTrue: (now: ReadonlyMap<string, number>) => boolean,
): Promise<Map<string, number>> {
  const untilMs = systemClock.monotonicMs() + 30_000;
  for (;;) {
    const now = await figures(port);
    if (isTrue(now)) return now;
    if (systemClock.monotonicMs() > untilMs) throw new Error(`never came: ${[...now].join(' ')}`);
    await systemClock.sleep(20);
  }
}

test('metrics - a master and a minion show what they have done, and a part that dies loses no count', async (t) => {
  const [port, minionPort] = [await freePort(), await freePort()];
  const fleet = await Fleet.create(t, ['auto_accept: True', `metrics_address: 127.0.0.1:${port}`]);
  const master = await fleet.startMaster();
  await fleet.joinMinion('web1', [`metrics_address: 127.0.0.1:${minionPort}`]);
  await fleet.salt(['web1', 'test.ping']);
  await fleet.salt(['web1', 'state.single', 'test.nop', 'name=x']);
  const first = await figuresOnce(port, (now) => now.get('brine_returns_total{outcome="kept"}') === 2);
  for (const [name, value] of [
    ['brine_keys{state="accepted"}', 1],
    ['brine_connected_minions', 1],
    ['brine_authentications_total{outcome="accepted"}', 1],
    ['brine_publications_total', 2],
    ['brine_returns_total{outcome="kept"}', 2],
    ['brine_states_total{state="test.nop",result="true"}', 1],
    ['brine_job_return_seconds_count{fun="test.ping"}', 1],
    ['brine_workers', 1],
    ['brine_process_up{process="MWorker-0"}', 1],
    ['brine_requests_total{command="_return"}', 2],
  ] as const)
    assert.equal(first.get(name), value, name);
  assert.ok((first.get('brine_process_resident_memory_bytes{process="Maintenance"}') ?? 0) > 1e7);
  assert.ok((first.get('brine_job_cache_commit_seconds_count') ?? 0) >= 2);
  const ofMinion = await figuresOnce(minionPort, (now) => now.get('brine_returns_sent_total') === 2);
  assert.equal(ofMinion.get('brine_jobs_total{outcome="taken"}'), 2);
  assert.equal(ofMinion.get('brine_function_seconds_count{fun="test.ping"}'), 1);

  const restarted = master.log.split('is ready').length;
  for (const [title, pid] of master.children())
    if (/MWorker-|Maintenance/.test(title)) process.kill(pid, 'SIGKILL');
  await until('both parts are back', () => master.log.split('is ready').length >= restarted + 2);
  const after = await figuresOnce(port, (now) => now.get('brine_process_restarts_total') === 2);
  assert.equal(after.get('brine_returns_total{outcome="kept"}'), 2);
});

test('metrics - other paths and methods are refused, and a wrong address stops the start', async (t) => {
  const port = await freePort();
  const fleet = await Fleet.create(t, [`metrics_address: 127.0.0.1:${port}`]);
  await fleet.startMaster();
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
  const posted = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST', body: 'x' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  const taken = fleet.startMinion('web1', [`metrics_address: 127.0.0.1:${port}`]);
  assert.notEqual(await taken.exited, 0);
  assert.match(taken.log, /metrics_address: nothing can listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
  const wrong = fleet.startMinion('web2', ['metrics_address: here']);
  assert.notEqual(await wrong.exited, 0);
  assert.match(wrong.log, /metrics_address is "here"; write an address and a port/);
});

test('metrics - a syndic shows what it has handed down and brought up', async (t) => {
  const port = await freePort();
  const top = await Fleet.create(t);
  top.configureMaster([...ORDERS]);
  const below = await createBelow(
    t,
    [addressOf(top)],
    ['auto_accept: True', `syndic_metrics_address: 127.0.0.1:${port}`],
  );
  await Promise.all([top.startMaster(), below.startMaster()]);
  await joinSyndic(below, 's-below');
  await below.joinMinion('low');
  assert.deepEqual(await top.json(['low', 'test.ping']), { low: true });
  const now = await figuresOnce(
    port,
    (each) => (each.get('brine_syndic_batches_sent_total{what="returns"}') ?? 0) > 0,
  );
  assert.equal(now.get('brine_syndic_jobs_total{outcome="taken"}'), 1);
  assert.equal(now.get('brine_syndic_forwarded_total{what="returns"}'), 1);
  assert.equal(now.get('brine_syndic_batches_waiting{what="returns"}'), 0);
  assert.equal(now.get('brine_syndic_lower_connected'), 1);
  assert.equal([...now].find(([name]) => name.startsWith('brine_syndic_upper_connected{'))?.[1], 1);
});
