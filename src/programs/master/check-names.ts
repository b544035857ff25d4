/**
 * Names in the master's configuration that stand for nothing: each is said once at the start, where Salt says it to
 * whoever comes across it.
 */
import { messageOf } from '../../errors/errors.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
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

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
