import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { openSink } from '../../../../src/plugins/registry/returner/sink.ts';
import { dict } from '../../../../src/python/values/value.ts';

async function server(t: TestContext): Promise<{ url: string; posted: string[] }> {
  const posted: string[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      posted.push(`${String(request.headers['x-token'])} ${body}`);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  t.after(() => listening.close());
  await once(listening, 'listening');
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`, posted };
}

test("sink - what a minion's return says of options is not heeded by the master, whose secrets they would tell", async (t) => {
  const [ours, evil] = [await server(t), await server(t)];
  const sink = await openSink('http', 'returner', {
    id: 'master',
    opts: dict({ http: dict({ url: ours.url, headers: dict({ 'x-token': 'secret' }) }), evil: dict() }),
    keepJobsSeconds: 0,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  const more = { ret_kwargs: dict({ url: evil.url }), ret_config: 'evil' };
  await sink?.saveReturns([dict({ jid: '1', id: 'm', fun: 'test.ping', return: true, ...more })]);
  await sink?.saveEvents([{ tag: 'my/event', data: dict({ id: 'm', ...more }) }], 'master');
  assert.deepEqual([ours.posted.length, evil.posted.length], [2, 0]);
  assert.match(ours.posted[0] ?? '', /^secret .*test\.ping/);
  assert.doesNotMatch(ours.posted[0] ?? '', /ret_kwargs/);
});

test('sink - mails of events are sent one at a time, so that none is sent again for one behind it', async () => {
  const parts = {
    id: 'master',
    keepJobsSeconds: 0,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  };
  const atOnce = async (name: string): Promise<number | undefined> =>
    (await openSink(name, 'event_return', { ...parts, opts: dict() }))?.eventsAtOnceMax;
  assert.deepEqual(
    [await atOnce('smtp'), await atOnce('http'), await atOnce('sqlite3')],
    [1, undefined, undefined],
  );
});
