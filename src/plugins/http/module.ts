/** `http`: asking web servers. Follows 3006.16 salt/modules/http.py. */
import { existsSync, readFileSync } from 'node:fs';
import { BrineError, CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { systemAuthorities } from '../../network/tls/system-authorities.ts';
import { writeFileAtomic } from '../../host/files.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { describeOsError } from '../../python/exceptions.ts';
import { withoutCredentials } from '../../python/values/masked.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { CA_BUNDLE_PARAMS } from './module/ca-bundle-params.ts';
import { query } from './module/query.ts';
import { param } from '../../runtime/loader/params.ts';
import { settingText } from '../shared/settings.ts';

/** Salt asks again at once; this keeps a minion from asking thousands of times a second. */
const LEAST_INTERVAL_MS = 50;
// Salt compat: Salt fetches what all certificates are judged by over plain HTTP
const CA_URL = 'https://curl.se/ca/cacert.pem';

async function ask(ctx: ModuleContext, url: string, given: Dict): Promise<Dict> {
  const kwargs: Dict = new Map([...given].filter(([name]) => !pyStr(name).startsWith('__pub_')));
  const more = kwargs.get('opts');
  const opts = isDict(more) ? new Map([...ctx.opts, ...more]) : ctx.opts;
  try {
    return await query(ctx, url, opts, kwargs);
  } catch (error) {
    const system = error instanceof Error ? describeOsError(error)?.message : undefined;
    throw new CommandExecutionError(system ?? messageOf(error), { cause: error });
  }
}

async function waitFor(ctx: ModuleContext, url: string, seconds: number, kwargs: Dict): Promise<Value> {
  const untilMs = ctx.clock.monotonicMs() + seconds * 1000;
  const intervalMs = Math.max(LEAST_INTERVAL_MS, (toNumber(kwargs.get('request_interval')) ?? 0) * 1000);
  for (;;) {
    let result: Dict | undefined;
    let failure: unknown;
    try {
      result = await ask(ctx, url, kwargs);
      if (!truthy(result.get('Error')) && !truthy(result.get('error'))) return result;
    } catch (error) {
      if (!(error instanceof BrineError)) throw error;
      failure = error;
    }
    if (ctx.clock.monotonicMs() > untilMs || ctx.signal.aborted) {
      if (result === undefined) throw failure;
      return result;
    }
    await ctx.clock.sleep(intervalMs, ctx.signal);
  }
}

const configured = (ctx: ModuleContext, name: string): Promise<string | undefined> =>
  settingText(ctx, [name, null]);

async function updateCaBundle(
  ctx: ModuleContext,
  target: string | undefined,
  source: string | undefined,
  merge: Value,
): Promise<null> {
  const path = target ?? (await configured(ctx, 'ca_bundle')) ?? systemAuthorities();
  if (path === undefined) {
    ctx.log.error('Unable to detect location to write CA bundle to');
    return null;
  }
  const url = source ?? (await configured(ctx, 'ca_bundle_url')) ?? CA_URL;
  // the file that is to be made cannot vouch for where it comes from
  const trusted = existsSync(path) ? path : (systemAuthorities() ?? null);
  const result = await ask(ctx, url, dict({ text: true, ca_bundle: trusted }));
  const text = result.get('text');
  if (typeof text !== 'string')
    throw new CommandExecutionError(
      `The certificates could not be fetched from ${withoutCredentials(url)}: ${pyStr(result.get('error') ?? null)}. ${path} is as it was.`,
    );
  writeFileAtomic(path, text + mergedFiles(ctx, merge), { mode: 0o644 });
  return null;
}

function mergedFiles(ctx: ModuleContext, merge: Value): string {
  if (merge === null) return '';
  const files = typeof merge === 'string' ? [merge] : merge;
  if (!Array.isArray(files)) {
    ctx.log.error('A value was passed as merge_files which was not either a string or a list');
    return '';
  }
  let content = '';
  for (const file of files.map(pyStr).filter((path) => existsSync(path)))
    content += `\n${readFileSync(file, 'utf8')}`;
  return content === '' ? '' : `\n${content}`;
}

const url = param.text({ doc: 'The address, `http:` or `https:`.' });
const KEYWORDS =
  'Keywords: `method`, `params` and `data` (mappings or text), `data_file`, `header_dict`, `header_list`, `header_file`, ' +
  '`data_render`, `header_render`, `template_dict`, `username`, `password`, `verify_ssl`, `ca_bundle`, `cert`, `agent`, ' +
  '`status=True`, `headers=True`, `text=True` and `decode=True` (with `decode_type` json, xml, yaml or plain) for what comes back ' +
  'besides the body, `text_out` and `decode_out` for files, `raise_error=False`, `persist_session=True`, `opts`.';

/** The module. */
export const httpModule = defineModule({
  name: 'http',
  file: 'http',
  doc: 'Asks web servers.',
  failsWith: { error: ['query', 'wait_for_successful_query'] },
  functions: {
    query: defineFunction({
      doc: `Sends a request to a web server. ${KEYWORDS}`,
      params: { url },
      kwargs: 'kwargs',
      returns: 'mapping of `body`, and as asked `status`, `headers`, `dict`, `text`; `error` when it failed',
      examples: [
        "salt '*' http.query http://somelink.com/",
        `salt '*' http.query http://somelink.com/ method=POST params='{"key1": "val1", "key2": "val2"}'`,
        "salt '*' http.query http://somelink.com/ method=POST data='<xml>somecontent</xml>'",
      ],
      run: (ctx, args, _rest, kwargs) => ask(ctx, args.url, kwargs),
    }),
    wait_for_successful_query: defineFunction({
      doc: `Asks a web server until it answers well. ${KEYWORDS} \`request_interval\` is the pause between requests, in seconds.`,
      params: { url, wait_for: param.numberOnly({ default: 300, doc: 'How many seconds to go on.' }) },
      kwargs: 'kwargs',
      returns: 'what `http.query` returns, the last one when the time is over',
      examples: [
        "salt '*' http.wait_for_successful_query http://somelink.com/ wait_for=160 request_interval=1",
      ],
      run: (ctx, args, _rest, kwargs) => waitFor(ctx, args.url, args.wait_for ?? 300, kwargs),
    }),
    update_ca_bundle: defineFunction({
      doc: 'Fetches the certificates that others are judged by, and keeps them in a file.',
      params: CA_BUNDLE_PARAMS,
      returns: 'None',
      examples: [
        "salt '*' http.update_ca_bundle target=/path/to/cacerts.pem source=https://example.com/cacerts.pem",
      ],
      run: (ctx, args) => updateCaBundle(ctx, args.target, args.source, args.merge_files),
    }),
  },
});
