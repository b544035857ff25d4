/** `acme`: certificates of Let's Encrypt and its like (3006.16 salt/states/acme.py). */
import { deepDiff } from '../../formats/data/deep-diff.ts';
import { dict, isDict, truthy, type Dict } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CERTIFICATE } from './module.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The first domain.' }) } as const;

type Wanted = TypedArguments<typeof NAME & typeof CERTIFICATE>;

async function infoOf(ctx: StateContext, certname: string): Promise<Dict> {
  const info = await ctx.functions.call('acme.info', [certname]);
  return isDict(info) ? info : dict();
}

async function cert(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const certname = wanted.certname ?? wanted.name;
  const isThere = truthy(await ctx.functions.call('acme.has', [certname]));
  if (isThere && !truthy(await ctx.functions.call('acme.needs_renewal', [certname, wanted.renew])))
    return outcome(certname, true, [`Certificate ${certname} exists and does not need renewal.`]);
  const foretold = dict({ old: 'current certificate', new: 'new certificate' });
  if (ctx.state.test)
    return outcome(
      certname,
      null,
      [`Certificate ${certname} would have been ${isThere ? 'renewed' : 'obtained'}.`],
      foretold,
    );
  const before = isThere ? await infoOf(ctx, certname) : dict();
  const { name, webroot, ...options } = wanted;
  const given = Object.entries(options).map(([key, value]) => [key, value ?? null] as const);
  const made = await ctx.functions.call(
    'acme.cert',
    [name],
    new Map([...given, ['webroot', webroot ?? null], ['certname', certname]]),
  );
  const answer = isDict(made) ? made : dict();
  const comment = [answer.get('comment') ?? null];
  // Salt compat: what certbot has left as it is has None as its result, and what is lost as its changes
  if (answer.get('result') === null) return outcome(certname, true, comment);
  if (answer.get('result') !== true) return outcome(certname, false, comment);
  return outcome(certname, true, comment, deepDiff(before, await infoOf(ctx, certname)));
}

/** The states of `acme`. */
export const acmeStates = defineModule({
  name: 'acme',
  file: 'acme',
  doc: "Certificates of Let's Encrypt and its like, through certbot.",
  needs: { fun: 'acme.cert', otherwise: 'acme module could not be loaded' },
  functions: {
    cert: defineState({
      doc: 'Makes sure that there is a certificate that does not end soon.',
      params: { ...NAME, ...CERTIFICATE },
      run: (ctx, wanted) => cert(ctx, wanted),
    }),
  },
});
