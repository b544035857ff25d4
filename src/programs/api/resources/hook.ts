/** `/hook/**`: requests of other services that become events (salt/netapi/rest_cherrypy/app.py `Webhook`, 3006.16). */
import type { EventBusWriter } from '../../../network/events/bus-client.ts';
import { dict, truthy, type Dict } from '../../../python/values/value.ts';
import type { Exchange } from '../exchange.ts';
import type { Resource } from '../resource.ts';

const TAG = 'salt/netapi/hook';
/** What would let every reader of the event bus act in the name of whoever called. */
const KEPT_BACK: ReadonlySet<string> = new Set(['x-auth-token', 'cookie']);
/** A session or a token of the second version; other credentials are what reactions look at. */
const OUR_BEARER = /^\s*Bearer\s+([0-9a-f]{32,}|brine\.)/i;

/** @param auth false with `webhook_disable_auth` */
export function hookResource(bus: Pick<EventBusWriter, 'fire' | 'flush'>, auth: boolean): Resource {
  return {
    sessions: true,
    auth,
    readsBody: true,
    ...(auth ? {} : { bodies: 'of anybody' as const }),
    checksAddress: true,
    post: {
      takesAny: 'both',
      run: async ({ exchange, rest, body, requireAcceptable }) => {
        requireAcceptable();
        const post = truthy(body.data) ? body.data : new Map();
        bus.fire([TAG, ...rest].join('/'), dict({ body: body.raw, post, headers: headersOf(exchange) }));
        await bus.flush();
        return { value: dict({ success: true }) };
      },
    },
  };
}

/** The headers in CherryPy's spelling. */
function headersOf(exchange: Exchange): Dict {
  const headers: Dict = new Map();
  for (const name of Object.keys(exchange.request.headers)) {
    const title = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    const value = exchange.header(name) ?? '';
    headers.set(title, KEPT_BACK.has(name) || OUR_BEARER.test(value) ? '***' : value);
  }
  headers.set('Remote-Addr', exchange.address);
  return headers;
}
