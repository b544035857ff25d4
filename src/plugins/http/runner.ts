/** `http.*`: asking web servers from the master (salt/runners/http.py, 3006.16). */
import { CA_BUNDLE_PARAMS } from './module/ca-bundle-params.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';

/** The execution module does the work; it runs here, with the master's options. */
function withoutMaster(kwargs: Dict): Dict {
  const out: Dict = new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__')));
  // Salt's name for whose options count, which are the master's here anyway
  out.delete('node');
  return out;
}

/** The http runner. */
export const httpRunners = defineRunners({
  name: 'http',
  doc: 'Asking web servers from the master.',
  failsWith: { error: ['query'] },
  functions: {
    query: defineRunner({
      doc: 'Sends a request to a web server, with the keywords of the execution function `http.query`.',
      params: {
        url: { type: 'str', doc: 'The address, `http:` or `https:`.' },
        output: { default: true, type: 'bool', doc: 'Deprecated: use `--quiet`.' },
      },
      kwargs: 'kwargs',
      returns: 'mapping of `body`, and as asked `status`, `headers`, `dict`, `text`; `error` when it failed',
      examples: [
        'salt-run http.query http://somelink.com/',
        "salt-run http.query http://somelink.com/ method=POST params='key1=val1&key2=val2'",
      ],
      run: (ctx, { url, output }, _rest, kwargs): Promise<Value> => {
        if (output !== true) ctx.log.warning('Output option has been deprecated. Please use --quiet.');
        return ctx.execute('http.query', [url], withoutMaster(kwargs));
      },
    }),
    update_ca_bundle: defineRunner({
      doc: 'Fetches the certificates that others are judged by, and keeps them in a file.',
      params: CA_BUNDLE_PARAMS,
      returns: 'None',
      examples: [
        'salt-run http.update_ca_bundle',
        'salt-run http.update_ca_bundle target=/path/to/cacerts.pem source=https://example.com/cacerts.pem',
      ],
      run: (ctx, { target, source, merge_files }): Promise<Value> =>
        ctx.execute('http.update_ca_bundle', [target ?? null, source ?? null, merge_files], new Map()),
    }),
  },
});
