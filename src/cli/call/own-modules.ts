/**
 * Execution modules and returners of the user's own in `salt-call`: they are tried in another process first, then those that are used are loaded
 * in this one, which is for one call.
 */
import { extensionFiles } from '../../extensions/folder.ts';
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { CustomModules } from '../../minion/state.ts';

/** Finds them when one is first asked for; nothing is read or started where there are none. */
export function ownModules(log: Logger): CustomModules {
  return async (context, kind) => {
    if (extensionFiles(context.opts, kind).length === 0) return [];
    const [{ ExtensionsHere, knownModules }, { describeModules }] = await Promise.all([
      import('../../extensions/here.ts'),
      import('../../extensions/describe.ts'),
    ]);
    const report = (fault: string): void => log.error(fault);
    const parts = { ...context, clock: systemClock, report };
    const tried = await describeModules(
      parts,
      (fun) => () => {
        throw new Error(`${fun} is only described here`);
      },
      kind,
    );
    return new ExtensionsHere().modules(knownModules(tried), context);
  };
}
