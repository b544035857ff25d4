/** Where sources come from: paths of this machine at once, everything else through the functions of `cp`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { isAbs, joinPath } from '../../../python/paths.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { statFacts } from '../../../host/file-operations.ts';
import { parseUrl } from '../../shared/source-url.ts';
import { cachedFile, fileCachedBefore } from '../../shared/served-files.ts';

/** How a source is fetched. */
export interface FetchOptions {
  readonly saltenv: string;
  /** A cached copy with this hash is not fetched again. */
  readonly sourceHash?: string;
  readonly verifySsl?: boolean;
  readonly useEtag?: boolean;
}

/** The path of a source on this machine; undefined for a source that has to be fetched. */
function localSource(source: string): string | undefined {
  const { scheme, host, path } = parseUrl(source);
  if (scheme !== '' && scheme !== 'file') return undefined;
  const place = scheme === '' ? source : joinPath(host, path);
  return place.replace(/\/+$/, '') || '/';
}

/**
 * Fetches a source into the cache. A path of this machine is given back as it is, also when nothing is there.
 * @returns the path, empty when there is no such source
 * @throws CommandExecutionError `Path 'x' is not absolute`
 */
export async function cacheSource(
  ctx: ModuleContext,
  source: string,
  options: FetchOptions,
): Promise<string> {
  const local = localSource(source);
  if (local !== undefined) {
    if (!isAbs(local)) throw new CommandExecutionError(`Path '${local}' is not absolute`);
    return local;
  }
  const keywords = {
    source_hash: options.sourceHash,
    verify_ssl: options.verifySsl,
    use_etag: options.useEtag === true ? true : undefined,
  };
  return (await cachedFile(ctx, [source, options.saltenv], keywords)) ?? '';
}

/** The place of a source that has been fetched before; empty when there is none. */
export async function cachedSource(ctx: ModuleContext, source: string, saltenv: string): Promise<string> {
  if (localSource(source) !== undefined) return '';
  return (await fileCachedBefore(ctx, [source, saltenv])) ?? '';
}

/** The mode of a source, in four octal digits; undefined when it cannot be told. */
export async function sourceMode(
  ctx: ModuleContext,
  source: string,
  saltenv: string,
): Promise<string | undefined> {
  const local = localSource(source);
  try {
    if (local !== undefined) return (statFacts(local).mode & 0o7777).toString(8).padStart(4, '0');
    const mode = await ctx.functions.call('cp.stat_file', [source], { saltenv, octal: true });
    return typeof mode === 'string' ? mode : undefined;
  } catch (error) {
    ctx.log.warning(`Unable to stat ${source}: ${(error as Error).message}`, error);
    return undefined;
  }
}
