/**
 * Names in the master's configuration that stand for nothing: each is said once at the start, where Salt says it to
 * whoever comes across it.
 */
import { messageOf } from '../../errors/errors.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';
import { backendName } from '../../storage/fileserver/backends.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';

/** Says of each node group that cannot be used what is wrong with it. */
export function sayUnusableNodegroups(opts: MasterOptions, log: Logger): void {
  const groups = nodegroupsOf(opts.raw('nodegroups'));
  const file = opts.get('conf_file');
  for (const name of [...groups.keys()].map(pyStr)) {
    const fault = faultOf(() => expandTargetNodegroups(name, 'nodegroup', groups, file));
    if (fault !== undefined) {
      log.warning(fault);
      continue;
    }
    const unreadable = faultOf(() => parseTarget(name, 'nodegroup', undefined, groups));
    if (unreadable !== undefined)
      log.warning(`Nodegroup '${name}' cannot be used: ${unreadable}. Correct nodegroups in ${file}.`);
  }
}

/** Backends that have what they serve from lists of their own. */
const LISTED: readonly (readonly [backend: string, list: string])[] = [
  ['git', 'gitfs_remotes'],
  ['hg', 'hgfs_remotes'],
  ['svn', 'svnfs_remotes'],
  ['azure', 'azurefs'],
];

/** Says of each backend of the file server that serves nothing, since nothing is named for it. */
export function sayIdleBackends(opts: MasterOptions, log: Logger): void {
  const names = opts.get('fileserver_backend').map((name) => backendName(pyStr(name)));
  for (const [backend, list] of LISTED)
    if (names.includes(backend) && !truthy(opts.raw(list)))
      log.warning(
        `fileserver_backend has ${backend}, and ${list} names nothing: no file comes from it. ` +
          `Fill ${list}, or take ${backend} out of fileserver_backend in ${opts.get('conf_file')}.`,
      );
}

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
