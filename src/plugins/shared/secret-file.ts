/**
 * Files for programs that read from a file what no argument is to have: only the account that runs the program can read
 * them.
 */
import { chownSync, rmSync } from 'node:fs';
import { SaltInvocationError } from '../../errors/errors.ts';
import { makeTempFile } from '../../host/file-operations.ts';
import { findUser } from '../../host/users.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';

/** Whose file it is, and how its name ends. */
interface SecretContent {
  /** The account that runs the program; null or empty for ours. */
  readonly runas: Value;
  readonly ending?: string | undefined;
}

/**
 * Calls something with the path of such a file, which is gone afterwards.
 * @throws SaltInvocationError for an account that is not there
 */
export async function withSecretFile<T>(
  ctx: Pick<ModuleContext, 'random'>,
  { content, runas, ending }: SecretContent & { readonly content: string },
  use: (path: string) => Promise<T>,
): Promise<T> {
  return withSecretFiles(ctx, { contents: [content], runas, ending }, ([path = '']) => use(path));
}

/** The same with as many files as there are contents. */
export async function withSecretFiles<T>(
  ctx: Pick<ModuleContext, 'random'>,
  { contents, runas, ending = '' }: SecretContent & { readonly contents: readonly string[] },
  use: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const user = truthy(runas) ? await findUser(pyStr(runas)) : undefined;
  if (truthy(runas) && user === undefined)
    throw new SaltInvocationError(`User '${pyStr(runas)}' does not exist`);
  const paths: string[] = [];
  try {
    for (const content of contents) {
      const path = makeTempFile(ctx.random, { content, suffix: ending });
      paths.push(path);
      if (user !== undefined) chownSync(path, user.uid, user.gid);
    }
    return await use(paths);
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}
