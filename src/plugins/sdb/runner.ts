/** `sdb.*`: values behind addresses `sdb://<profile>/<key>`, on the master (salt/runners/sdb.py, 3006.16). */
import { isDict } from '../../python/values/value.ts';
import { HASH_PARAMS, isUnanswered } from './module.ts';
import { withBanks } from '../registry/cache/open.ts';
import type { SdbContext } from '../shared/sdb/sdb-driver.ts';
import { sdbDelete, sdbGet, sdbGetOrSetHash, sdbSet } from '../registry/sdb/sdb.ts';
import { defineRunner, defineRunners, refusing, type RunnerContext } from '../shared/runner/runner.ts';

function sdbContextOf(ctx: RunnerContext): SdbContext {
  const { settings: opts, clock, random, log } = ctx;
  return {
    opts,
    clock,
    random,
    log,
    query: async (url, kwargs) => {
      const answer = await ctx.execute('http.query', [url], kwargs);
      return isDict(answer) ? answer : new Map();
    },
    withBanks: (cachedir, run) => withBanks({ opts, clock }, cachedir, run),
  };
}

const { uri } = HASH_PARAMS;

/** The sdb runner. */
export const sdbRunners = defineRunners({
  name: 'sdb',
  doc: 'Values that are kept outside of the configuration, as the master reaches them.',
  failsWith: {
    false: ['set', 'delete', 'get_or_set_hash'],
    none: ['get', 'set', 'delete', 'get_or_set_hash'],
  },
  functions: {
    get: defineRunner({
      isSecret: true,
      doc: 'Gives the value behind an address. What is no address is returned as it is.',
      params: { uri },
      returns: 'the value; None when there is none',
      failsWith: [isUnanswered],
      examples: ['salt-run sdb.get sdb://mymemcached/foo'],
      run: (ctx, args) => refusing(() => sdbGet(sdbContextOf(ctx), args.uri)),
    }),
    set: defineRunner({
      isSecret: true,
      doc: 'Puts a value behind an address.',
      pythonName: 'set_',
      params: { uri, value: { type: 'any', doc: 'The value.' } },
      returns: 'what the driver says, mostly True; False for what is no address',
      examples: ['salt-run sdb.set sdb://myvault/secret/app/password s3cret'],
      run: (ctx, args) => refusing(() => sdbSet(sdbContextOf(ctx), args.uri, args.value)),
    }),
    delete: defineRunner({
      doc: 'Removes the value behind an address.',
      params: { uri },
      returns: 'what the driver says; False for what is no address',
      examples: ['salt-run sdb.delete sdb://myredis/foo'],
      run: (ctx, args) => refusing(() => sdbDelete(sdbContextOf(ctx), args.uri)),
    }),
    get_or_set_hash: defineRunner({
      isSecret: true,
      doc: 'Gives the value behind an address; where there is none, makes a text by chance and keeps it there.',
      params: HASH_PARAMS,
      returns: 'the value; False for what is no address',
      examples: ["salt-run sdb.get_or_set_hash 'sdb://myredis/SECRET_KEY' 50"],
      run: (ctx, args) => refusing(() => sdbGetOrSetHash(sdbContextOf(ctx), args.uri, args)),
    }),
  },
});
