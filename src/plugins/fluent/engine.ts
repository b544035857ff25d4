/** `fluent`: sends events to fluentd by its forward protocol (salt/engines/fluent.py, 3006.16; fluent-logger). */
import { encode } from '../../formats/wire/msgpack.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineEngine } from '../shared/engine/engine.ts';
import { TcpSender } from '../shared/engine/line-sender.ts';

/** The engine. */
export const fluentEngine = defineEngine({
  name: 'fluent',
  doc: 'Sends the data of events to fluentd (input `forward`), under the tag `saltstack.<app>`.',
  params: {
    host: param.text({ default: 'localhost', doc: 'Name or address of the fluentd host.' }),
    port: param.count({ default: 24224, doc: 'Its port.' }),
    app: param.text({ default: 'engine', doc: 'The end of the tag.' }),
  },
  start: async (ctx, { host, port, app }) => {
    const sender = new TcpSender({ name: 'fluent', host, port, ...ctx });
    ctx.log.info('Fluent engine started');
    try {
      for await (const { data } of ctx.events())
        await sender.send(
          encode([`saltstack.${app}`, Math.floor(ctx.clock.nowMs() / 1000), data], 'network'),
        );
    } finally {
      sender.close();
    }
  },
});
