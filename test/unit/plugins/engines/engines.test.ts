/** The engines against what they talk to: each in this process, on a bus that is a list. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';
import { dockerEventsEngine } from '../../../../src/plugins/docker/events.engine.ts';
import type { EngineSpec } from '../../../../src/plugins/shared/engine/engine.ts';
import { fluentEngine } from '../../../../src/plugins/fluent/engine.ts';
import { httpLogstashEngine } from '../../../../src/plugins/logstash/http.engine.ts';
import { logstashEngine } from '../../../../src/plugins/logstash/engine.ts';
import { redisSentinelEngine, sentinelEvent } from '../../../../src/plugins/redis/sentinel.engine.ts';
import { scriptEngine } from '../../../../src/plugins/script/engine.ts';
import { stalekeyEngine } from '../../../../src/plugins/stalekey/engine.ts';
import { webhookEngine } from '../../../../src/plugins/webhook/engine.ts';
import { boundOptions } from '../../../../src/programs/engines/run-engine.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { folder } from '../../../support/attacker.ts';
import { engineStage, type EngineStage } from '../../../support/engines.ts';
import { freePort } from '../../../support/fleet.ts';

function run(
  t: TestContext,
  spec: EngineSpec,
  options: Dict,
  stage: EngineStage = engineStage(),
): EngineStage & { readonly ended: Promise<void> } {
  const ended = spec.start(stage.ctx, boundOptions(spec, options, stage.ctx.role));
  ended.catch(() => undefined);
  t.after(async () => {
    stage.stop();
    await ended.catch(() => undefined);
  });
  return { ...stage, ended };
}

async function httpServer(t: TestContext, listener: RequestListener, path?: string): Promise<number> {
  const server = createHttp(listener);
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return path === undefined ? (server.address() as AddressInfo).port : 0;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

/** A tcp server that keeps what comes. */
async function tcpSink(t: TestContext): Promise<{ port: number; received(bytes: number): Promise<Buffer> }> {
  let kept = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]);
      wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    received: async (bytes) => {
      while (kept.length < bytes) await new Promise<void>((resolve) => (wake = resolve));
      return kept;
    },
  };
}

test('engines - http_logstash posts what its tags and functions let through', async (t) => {
  const bodies: string[] = [];
  let told: () => void = () => undefined;
  const port = await httpServer(t, (request, answer) => {
    void textOf(request).then((text) => {
      bodies.push(`${request.headers['content-type']} ${text}`);
      answer.end('{}');
      told();
    });
  });
  const stage = run(
    t,
    httpLogstashEngine,
    dict({ url: `http://127.0.0.1:${port}/x`, tags: ['a/*'], funs: ['one.fun'] }),
  );
  stage.push('b/1', dict({ n: 1 }));
  stage.push('a/1', dict({ n: 2, fun: 'other.fun' }));
  stage.push('a/2', dict({ n: 3, fun: 'one.fun', raw: new Uint8Array([104]) }));
  stage.push('a/3', dict({ n: 4 }));
  while (bodies.length < 2) await new Promise<void>((resolve) => (told = resolve));
  assert.deepEqual(bodies, [
    'application/json {"n": 3, "fun": "one.fun", "raw": "b\'h\'"}',
    'application/json {"n": 4}',
  ]);
});

test('engines - logstash sends one object for each event, by udp and tcp', async (t) => {
  const udp = createSocket('udp4');
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  t.after(() => void udp.close());
  const first = run(t, logstashEngine, dict({ host: '127.0.0.1', port: udp.address().port, tag: 'said' }));
  first.push('x', dict({ id: 'one', name: 'kept' }));
  const [message] = (await once(udp, 'message')) as [Buffer];
  const seen = JSON.parse(message.toString()) as Record<string, unknown>;
  assert.deepEqual(
    [seen['id'], seen['name'], seen['message'], seen['@version'], seen['level']],
    ['one', 'kept', 'said', '1', 'INFO'],
  );
  assert.match(String(seen['@timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const sink = await tcpSink(t);
  const second = run(t, logstashEngine, dict({ host: '127.0.0.1', port: sink.port, proto: 'tcp' }));
  second.push('x', dict({ n: 1 }));
  assert.match((await sink.received(50)).toString(), /^\{.*"n": 1.*\}\n$/);
  await assert.rejects(
    run(t, logstashEngine, dict({ host: 'x', proto: 'icmp' })).ended,
    /there is no proto icmp/,
  );
});

test('engines - fluent speaks the forward protocol', async (t) => {
  const sink = await tcpSink(t);
  const stage = run(t, fluentEngine, dict({ host: '127.0.0.1', port: sink.port, app: 'mine' }));
  stage.push('x', dict({ n: 1 }));
  const [tag, time, record] = decode(await sink.received(20), 'network') as [string, number, Dict];
  assert.equal(tag, 'saltstack.mine');
  assert.equal(Number.isInteger(time), true);
  assert.deepEqual(record, dict({ n: 1 }));
});

test('engines - docker_events reads the stream of a daemon, with its filters', async (t) => {
  const path = join(folder(t), 'docker.sock');
  const asked: string[] = [];
  await httpServer(
    t,
    (request, answer) => {
      asked.push(decodeURIComponent(request.url ?? ''));
      answer.write('{"Action": "start", "Type": "container", "id": "1"}\n{"status": "pull", ');
      answer.end('"Action": ""}\n');
    },
    path,
  );
  const options = dict({
    docker_url: `unix:/${path}`,
    filters: dict({ event: ['start'], type: 'container' }),
  });
  const stage = run(t, dockerEventsEngine, options);
  await assert.rejects(stage.ended, /has ended the stream/);
  assert.deepEqual(asked, ['/events?filters={"event": ["start"], "type": ["container"]}']);
  assert.deepEqual(
    stage.fired.map(({ tag }) => tag),
    ['salt/engines/docker_events/start', 'salt/engines/docker_events/pull'],
  );
  await assert.rejects(
    run(t, dockerEventsEngine, dict({ docker_url: 'nowhere' })).ended,
    /no place of a Docker daemon/,
  );
});

test('engines - script reads json and yaml, and runs again and again', async (t) => {
  const stage = run(
    t,
    scriptEngine,
    dict({ cmd: `printf '{"tag": "a", "data": {"x": 1}}\\n{"tag": "a"}\\n[]\\n'`, interval: 0 }),
  );
  await stage.firedSome(4);
  assert.deepEqual(
    stage.fired.slice(0, 2).map(({ tag, data }) => [tag, data]),
    [
      ['a', dict({ x: 1, id: 'm_master' })],
      ['a', new Map()],
    ],
  );
  stage.stop();
  await stage.ended;
  const yaml = run(
    t,
    scriptEngine,
    dict({ cmd: "printf '{tag: b, data: {id: x}}\\n'", output: 'yaml', onchange: true, interval: 0 }),
  );
  await yaml.firedSome(1);
  assert.deepEqual(yaml.fired[0], { tag: 'b', data: dict({ id: 'x' }) });
  for (const [options, reason] of [
    [dict({ cmd: 'x', output: 'toml' }), /there is no output toml; there are json, yaml/],
    [dict({ cmd: '' }), /cmd is empty/],
    [dict({ cmd: '/no/such/program' }), /No such file/],
  ] as const)
    await assert.rejects(run(t, scriptEngine, options).ended, reason);
});

test('engines - webhook bounds what strangers send, and refuses half a certificate', async (t) => {
  const port = await freePort();
  const stage = run(t, webhookEngine, dict({ address: '127.0.0.1', port }));
  while (!stage.lines.some((line) => line.includes('listens')))
    await new Promise((resolve) => setImmediate(resolve));
  const post = async (path: string, body: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })).status;
  assert.equal(await post('/a%20b/../c?d', 'x'), 200);
  assert.equal(stage.fired[0]?.tag, 'salt/engines/hook/c');
  assert.equal(await post('/%zz', 'x'), 200);
  assert.equal(await post('/large', 'x'.repeat(1024 * 1024 + 1)).catch(() => 413), 413);
  assert.equal(stage.fired.length, 2);
  await assert.rejects(
    run(t, webhookEngine, dict({ address: '127.0.0.1', port })).ended,
    new RegExp(`^BrineError: nothing can listen on 127\\.0\\.0\\.1, port ${port}: .* a port that is free`),
  );
  await assert.rejects(run(t, webhookEngine, dict({ ssl_crt: '/x' })).ended, /both or not at all/);
  await assert.rejects(
    run(t, webhookEngine, dict({ ssl_crt: '/no', ssl_key: '/no' })).ended,
    /cannot be read/,
  );
});

test('engines - stalekey deletes the keys of those that were away too long, and of nobody when it cannot know', async (t) => {
  const cachedir = folder(t);
  const path = join(cachedir, 'presence.p');
  const deleted: string[][] = [];
  const accepted = new Set(['old', 'here', 'new']);
  const stage = engineStage({
    opts: dict({ cachedir }),
    master: {
      acceptedIds: () => [...accepted],
      connectedIds: () => Promise.resolve(new Set(['here'])),
      deleteKeys: async (ids) => {
        deleted.push([...ids]);
        for (const id of ids) accepted.delete(id);
      },
      job: () => Promise.resolve(new Map()),
      hasRunner: async () => true,
      runner: () => Promise.resolve(null),
      nextJid: () => '',
      runnerJob: () => Promise.resolve(null),
    },
  });
  const long = Date.now() / 1000 - 1000;
  writeFileSync(
    path,
    encode(
      new Map<Value, Value>([
        ['old', long],
        ['here', long],
        ['gone', long],
      ]),
      'local',
    ),
  );
  run(t, stalekeyEngine, dict({ interval: 1000, expire: 500 }), stage);
  const keptIds = (): string[] => [...(decode(readFileSync(path), 'local') as Dict).keys()].map(String);
  while (keptIds().includes('old')) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(deleted, [['old']]);
  assert.deepEqual(keptIds().sort(), ['here', 'new']);
  writeFileSync(path, 'garbage');
  const again = run(
    t,
    stalekeyEngine,
    dict({ interval: 1000, expire: 500 }),
    engineStage({
      opts: stage.ctx.opts,
      ...(stage.ctx.master === undefined ? {} : { master: stage.ctx.master }),
    }),
  );
  while (!again.lines.some((line) => line.includes('no key is deleted')))
    await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(deleted, [['old']]);
  await assert.rejects(
    run(t, stalekeyEngine, new Map(), engineStage({ opts: dict({ minion_data_cache: false }) })).ended,
    /requires minion_data_cache/,
  );
});

test('engines - messages of Redis Sentinel', async (t) => {
  assert.deepEqual(
    sentinelEvent('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 6380'),
    dict({
      channel: '+switch-master',
      master: 'mymaster',
      old_host: '10.0.0.1',
      old_port: '6379',
      new_host: '10.0.0.2',
      new_port: '6380',
    }),
  );
  assert.deepEqual(
    sentinelEvent('+odown', 'master mymaster 10.0.0.1 6379 #quorum 2/2'),
    dict({ channel: '+odown', master: 'mymaster', host: '10.0.0.1', port: '6379' }),
  );
  assert.deepEqual(sentinelEvent('+sdown', 'x y'), dict({ channel: '+sdown', data: 'x y' }));
  await assert.rejects(
    run(t, redisSentinelEngine, dict({ hosts: dict({}), channels: [] })).ended,
    /hosts has no matching/,
  );
});
