/** Files for programs that read from a file what no argument is to have: only the account that runs the program can read them. */
import { chownSync, rmSync } from 'node:fs';
import { SaltInvocationError } from '../../errors/errors.ts';
import { makeTempFile } from '../../host/file-operations.ts';
import { findUser } from '../../host/users.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';

/**
 * Calls something with the path of such a file, which is gone afterwards.
 * @param runas the account that runs the program; null or empty for ours
 */
export async function withSecretFile<T>(
  ctx: Pick<ModuleContext, 'random'>,
  { content, runas }: { readonly content: string; readonly runas: Value },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const user = truthy(runas) ? await findUser(pyStr(runas)) : undefined;
  if (truthy(runas) && user === undefined)
    throw new SaltInvocationError(`User '${pyStr(runas)}' does not exist`);
  const path = makeTempFile(ctx.random, { content });
  try {
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    return await use(path);
  } finally {
    rmSync(path, { force: true });
  }
}
