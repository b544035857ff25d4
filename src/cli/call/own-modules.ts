/**
 * Custom modules in `salt-call`: they are tried in another process first, then those that are used are loaded
 * in this one, which is for one call.
 */
import { hasExtensions } from '../../runtime/extensions/folder.ts';
import { systemClock } from '../../host/clock.ts';
import type { ExtensionsHere } from '../../runtime/extensions/here.ts';
import type { Logger } from '../../host/log.ts';
import type { CustomModules, InstalledSource } from '../../programs/minion/state.ts';

/** Finds them when one is first asked for; nothing is read or started where there are none. */
export function ownModules(log: Logger): CustomModules {
  return async (context, kind) => {
    if (!hasExtensions(context.opts, kind)) return [];
    const [{ ExtensionsHere }, { findModules }] = await Promise.all([
      import('../../runtime/extensions/here.ts'),
      import('../../runtime/extensions/find-modules.ts'),
    ]);
    return findModules(new ExtensionsHere(), kind, context, { clock: systemClock, log });
  };
}

/** Modules of an installed Salt; nothing is loaded unless `salt_python` is set. */
export function installedModules(log: Logger): InstalledSource {
  let here: Promise<ExtensionsHere> | undefined;
  return async (name, context, kind) => {
    if (context.opts.get('salt_python') !== true) return [];
    here ??= import('../../runtime/extensions/here.ts').then((loaded) => new loaded.ExtensionsHere());
    return (await here).installed(name, context, { kind, log });
  };
}
