/** Reactions survive the reactor: whoever kills it makes it late, and nothing is lost or done twice. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import { toJson } from '../../src/formats/json/text.ts';
import { dict } from '../../src/python/values/value.ts';
import { Fleet, until } from '../support/fleet.ts';

const BURST = 10_000;

test('reactor - a burst of 10,000 events is reacted to once each and in order, though the reactor is killed three times', async (t) => {
  const fleet = await Fleet.create(t);
  const out = fleet.path('out');
  writeFileSync(out, '');
  fleet.write(fleet.path('reactor'), 'count.sls', [
    'count:',
    '  caller.file.append:',
    '    - args:',
    `      - ${out}`,
    '      - "{{ data[\'number\'] }}"',
  ]);
  fleet.configureMaster([
    'reactor_worker_threads: 1',
    'reactor:',
    `  - burst: ${fleet.path('reactor', 'count.sls')}`,
  ]);
  const master = await fleet.startMaster();
  await master.logged('The reactor is ready');
  const writer = new EventBusWriter({
    path: fleet.path('m', 'run', 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 64_000_000,
  });
  t.after(() => writer.close());
  const lines = (): string[] => (existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : []);
  const startMs = systemClock.monotonicMs();
  for (let number = 0; number < BURST; number++) writer.fire('burst', dict({ number }));
  await writer.flush();
  for (const seen of [500, 3000, 6000]) {
    await until(`${seen} reactions`, () => lines().length >= seen);
    process.kill(master.children().get('salt-master Reactor') as number, 'SIGKILL');
  }
  await until('all reactions', () => {
    const numbers = lines();
    return numbers[numbers.length - 1] === String(BURST - 1);
  });
  const numbers = lines().map(Number);
  t.diagnostic(`${BURST} reactions in ${Math.round(systemClock.monotonicMs() - startMs)} ms`);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
    'in order',
  );
  assert.equal(new Set(numbers).size, numbers.length, 'none twice');
  // what was under way when it was killed is told, not run again
  const interrupted = master.log.split('was interrupted while it executed').length - 1;
  assert.ok(interrupted <= 3, `${interrupted} interruptions`);
  assert.ok(
    numbers.length + interrupted >= BURST,
    `${numbers.length} ran and ${interrupted} were interrupted`,
  );
});

test('reactor - jobs that it publishes are published once each, though it is killed', async (t) => {
  const fleet = await Fleet.create(t);
  const out = fleet.path('out');
  fleet.write(fleet.path('reactor'), 'job.sls', [
    'job:',
    '  local.cmd.run:',
    '    - tgt: one',
    '    - args:',
    `      - cmd: "echo {{ data['number'] }} >> ${out}"`,
    '      - python_shell: True',
  ]);
  fleet.configureMaster(['auto_accept: True', 'reactor:', `  - jobs: ${fleet.path('reactor', 'job.sls')}`]);
  const master = await fleet.startMaster();
  await master.logged('The reactor is ready');
  await fleet.joinMinion('one');
  const writer = new EventBusWriter({
    path: fleet.path('m', 'run', 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 64_000_000,
  });
  t.after(() => writer.close());
  const lines = (): string[] => (existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : []);
  const told: string[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    (tag) => tag.endsWith('/new'),
    ({ data }) => void told.push(/"cmd": "echo (\d+) /.exec(toJson(data))?.[1] ?? '?'),
  );
  t.after(() => bus.close());
  const count = 200;
  for (let number = 0; number < count; number++) writer.fire('jobs', dict({ number }));
  await writer.flush();
  for (const seen of [20, 80]) {
    await until(`${seen} jobs`, () => lines().length >= seen);
    process.kill(master.children().get('salt-master Reactor') as number, 'SIGKILL');
  }
  await until('all jobs', () => lines().length >= count);
  assert.equal(new Set(lines()).size, count);
  assert.equal(lines().length, count);
  assert.deepEqual(
    told,
    Array.from({ length: count }, (_, number) => String(number)),
    'each is told of once, in the order of the events',
  );
});
