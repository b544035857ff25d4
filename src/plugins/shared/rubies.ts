/** Where rvm and rbenv are, and running them. Follows 3006.16 salt/modules/rvm.py and 3006.16 salt/modules/rbenv.py. */
import { expandUser } from '../../host/expand-user.ts';
import { isExecutable } from '../../host/which.ts';
import { isFile, joinPath, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type DictInit, type Value } from '../../python/values/value.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { runAll, type Ended } from './program.ts';

/** A command, in which Ruby, and who runs it. */
export interface RubyCommand {
  readonly ruby: Value | undefined;
  readonly words: readonly Value[];
  readonly runas: Value;
  readonly cwd?: Value;
  readonly env?: Value;
}

const isProgram = (path: string): boolean => isFile(path) && isExecutable(path);

/** The program rvm, of the user or of the system; undefined where there is none. */
export function rvmProgram(runas: Value): string | undefined {
  const own = truthy(runas) ? joinPath(expandUser(`~${pyStr(runas)}`), '.rvm/bin/rvm') : '';
  const path = own !== '' && pathExists(own) ? own : '/usr/local/rvm/bin/rvm';
  return isProgram(path) ? path : undefined;
}

/**
 * Runs rvm, as the option `rvm.runas` says where nobody is named.
 * @returns what it printed; false where it has failed or is not there
 */
export async function runRvm(
  ctx: ModuleContext,
  words: readonly Value[],
  { runas: given, cwd = null, env = null }: Pick<RubyCommand, 'runas' | 'cwd' | 'env'>,
): Promise<string | false> {
  const runas = given ?? (await ctx.functions.call('config.option', ['rvm.runas', null]));
  const rvm = rvmProgram(runas);
  if (rvm === undefined) return false;
  const { retcode, stdout } = await runAll(ctx, [rvm, ...words], { runas, cwd, env });
  return retcode === 0 && stdout;
}

/** Runs a command in a Ruby of rvm. @returns as {@link runRvm} */
export function inRvm(ctx: ModuleContext, { ruby, words, ...where }: RubyCommand): Promise<string | false> {
  return runRvm(ctx, [ruby !== undefined ? ruby : 'default', 'do', ...words], where);
}

/** The folder of rbenv for a user, whether it is there or not. */
export function rbenvFolder(ctx: ModuleContext, runas: Value): string {
  const isSystem = runas === null || runas === 'root';
  const named = ctx.opts.get('rbenv.root') ?? ctx.pillar.get('rbenv.root');
  if (truthy(named)) return expandUser(pyStr(named ?? ''));
  return isSystem ? '/usr/local/rbenv' : expandUser(joinPath(`~${pyStr(runas)}`, '.rbenv'));
}

/** The folder of rbenv where the program is there; undefined where there is none. */
export function rbenvRoot(ctx: ModuleContext, runas: Value): string | undefined {
  const path = rbenvFolder(ctx, runas);
  return isProgram(joinPath(path, 'bin', 'rbenv')) ? path : undefined;
}

/** Runs rbenv. @returns how it ended; undefined where there is none */
export async function runRbenv(
  ctx: ModuleContext,
  words: readonly Value[],
  runas: Value,
  env: DictInit = {},
): Promise<Ended | undefined> {
  const root = rbenvRoot(ctx, runas);
  if (root === undefined) return undefined;
  const variables = dict({ ...env, RBENV_ROOT: root });
  return runAll(ctx, [joinPath(root, 'bin', 'rbenv'), ...words], { runas, env: variables });
}

/** Runs a command with rbenv, and lets it see new programs afterwards. @returns what it printed, or false */
export async function inRbenv(ctx: ModuleContext, command: RubyCommand): Promise<string | false> {
  const { ruby, words, runas, env: given } = command;
  const shims = joinPath(rbenvFolder(ctx, runas), 'shims');
  const env = given instanceof Map ? new Map(given) : dict();
  env.set('PATH', `${shims}:${process.env['PATH'] ?? ''}`);
  if (ruby !== undefined) env.set('RBENV_VERSION', ruby);
  const { retcode, stdout } = await runAll(ctx, words, { runas, env });
  if (retcode !== 0) return false;
  await runRbenv(ctx, ['rehash'], runas);
  return stdout;
}
