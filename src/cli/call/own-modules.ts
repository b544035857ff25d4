/**
 * Modules of the user's own in `salt-call`: they are tried in another process first, then those that are used are loaded
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
    const [{ ExtensionsHere }, { findModules }] = await Promise.all([
      import('../../extensions/here.ts'),
      import('../../extensions/find-modules.ts'),
    ]);
    return findModules(new ExtensionsHere(), kind, context, { clock: systemClock, log });
  };
}
