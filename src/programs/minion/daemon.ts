/** The minion: prepares, joins its master, and answers until it is told to stop (salt/minion.py `Minion`, 3006.16). */
import { MinionPlace } from './upgrade/minion-place.ts';
import { OnTrial } from './upgrade/on-trial.ts';
import type { MinionStart } from './minion-start.ts';
import { dirname, join } from 'node:path';
import type { MinionOptions } from '../../config/minion-options.ts';
import { sayLastWord } from '../daemon/daemonize.ts';
import { serviceManager } from '../daemon/notify.ts';
import { removePidFile, runningFromPidFile } from '../daemon/pid-file.ts';
import { giveTree } from '../daemon/give-tree.ts';
import { accountOf, becomeUser, prepareOnDisk, requireSwitchable } from '../daemon/privileges.ts';
import { sayMissingOfMinion } from '../daemon/missing-paths.ts';
import { warnOfOpenFolders } from '../daemon/open-folders.ts';
import { outliveUnexpected } from '../daemon/unexpected.ts';
import { openTracing } from '../../runtime/tracing/open.ts';
import { BrineError } from '../../errors/errors.ts';
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import { idleProviders } from '../../runtime/loader/providers.ts';
import { makeDirectory } from '../../host/files.ts';
import type { User } from '../../host/users.ts';
import { requireConnectable } from './check-connection.ts';
import { sayImpossibleFinger } from './check-names.ts';

/**
 * Runs a minion until it is told to stop, or until another version has taken its place.
 * @returns the exit code
 * @throws BrineError when it cannot start, RejectedError and FingerprintError when its master forbids it to go on
 */
export async function runMinion(start: MinionStart): Promise<number> {
  const { opts, log, clock, env } = start;
  const onTrial = OnTrial.from(env, process, clock);
  const manager = serviceManager(env, start);
  const id = opts.get('id');
  log.info(`Setting up the Salt Minion "${id}"`);
  warnOfOpenFolders(opts.toDict(), log);
  sayMissingOfMinion(opts, log);
  sayImpossibleFinger(opts, log);
  for (const sentence of idleProviders(opts.get('providers'), MODULE_TABLE)) log.warning(sentence);
  requireConnectable(opts);
  refuseSecond(opts);
  await prepareHost(opts);
  const tracing = await openTracing(opts, { ...start, service: 'salt-minion' });
  process.on('uncaughtException', outliveUnexpected(clock, log));
  const place = new MinionPlace({ start, tracing, manager, onTrial });
  try {
    return await place.run();
  } catch (error) {
    sayLastWord(env, log, error);
    throw error;
  } finally {
    manager.stopping();
    await place.close();
    await tracing.close();
    removePidFile(opts.get('pidfile'));
  }
}

function refuseSecond(opts: MinionOptions): void {
  const pid = runningFromPidFile(opts.get('pidfile'), 'salt-minion');
  if (pid !== undefined)
    throw new BrineError(
      `A salt-minion is running already with process id ${pid} (${opts.get('pidfile')}).`,
      {
        code: 'already-running',
      },
    );
}

async function prepareHost(opts: MinionOptions): Promise<void> {
  const user = await accountOf(opts.get('user'));
  requireSwitchable(user);
  if (opts.get('verify_env')) await prepareOnDisk(() => prepareFolders(opts, user));
  await becomeUser(user);
}

function prepareFolders(opts: MinionOptions, user: User): void {
  makeDirectory(opts.get('pki_dir'), 0o700);
  const logFile = opts.raw('log_file');
  const others = [
    opts.get('cachedir'),
    opts.get('sock_dir'),
    opts.get('extension_modules'),
    join(dirname(opts.get('conf_file')), 'minion.d'),
  ];
  if (typeof logFile === 'string' && logFile.startsWith('/')) others.push(dirname(logFile));
  for (const path of others) makeDirectory(path, 0o755);
  for (const path of [opts.get('pki_dir'), opts.get('cachedir'), opts.get('sock_dir')]) giveTree(path, user);
}
