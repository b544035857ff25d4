/** `redis_sentinel`: what Redis Sentinel tells becomes events (salt/engines/redis_sentinel.py, 3006.16). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineEngine,
  EngineRefusal,
  type EngineContext,
  type MasterForEngines,
} from '../shared/engine/engine.ts';

const SWITCH_FIELDS = ['master', 'old_host', 'old_port', 'new_host', 'new_port'];
const DOWN_FIELDS = ['master', 'host', 'port'];
const RECONNECT_MAX_MS = 5_000;

/** The engine. */
export const redisSentinelEngine = defineEngine({
  name: 'redis_sentinel',
  doc: 'Listens to channels of a Redis Sentinel that runs on a minion, and fires an event for each message.',
  runsOn: 'master',
  params: {
    hosts: param.mapping({ doc: 'matching: a glob of minions; interface: whose address is taken; port.' }),
    channels: param.listIfGiven({ doc: 'Patterns of channels, such as +switch-master.' }),
    tag: param.textIfGiven({
      default: null,
      doc: 'What the tags of the events begin with; default: salt/engine/redis_sentinel.',
    }),
  },
  start: async (ctx, { hosts, channels, tag = 'salt/engine/redis_sentinel' }) => {
    for (const key of ['matching', 'interface', 'port'])
      if (!hosts.has(key)) throw new EngineRefusal(`hosts has no ${key}`);
    const host = await sentinelHost(ctx.master as MasterForEngines, hosts);
    await listen(ctx, { host, port: Number(hosts.get('port')) }, (channels ?? ['*']).map(pyStr), tag);
  },
});

/** Salt compat: of several minions and addresses one is taken. */
async function sentinelHost(master: MasterForEngines, hosts: Dict): Promise<string> {
  const matching = pyStr(hosts.get('matching') ?? '');
  const found = [
    ...(await master.job(matching, 'network.ip_addrs', [hosts.get('interface') ?? null])).values(),
  ];
  const address = found.flatMap((list) => (Array.isArray(list) ? list : []))[0];
  if (typeof address === 'string') return address;
  throw new Error(`no minion of ${matching} has an address on ${pyStr(hosts.get('interface') ?? '')}`);
}

async function listen(
  ctx: EngineContext,
  where: { host: string; port: number },
  channels: readonly string[],
  tag: string,
): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis({
    ...where,
    enableReadyCheck: false,
    lazyConnect: true,
    retryStrategy: (times) => Math.min(times * 200, RECONNECT_MAX_MS),
  });
  client.on('error', (error: Error) =>
    ctx.log.warning(`redis_sentinel: ${where.host}:${where.port}: ${error.message}`),
  );
  const fire = (data: Dict): Promise<boolean> => ctx.fire(`${tag}/${pyStr(data.get('channel') ?? '')}`, data);
  let order: Promise<unknown> = Promise.resolve();
  client.on('pmessage', (_pattern: string, channel: string, text: string) => {
    order = order.then(() => fire(sentinelEvent(channel, text)));
  });
  try {
    await client.connect();
    for (const [index, channel] of channels.entries()) {
      await client.psubscribe(channel);
      // Salt compat: the answer to a subscription is an event, too
      await fire(dict({ channel, code: index + 1 }));
    }
    ctx.log.debug('Start Listener');
    await new Promise<void>((resolve) =>
      ctx.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await order;
  } finally {
    client.disconnect();
  }
}

/** The data of one message's event. */
export function sentinelEvent(channel: string, text: string): Dict {
  const words = text.split(' ');
  if (channel === '+switch-master') return named(channel, SWITCH_FIELDS, words);
  if (channel === '+odown' || channel === '-odown') return named(channel, DOWN_FIELDS, words.slice(1));
  return dict({ channel, data: text });
}

function named(channel: string, fields: readonly string[], words: readonly string[]): Dict {
  const pairs = fields
    .slice(0, words.length)
    .map((field, at): [Value, Value] => [field, words[at] as string]);
  return new Map<Value, Value>([['channel', channel], ...pairs]);
}
