/** `file.cached` and `file.not_cached`: files in the cache of the minion. Follows 3006.16 salt/states/file.py. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { pathExists, realPath } from '../../../python/paths.ts';
import { opt, textArgument } from '../../shared/file-params.ts';
import { missingSource } from '../../shared/missing-source.ts';
import { parseUrl, REMOTE_PROTOCOLS, withoutPassword } from '../../shared/source-url.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { errorText, FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { S, type ArgsOf } from './params.ts';
import { cachedFile, fileCachedBefore } from '../../shared/served-files.ts';
import { sumOfSource } from '../../shared/file-answers.ts';

const ADDRESS = param.by(textArgument, {
  type: 'str',
  doc: 'The address: salt://, http(s)://, file:// or a path of this machine.',
});

const CACHED_PARAMS = {
  name: ADDRESS,
  source_hash: opt(param.valueIfGiven(S.source_hash), ''),
  source_hash_name: opt(S.source_hash_name, null),
  skip_verify: opt(S.skip_verify, false),
  saltenv: opt(S.saltenv, 'base'),
  use_etag: opt(S.use_etag, false),
} as const;

/** A file that is to be in the cache. */
interface Wish {
  readonly url: string;
  readonly saltenv: Value;
  /** The hash that it is to have; empty when none is known. */
  readonly sum: Dict;
  readonly useEtag: boolean;
  /** The hash is to be enforced. */
  readonly isChecked: boolean;
}

/** The place of a path of this machine; undefined for an address. */
function localPlace(url: string): string | undefined {
  const { scheme, path } = parseUrl(url);
  return ['', 'file'].includes(scheme) ? realPath(expandUser(path)) : undefined;
}

async function cachedPlace(
  ctx: StateContext,
  { url, saltenv }: Pick<Wish, 'url' | 'saltenv'>,
): Promise<string> {
  return (await fileCachedBefore(ctx, [url], { saltenv })) ?? '';
}

async function hashOf(ctx: StateContext, path: string, { sum }: Wish): Promise<string> {
  const type = sum.get('hash_type') ?? optionOf(ctx.opts, 'hash_type');
  return pyStr(await ctx.functions.call('file.get_hash', [path, type]));
}

async function cached(
  ctx: StateContext,
  args: ArgsOf<typeof CACHED_PARAMS>,
  outcome: FileOutcome,
): Promise<Dict> {
  const url = args.name;
  const isChecked = !args.skip_verify;
  const isRemote = REMOTE_PROTOCOLS.includes(parseUrl(url).scheme);
  if (isChecked && args.source_hash === undefined && !args.use_etag && isRemote) {
    return outcome.fail(
      `Unable to verify upstream hash of source file ${withoutPassword(url)}, please set source_hash or set ` +
        'skip_verify or use_etag to True',
    );
  }
  let known: Dict = new Map();
  try {
    if (args.source_hash !== undefined) known = await sourceSum(ctx, url, args);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome.fail(error.message);
  }
  const { saltenv, use_etag: useEtag } = args;
  const wish = { url, saltenv, sum: known, useEtag, isChecked: isChecked && known.size > 0 };
  const place = localPlace(url);
  // nothing is fetched for a file that is on this machine. Salt compat: Salt's test mode says that it will be cached
  if (ctx.state.test && (place === undefined || !pathExists(place))) return foretell(ctx, wish, outcome);
  return place === undefined ? fetch(ctx, wish, outcome) : local(ctx, place, wish, outcome);
}

function sourceSum(ctx: StateContext, url: string, args: ArgsOf<typeof CACHED_PARAMS>): Promise<Dict> {
  const { source_hash, source_hash_name, saltenv } = args;
  return sumOfSource(ctx, [], {
    source: url,
    source_hash,
    source_hash_name,
    saltenv,
  });
}

async function foretell(ctx: StateContext, wish: Wish, outcome: FileOutcome): Promise<Dict> {
  const { url, sum, saltenv } = wish;
  const missing = await missingSource(ctx, url, pyStr(saltenv));
  if (missing !== undefined) return outcome.fail(missing);
  const place = await cachedPlace(ctx, wish);
  if (place === '') return outcome.end(null, `File will be cached: ${withoutPassword(url)}`);
  if (sum.size === 0) return outcome.end(null, `No hash found. File will be cached: ${withoutPassword(url)}`);
  const hash = await ctx.functions.call('file.get_hash', [place, optionOf(ctx.opts, 'hash_type')]);
  return outcome.end(
    null,
    hash === sum.get('hsum')
      ? `File already cached: ${withoutPassword(url)}`
      : `Hashes don't match.\nFile will be cached: ${withoutPassword(url)}`,
  );
}

async function local(ctx: StateContext, place: string, wish: Wish, outcome: FileOutcome): Promise<Dict> {
  if (!pathExists(place)) return outcome.fail(`File ${place} is not present on the minion`);
  if (!wish.isChecked) return outcome.end(true, `File ${place} is present on the minion`);
  const hash = await hashOf(ctx, place, wish);
  const wanted = pyStr(wish.sum.get('hsum') ?? null);
  return hash === wanted
    ? outcome.end(true, `File ${place} is present on the minion and has hash ${hash}`)
    : outcome.fail(
        `File ${place} is present on the minion, but the hash (${hash}) does not match the specified hash (${wanted})`,
      );
}

async function fetch(ctx: StateContext, wish: Wish, outcome: FileOutcome): Promise<Dict> {
  const { url, saltenv, sum, useEtag } = wish;
  const before = await cachedPlace(ctx, wish);
  const oldHash = before === '' ? null : await hashOf(ctx, before, wish);
  let place: string | undefined;
  try {
    const options = { saltenv, source_hash: sum.get('hsum') ?? null, use_etag: useEtag };
    place = await cachedFile(ctx, [url], options);
  } catch (error) {
    return outcome.fail(withoutPassword(errorText(error)));
  }
  if (place === undefined) {
    return outcome.fail(`Failed to cache ${withoutPassword(url)}, check minion log for more information`);
  }
  const hash = await hashOf(ctx, place, wish);
  if (hash !== oldHash) outcome.changes.set('hash', dict({ old: oldHash, new: hash }));
  if (!wish.isChecked) return outcome.end(true, `File is cached to ${place}`);
  const wanted = pyStr(sum.get('hsum') ?? null);
  return hash === wanted
    ? outcome.end(true, `File is already cached to ${place} with hash ${hash}`)
    : outcome.fail(
        `File is cached to ${place}, but the hash (${hash}) does not match the specified hash (${wanted})`,
      );
}

/** States of the minion's cache. */
export const cachedStates = {
  cached: defineState({
    doc: 'Makes sure that a file is in the cache of the minion.',
    params: CACHED_PARAMS,
    run: (ctx, args) => cached(ctx, args, new FileOutcome(args.name, { order: 'managed', result: false })),
  }),
  not_cached: defineState({
    doc: 'Makes sure that a file is not in the cache of the minion.',
    params: { name: ADDRESS, saltenv: opt(S.saltenv, 'base') },
    run: async (ctx, { name, saltenv }) => {
      const outcome = new FileOutcome(name, { order: 'managed', result: false });
      const place = localPlace(name);
      if (place !== undefined) return outcome.end(true, `File ${place} is a local path, no action taken`);
      const cachedAt = await cachedPlace(ctx, { url: name, saltenv });
      if (cachedAt === '') return outcome.end(true, `${withoutPassword(name)} is not cached`);
      // Salt compat: Salt deletes it in test mode too
      if (ctx.state.test) {
        outcome.changes.set('deleted', true);
        return outcome.end(null, `${cachedAt} is set to be deleted`);
      }
      try {
        rmSync(cachedAt);
      } catch (error) {
        return outcome.fail(`Failed to delete ${cachedAt}: ${errorText(error)}`);
      }
      outcome.changes.set('deleted', true);
      return outcome.end(true, `${cachedAt} was deleted`);
    },
  }),
};
