/** The source of `file.managed`: which one it is, whether it is needed, and its end in the minion's cache. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { isAbs, joinPath, pathExists } from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { parseUrl } from '../../shared/source-url.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, valuesEqual, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { CONTENT_NAMES, type Plan } from './managed-plan.ts';
import { errorText } from './outcome.ts';
import { fileCachedBefore } from '../../shared/served-files.ts';
import { firstSource, sumOfSource } from '../../shared/file-answers.ts';

/** A source, or the list of those that will do, with the hash that it is to have. */
export interface Source {
  readonly source: Value;
  readonly sourceHash: Value;
}

/** The source as far as it is known, and whether the content is to be looked at at all. */
export interface Chosen extends Source {
  readonly replaces: boolean;
}

/** A source that has been fetched and rendered. */
export interface Fetched {
  readonly sfn: string;
  readonly source: Value;
  readonly sum: Value;
}

/** A file that has the hash which a remote source is to have is not fetched again. */
export async function sourceAhead(ctx: StateContext, plan: Plan): Promise<Chosen> {
  const { args, name } = plan;
  const given = { source: args.source, sourceHash: args.source_hash };
  const hasContent = plan.hasSource || CONTENT_NAMES.some((key) => args[key] !== null);
  if (!args.replace || !hasContent) {
    if (args.replace) warnOfNoSource(ctx, name);
    return { ...given, replaces: false };
  }
  const isFetched = plan.hasSource && args.template === undefined && !args.skip_verify;
  if (!isFetched || plan.contents !== null || !pathExists(name)) return { ...given, replaces: true };
  try {
    const chosen = await chooseSource(ctx, plan, given);
    return { ...chosen, replaces: !(await hasSourceHash(ctx, plan, chosen)) };
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !isOsError(error)) throw error;
    ctx.log.error(`Failed checking existing file's hash against specified source_hash: ${errorText(error)}`);
    return { ...given, replaces: true };
  }
}

function warnOfNoSource(ctx: StateContext, name: string): void {
  ctx.log.warning(
    `State for file: ${name} - Neither 'source' nor 'contents' nor 'contents_pillar' nor 'contents_grains' was ` +
      "defined, yet 'replace' was set to 'True'. As there is no source to replace the file with, 'replace' has been " +
      "set to 'False' to avoid reading the file unnecessarily.",
  );
}

/** The first source of those given that exists. */
export async function chooseSource(
  ctx: StateContext,
  { shared: { saltenv } }: Plan,
  { source, sourceHash }: Source,
): Promise<Source> {
  return firstSource(ctx, [source, sourceHash, saltenv]);
}

async function hasSourceHash(
  ctx: StateContext,
  { args, name, shared: { saltenv } }: Plan,
  { source, sourceHash }: Source,
): Promise<boolean> {
  if (!truthy(source) || !truthy(sourceHash)) return false;
  const address = pyStr(source);
  if (['salt', 'file'].includes(parseUrl(address).scheme) || isAbs(address)) return false;
  const sum = await sumOfSource(ctx, [name, source, sourceHash, args.source_hash_name, saltenv], {
    verify_ssl: args.verify_ssl,
  });
  if (sum.size === 0) return false;
  const actual = await ctx.functions.call('file.get_hash', [name, sum.get('hash_type') ?? null]);
  return valuesEqual(sum.get('hsum') ?? null, actual);
}

/** Takes the fetched source out of the minion's cache; a source that lies elsewhere is not ours to remove. */
export async function dropSource(ctx: StateContext, plan: Plan, { sfn, source }: Fetched): Promise<void> {
  const isServed = truthy(source) && parseUrl(pyStr(source)).scheme === 'salt';
  const cached = sfn === '' && isServed ? await fileCachedBefore(ctx, [source, plan.shared.saltenv]) : sfn;
  const cache = joinPath(optionOf(ctx.opts, 'cachedir'), '');
  if (cached?.startsWith(cache) === true) rmSync(cached, { force: true });
}

/** Arguments by which the functions that look at a source are told which one it is. */
export function sourceArguments(
  { name, args, context, shared, extra }: Plan,
  { source, sourceHash }: Source,
) {
  const { source_hash_name, defaults, verify_ssl } = args;
  return {
    ...extra,
    ...shared,
    ...{ name, source, source_hash: sourceHash, source_hash_name, context, defaults, verify_ssl },
  };
}
