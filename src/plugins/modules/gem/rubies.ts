/** Commands within a Ruby of rvm or of rbenv. Follows 3006.16 salt/modules/rvm.py and 3006.16 salt/modules/rbenv.py. */
import { expandUser } from '../../../host/expand-user.ts';
import { isExecutable } from '../../../host/which.ts';
import { isFile, joinPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../program.ts';

/** A command, in which Ruby, and who runs it. */
export interface RubyCommand {
  readonly ruby: Value;
  readonly words: readonly Value[];
  readonly runas: Value;
}

const isProgram = (path: string): boolean => isFile(path) && isExecutable(path);

/** The program rvm, of the user or of the system; undefined where there is none. */
export function rvmProgram(runas: Value): string | undefined {
  const own = truthy(runas) ? joinPath(expandUser(`~${pyStr(runas)}`), '.rvm/bin/rvm') : '';
  const path = own !== '' && pathExists(own) ? own : '/usr/local/rvm/bin/rvm';
  return isProgram(path) ? path : undefined;
}

/** The folder of rbenv where the program is there; undefined where there is none. */
export function rbenvRoot(ctx: ModuleContext, runas: Value): string | undefined {
  const isSystem = runas === null || runas === 'root';
  const named = ctx.opts.get('rbenv.root') ?? ctx.pillar.get('rbenv.root');
  const root = truthy(named)
    ? pyStr(named ?? '')
    : isSystem
      ? '/usr/local/rbenv'
      : joinPath(`~${pyStr(runas)}`, '.rbenv');
  const path = expandUser(root);
  return isProgram(joinPath(path, 'bin', 'rbenv')) ? path : undefined;
}

/** Runs a command with rvm. @returns what it printed, or false */
export async function inRvm(ctx: ModuleContext, rvm: string, command: RubyCommand): Promise<string | false> {
  const { ruby, words, runas } = command;
  const all = [rvm, truthy(ruby) ? ruby : 'default', 'do', ...words];
  const { retcode, stdout } = await runAll(ctx, all, { runas });
  return retcode === 0 && stdout;
}

/** Runs a command with rbenv, and lets it see new programs afterwards. @returns what it printed, or false */
export async function inRbenv(
  ctx: ModuleContext,
  root: string,
  command: RubyCommand,
): Promise<string | false> {
  const { ruby, words, runas } = command;
  const env: Dict = dict({ PATH: `${joinPath(root, 'shims')}:${process.env['PATH'] ?? ''}` });
  if (truthy(ruby)) env.set('RBENV_VERSION', ruby);
  const { retcode, stdout } = await runAll(ctx, words, { runas, env });
  if (retcode !== 0) return false;
  await runAll(ctx, [joinPath(root, 'bin', 'rbenv'), 'rehash'], { runas, env: dict({ RBENV_ROOT: root }) });
  return stdout;
}
