/** The file client as the functions of `cp` use it: one for each call, with errors under Salt's names. */
import { UnreachableError, UnsafePathError } from '../../errors/errors.ts';
import type { FileClient } from '../../storage/fileclient/client.ts';
import { FileClientError } from '../../storage/fileclient/errors.ts';
import { getUrl, httpSettings, type Fetched } from '../../storage/fileclient/get-url.ts';
import { defaultEnvironment, openFileClient } from '../../storage/fileclient/open.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';

/** The environment that was named, else the minion's own. */
export function environmentOf(ctx: ModuleContext, saltenv: Value): string {
  return truthy(saltenv) ? pyStr(saltenv) : defaultEnvironment(ctx.opts);
}

/**
 * Does something with the file client.
 * @throws PythonError `salt.exceptions.MinionError`, `SaltClientError` when the master does not answer
 */
export async function withFileClient<T>(
  ctx: ModuleContext,
  work: (client: FileClient) => Promise<T>,
): Promise<T> {
  const beganMs = ctx.clock.monotonicMs();
  try {
    return await work(openFileClient(ctx));
  } catch (error) {
    if (error instanceof FileClientError || error instanceof UnsafePathError)
      throw new PythonError('salt.exceptions.MinionError', error.message);
    if (error instanceof UnreachableError) {
      ctx.log.warning(error.message, error);
      const seconds = Math.floor((ctx.clock.monotonicMs() - beganMs) / 1000);
      throw new PythonError(
        'salt.exceptions.SaltClientError',
        `File client timed out after ${seconds} seconds`,
      );
    }
    throw error;
  }
}

/** How a URL is fetched into the cache or elsewhere. */
export interface UrlWish {
  readonly url: string;
  /** Undefined for the content itself. */
  readonly dest: string | undefined;
  readonly saltenv: string;
  readonly makedirs: boolean;
  readonly sourceHash?: Value;
  readonly verifySsl?: boolean;
  readonly useEtag?: boolean;
}

/** Fetches a URL of any kind. */
export function fetchUrl(ctx: ModuleContext, wish: UrlWish): Promise<Fetched> {
  const { url, dest, saltenv, makedirs, sourceHash, verifySsl, useEtag } = wish;
  return withFileClient(ctx, (client) =>
    getUrl(client, url, dest, {
      saltenv,
      makedirs,
      sourceHash: typeof sourceHash === 'string' ? sourceHash : undefined,
      verifySsl: verifySsl !== false,
      useEtag: useEtag === true,
      settings: httpSettings(ctx.opts),
      clock: ctx.clock,
    }),
  );
}

/** Fetches a URL into the cache. @returns its path; false when it does not exist */
export async function cacheUrl(
  ctx: ModuleContext,
  url: string,
  saltenv: string,
  options: Pick<UrlWish, 'sourceHash' | 'verifySsl' | 'useEtag'> = {},
): Promise<string | false> {
  const fetched = await fetchUrl(ctx, { url, dest: '', saltenv, makedirs: true, ...options });
  return fetched !== undefined && 'path' in fetched ? fetched.path : false;
}
