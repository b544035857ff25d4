/** What `cp` says when the thing that was asked for is not there: an empty answer alone has no reason in it. */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { isSaltUrl, parseSaltUrl, redactUrl } from '../../../storage/fileclient/salt-url.ts';

/** Says that there is no such file or folder. @param saltenv the environment that counts where the URL names none */
export function tellMissing(
  ctx: Pick<ModuleContext, 'log'>,
  what: 'file' | 'folder',
  url: string,
  saltenv: string,
): void {
  if (!isSaltUrl(url)) {
    ctx.log.error(`There is no ${what} ${redactUrl(url)} on this minion.`);
    return;
  }
  const { saltenv: named } = parseSaltUrl(url);
  const content = what === 'folder' ? ', or nothing is in it' : '';
  ctx.log.error(
    `The file server has no ${what} '${redactUrl(url)}' in saltenv '${named ?? saltenv}'${content}. See cp.envs and cp.list_master for what it has.`,
  );
}

/** Says that there is no such file. @returns the answer of the function that looked for it */
export function noFile<T>(ctx: Pick<ModuleContext, 'log'>, url: string, saltenv: string, answer: T): T {
  tellMissing(ctx, 'file', url, saltenv);
  return answer;
}

/** Says that a file has no folder here to be put into. */
export function tellNoFolder(ctx: Pick<ModuleContext, 'log'>, url: string, folder: string): void {
  ctx.log.error(
    `'${redactUrl(url)}' is not written: there is no folder '${folder}' on this minion. With makedirs=True it is made.`,
  );
}

/**
 * Whether somebody waits for the answer of this function: states and other functions look with it for what may be
 * missing.
 */
export function isAskedFor(ctx: Pick<ModuleContext, 'job'>, fun: string): boolean {
  return ctx.job.fun === fun;
}
