/**
 * `logstash`: sends events to a Logstash input over UDP or TCP (salt/engines/logstash_engine.py, 3006.16), in version 1
 * of the format of python-logstash.
 */
import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import { messageOf } from '../../errors/errors.ts';
import { eventJson } from '../shared/engine/event-json.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineEngine, EngineRefusal, type EngineContext } from '../shared/engine/engine.ts';
import { TcpSender } from '../shared/engine/line-sender.ts';

/** The engine. */
export const logstashEngine = defineEngine({
  name: 'logstash',
  doc: 'Sends the data of events to a Logstash input, one JSON object each.',
  params: {
    host: param.text({ doc: 'Name or address of the Logstash host.' }),
    port: param.count({ default: 5959, doc: 'Its port.' }),
    tag: param.text({ default: 'salt/engine/logstash', doc: 'The text of each message.' }),
    proto: param.text({ default: 'udp', doc: 'udp or tcp.' }),
  },
  start: async (ctx, { host, port, tag, proto }) => {
    if (proto !== 'udp' && proto !== 'tcp')
      throw new EngineRefusal(`there is no proto ${proto}; there are udp and tcp`);
    const sender =
      proto === 'udp' ? udpSender(host, port, ctx) : new TcpSender({ name: 'logstash', host, port, ...ctx });
    ctx.log.debug('Logstash engine started');
    try {
      for await (const { data } of ctx.events()) {
        const text = eventJson(logstashMessage(data, tag, ctx.clock.nowMs()));
        await sender.send(Buffer.from(proto === 'tcp' ? `${text}\n` : text));
      }
    } finally {
      sender.close();
    }
  },
});

/**
 * The object of one event. Salt compat: Salt fails for events whose data has names such as `name`, `args` or `message`,
 * and leaves `id` out; here the event's data stands whole, below what the format itself has.
 */
function logstashMessage(data: Dict, tag: string, nowMs: number): Dict {
  return new Map<Value, Value>([
    ...data,
    ['@timestamp', new Date(nowMs).toISOString()],
    ['@version', '1'],
    ['message', tag],
    ['host', hostname()],
    ['path', 'salt/engines/logstash'],
    ['tags', []],
    ['type', 'logstash'],
    ['level', 'INFO'],
    ['logger_name', 'python-logstash-logger'],
  ]);
}

function udpSender(host: string, port: number, { log }: EngineContext): Pick<TcpSender, 'send' | 'close'> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('error', (error) => log.warning(`logstash: ${messageOf(error)}`));
  return {
    send: (message) =>
      new Promise((resolve) =>
        socket.send(message, port, host, (error) => {
          if (error) log.warning(`logstash: an event was not sent to ${host}:${port}: ${messageOf(error)}`);
          resolve();
        }),
      ),
    close: () => void socket.close(),
  };
}
