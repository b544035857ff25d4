/** `salt --start-event`: each minion tells when it begins with a job. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { Fleet, until } from '../support/fleet.ts';

test('start event - a minion tells of it before it returns, and of no job for which nobody asked', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  await fleet.joinMinion('web1');
  const told: string[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    ({ tag, data }) => {
      const [, what = '', id = ''] = /^salt\/job\/\d+\/(start|ret)\/(\w+)$/.exec(tag) ?? [];
      if (what !== '') told.push(`${what} ${id} ${String(data.get('fun') ?? '')}`);
    },
  );
  t.after(() => bus.close());
  await fleet.salt(['web1', 'test.ping']);
  const { stdout } = await fleet.salt(['web1', '--start-event', '--out=json', '--static', 'test.arg', 'a=1']);
  assert.doesNotMatch(stdout, /start_event/);
  await until('the job is heard', () => told.some((one) => one.startsWith('ret web1 test.arg')));
  assert.deepEqual(
    told.map((one) => one.split(' ').slice(0, 2).join(' ')),
    ['ret web1', 'start web1', 'ret web1'],
  );
});
