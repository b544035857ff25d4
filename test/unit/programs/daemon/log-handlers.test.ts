/** Messages for log servers, as they leave. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { decode } from '../../../../src/formats/wire/msgpack.ts';
import type { Logging } from '../../../../src/host/log-sinks.ts';
import { logHandlers } from '../../../../src/programs/daemon/log-handlers.ts';
import { setupLogging } from '../../../../src/host/log-sinks.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

function logging(options: Record<string, Value>): Logging {
  const opts = new Map(Object.entries(options));
  const { make, faults } = logHandlers({ raw: (name) => opts.get(name) });
  assert.deepEqual(faults, []);
  return setupLogging({ level: 'quiet', name: 'salt.master', further: make });
}

const LINE = 'from https://user:canary@host/x';

test('log handlers - logstash_udp_handler sends JSON of both versions at its level, and no credential', async (t) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address();
  for (const version of [0, 1]) {
    const handler = dict({ host: '127.0.0.1', port, version, msg_type: 'x', log_level: 'info' });
    const { logger } = logging({ logstash_udp_handler: handler });
    logger.debug('not at this level');
    logger.info(LINE);
    const [sent] = (await once(server, 'message')) as [Buffer];
    const told = JSON.parse(sent.toString()) as Record<string, unknown>;
    assert.equal(version === 0 ? told['@type'] : told['type'], 'x');
    assert.match(String(version === 0 ? told['@message'] : told['message']), /^from https:\/\/.*@host\/x$/);
    assert.doesNotMatch(sent.toString(), /canary/);
    assert.match(String(told['@timestamp']), /^\d{4}-.*T.*\.\d{3}Z$/);
  }
});

test('log handlers - fluent_handler sends tag, time and message in each of its forms', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const [kind, field, level] of [
    ['logstash', 'message', undefined],
    ['graylog', 'message', 4],
    ['gelf', 'short_message', 4],
  ] as const) {
    const handler = dict({ host: '127.0.0.1', port, payload_type: kind, tags: ['one', 'two'] });
    const { logger } = logging({ fluent_handler: handler, log_level: 'warning' });
    logger.warning('text');
    await once(server, 'connection');
    const [sent] = (await once(sockets.at(-1) as Socket, 'data')) as [Buffer];
    const [tag, seconds, told] = decode(sent, 'local') as [Value, Value, Dict];
    assert.equal(tag, 'one');
    assert.ok(Number(seconds) > 1_700_000_000);
    assert.ok(isDict(told));
    assert.equal(told.get(field), 'text');
    assert.equal(told.get('level'), level);
  }
});

test('log handlers - what is wrong with the options is told', () => {
  const faultsOf = (name: string, given: Value): string =>
    logHandlers({ raw: (one) => (one === name ? given : undefined) }).faults.join();
  assert.match(
    faultsOf('logstash_udp_handler', dict()),
    /No messages go to logstash_udp_handler: host is missing/,
  );
  assert.match(faultsOf('logstash_udp_handler', dict({ host: 'h', port: 'x' })), /port must be a number/);
  assert.match(faultsOf('logstash_udp_handler', dict({ host: 'h', port: 1, version: 2 })), /no version 2/);
  assert.match(faultsOf('fluent_handler', 'h'), /must be a mapping/);
});
