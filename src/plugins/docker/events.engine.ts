/** `docker_events`: events of a Docker daemon as events of the bus (salt/engines/docker_events.py, 3006.16). */
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestTls } from 'node:https';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { toJson } from '../../formats/json/text.ts';
import { parseJson } from '../../formats/json/parse.ts';
import { tlsFault } from '../../network/tls/fault.ts';
import { noteShown } from '../../network/tls/shown.ts';
import { UnreachableError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineEngine, EngineRefusal, type EngineContext } from '../shared/engine/engine.ts';

/** The engine. */
export const dockerEventsEngine = defineEngine({
  name: 'docker_events',
  doc: 'Fires an event `<tag>/<action>` for each event of a Docker daemon.',
  params: {
    docker_url: param.text({
      default: 'unix://var/run/docker.sock',
      doc: 'Where the daemon listens: unix://…, tcp://…, http://… or https://….',
    }),
    timeout: param.count({ default: 60, doc: 'Seconds for the daemon to begin its answer.' }),
    tag: param.text({
      default: 'salt/engines/docker_events',
      doc: 'What the tags of the events begin with.',
    }),
    filters: param.mapping({ default: null, doc: 'Filters of the daemon, such as event: [start, stop].' }),
  },
  start: async (ctx, { docker_url: url, timeout, tag, filters }) => {
    const stream = await openEvents(ctx, place(url), timeout * 1000, filters);
    const end = (): void => void stream.destroy();
    ctx.signal.addEventListener('abort', end, { once: true });
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      const event = line.trim() === '' ? null : parseJson(line);
      if (!isDict(event)) continue;
      const action = event.get('Action');
      await ctx.fire(
        `${tag}/${pyStr(truthy(action ?? null) ? (action as Value) : (event.get('status') ?? ''))}`,
        event,
      );
    }
    if (!ctx.signal.aborted) throw new UnreachableError('the Docker daemon has ended the stream of events');
  },
});

type Place = RequestOptions & { readonly isTls: boolean };

function place(url: string): Place {
  // docker-py reads unix://var/run and unix:///var/run alike
  const unix = /^(?:http\+)?unix:\/\/\/*(.+)$/.exec(url);
  if (unix !== null) return { socketPath: `/${unix[1] as string}`, isTls: false };
  if (!/^(?:tcp|https?):\/\//.test(url) || !URL.canParse(url))
    throw new EngineRefusal(`docker_url ${url} is no place of a Docker daemon`);
  const { hostname: host, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  return { host, port: port === '' ? (isTls ? 2376 : 2375) : Number(port), isTls };
}

async function openEvents(
  ctx: EngineContext,
  { isTls, ...where }: Place,
  timeoutMs: number,
  filters: Dict,
): Promise<IncomingMessage> {
  const query = filters.size === 0 ? '' : `?filters=${encodeURIComponent(toJson(listed(filters)))}`;
  const asked = (isTls ? requestTls : request)({
    ...where,
    path: `/events${query}`,
    headers: { Host: 'docker' },
  });
  const timer = ctx.clock.after(
    timeoutMs,
    () => void asked.destroy(new UnreachableError('the Docker daemon does not answer')),
  );
  const note = noteShown(asked);
  try {
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    if (answer.statusCode === 200) return answer;
    answer.destroy();
    throw new UnreachableError(`the Docker daemon answered ${answer.statusCode}`);
  } catch (error) {
    const fault = tlsFault(error, { address: `the Docker daemon at ${where.host}:${where.port}`, ...note });
    if (fault === undefined) throw error;
    throw new UnreachableError(fault, { cause: error });
  } finally {
    timer.cancel();
  }
}

/** Each filter as a list of texts, as the daemon wants it. */
function listed(filters: Dict): Dict {
  const text = (value: Value): string => (typeof value === 'boolean' ? String(value) : pyStr(value));
  return new Map(
    [...filters].map(([key, value]) => [key, (Array.isArray(value) ? value : [value]).map(text)]),
  );
}
