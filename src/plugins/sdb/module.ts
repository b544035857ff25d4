/** `sdb.*`: values behind addresses `sdb://<profile>/<key>`. Follows 3006.16 salt/modules/sdb.py. */
import type { FailingRule } from '../../runtime/loader/failing-returns.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import type { SdbContext } from '../shared/sdb/sdb-driver.ts';
import { HASH_CHARS, sdbDelete, sdbGet, sdbGetOrSetHash, sdbSet } from '../registry/sdb/sdb.ts';
import { query } from '../http/module/query.ts';

/** What drivers work with on behalf of an execution function. */
export function sdbContextOf(ctx: ModuleContext): SdbContext {
  const { opts, pillar, clock, random, log } = ctx;
  return { opts, pillar, clock, random, log, query: (url, kwargs) => query(ctx, url, opts, kwargs) };
}

const uri = param.value({ type: 'str', doc: 'The address, `sdb://<profile>/<key>`.' });

/** An address of a profile that there is not comes back as it is. */
export const isUnanswered: FailingRule = (value, { uri: asked }) =>
  typeof value === 'string' && value === asked && value.startsWith('sdb://');

/** The parameters of `get_or_set_hash`, which the runner has too. */
export const HASH_PARAMS = {
  uri,
  length: param.count({ default: 8, doc: 'How many characters.' }),
  chars: param.text({ default: HASH_CHARS, doc: 'Which characters.' }),
} as const;

/** The module `sdb`. */
export const sdbModule = defineModule({
  name: 'sdb',
  file: 'sdb',
  doc: 'Values that are kept outside of the configuration: in files, in the environment, in Vault, Redis or SQLite, behind a web interface.',
  failsWith: {
    false: ['set', 'delete', 'get_or_set_hash'],
    none: ['get', 'set', 'delete', 'get_or_set_hash'],
  },
  functions: {
    get: defineFunction({
      doc: 'Gives the value behind an address. What is no address is returned as it is.',
      params: {
        uri,
        strict: param.flag({ default: false, doc: 'Refuse what is no address, or names no profile.' }),
      },
      returns: 'the value; None when there is none',
      failsWith: [isUnanswered],
      examples: ["salt '*' sdb.get sdb://mymemcached/foo strict=True"],
      run: (ctx, args) => sdbGet(sdbContextOf(ctx), args.uri, args.strict),
    }),
    set: defineFunction({
      doc: 'Puts a value behind an address.',
      pythonName: 'set_',
      params: { uri, value: param.value({ type: 'any', doc: 'The value.' }) },
      returns: 'what the driver says, mostly True; False for what is no address',
      examples: ["salt '*' sdb.set sdb://myvault/secret/app/password s3cret"],
      run: (ctx, args) => sdbSet(sdbContextOf(ctx), args.uri, args.value),
    }),
    delete: defineFunction({
      doc: 'Removes the value behind an address.',
      params: { uri },
      returns: 'what the driver says; False for what is no address',
      examples: ["salt '*' sdb.delete sdb://myredis/foo"],
      run: (ctx, args) => sdbDelete(sdbContextOf(ctx), args.uri),
    }),
    get_or_set_hash: defineFunction({
      doc: 'Gives the value behind an address; where there is none, makes a text by chance and keeps it there.',
      params: HASH_PARAMS,
      returns: 'the value; False for what is no address',
      examples: ["salt '*' sdb.get_or_set_hash 'sdb://myredis/SECRET_KEY' 50"],
      run: (ctx, args) => sdbGetOrSetHash(sdbContextOf(ctx), args.uri, args),
    }),
  },
});
