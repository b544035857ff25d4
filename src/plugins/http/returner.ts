/** `http`: each return as JSON, posted to a URL. Salt has no such returner. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { headersOption, sendHttp, urlOption, verifyOption } from '../../network/http/client.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import { secondsOption } from '../shared/returner/store-options.ts';
import { param } from '../../runtime/loader/params.ts';

const TIMEOUT_MS = 10_000;
const DEFAULTS = new Map<string, Value | undefined>([
  ['url', undefined],
  ['headers', undefined],
  ['timeout', undefined],
  ['verify', true],
]);

/** What is told of an answer that is no success. */
const SNIPPET_LENGTH = 200;

async function post(ctx: ModuleContext, ret: Dict, value: Value): Promise<null> {
  const options = await returnerOptions(ctx, 'http', ret, DEFAULTS);
  const url = urlOption(options.get('url'), 'http.url');
  const kwargs = ret.get('ret_kwargs');
  // the headers of the configuration may be secrets for the host of the configuration
  const isElsewhere = isDict(kwargs) && kwargs.has('url') && !kwargs.has('headers');
  const headers = headersOption(isElsewhere ? undefined : options.get('headers'), 'http.headers');
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  const { status, text } = await sendHttp({
    method: 'POST',
    url,
    headers,
    body: storeJson(value, { strict: true }),
    timeoutMs: secondsOption(options, 'timeout', 'http.timeout') ?? TIMEOUT_MS,
    verify: verifyOption(options.get('verify')),
    tlsSettings: { ca: 'http.verify' },
    clock: ctx.clock,
  });
  if (status >= 200 && status <= 299) return null;
  const said = text.slice(0, SNIPPET_LENGTH).replace(/\s+/g, ' ').trim();
  throw new CommandExecutionError(
    `${url.host} did not take what http.url is sent: it answered ${status}${said === '' ? '' : ` (${said})`}.`,
  );
}

export const httpReturner = defineModule({
  name: 'http',
  file: 'http_return',
  doc: 'Posts each return as JSON to the URL `http.url`; `http.headers`, `http.timeout` (seconds) and `http.verify` say how.',
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Posts one return.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return http"],
      run: (ctx, { ret }) => post(ctx, ret, ret),
    }),
    event_return: defineFunction({
      doc: 'Posts events, as one list.',
      params: { events: { type: 'list', doc: 'Events, each a mapping of tag and data.' } },
      returns: 'None',
      run: (ctx, { events }) =>
        Array.isArray(events) && events.length > 0 ? post(ctx, new Map(), events) : null,
    }),
  },
});
