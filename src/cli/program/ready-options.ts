/**
 * A configuration made ready for a program that starts: what stands behind its addresses, and where packages have
 * modules.
 */
import type { Options, OptionTable } from '../../config/option.ts';
import type { Logger } from '../../host/log.ts';
import { PACKAGE_FOLDERS } from '../../runtime/extensions/folder.ts';
import { withSdbValues } from './sdb-values.ts';

/** @throws ConfigError for an address `sdb://…` that cannot be read */
export async function readyOptions<T extends OptionTable>(
  options: Options<T>,
  log: Logger,
): Promise<Options<T>> {
  return withPackageFolders(await withSdbValues(options, log), log);
}

/**
 * The options with the folders of packages that extend Salt (entry points `salt.loader`), where `salt_python` says that
 * such are to be used: Python is started once, by the program, and not for each kind of modules.
 */
async function withPackageFolders<T extends OptionTable>(
  options: Options<T>,
  log: Logger,
): Promise<Options<T>> {
  const opts = options.toDict();
  if (opts.get('salt_python') !== true) return options;
  const [{ packageFolders }, { interpreterOf }] = await Promise.all([
    import('../../runtime/python-host/installed-salt.ts'),
    import('../../runtime/python-host/python-process.ts'),
  ]);
  const found = await packageFolders(interpreterOf(opts));
  if ('fault' in found) return options; // who needs Salt says what is wrong
  for (const fault of found.faults) log.error(`An extension of Salt cannot be used: ${fault}`);
  const folders = new Map([...found.folders].map(([kind, paths]) => [kind, [...paths]]));
  return options.with(new Map([[PACKAGE_FOLDERS, folders]]));
}
