/** Modules of the user's own in a worker process: what they are, the minion knows; files that came while the job runs are found here. */
import { extensionFiles, extensionsVersion } from '../extensions/folder.ts';
import { readKnown, type ExtensionsHere } from '../extensions/here.ts';
import type { Clock } from '../host/clock.ts';
import type { Logger } from '../host/log.ts';
import { isDict, type Value } from '../values/value.ts';
import type { CustomModules } from './state.ts';

/** @param own what the minion has packed, by kind (`OwnModules.packed`) */
export function workerModules(
  here: ExtensionsHere,
  own: Value,
  parts: { readonly clock: Clock; readonly log: Logger },
): CustomModules {
  const versions = new Map<string, string>();
  return async (context, kind) => {
    const version = extensionsVersion(context.opts, [kind]);
    const known = isDict(own) ? own.get(kind) : undefined;
    const isAsKnown = known !== undefined && (versions.get(kind) ?? version) === version;
    versions.set(kind, isAsKnown ? version : '');
    if (isAsKnown) return here.modules(readKnown(known), context);
    if (extensionFiles(context.opts, kind).length === 0) return [];
    const { findModules } = await import('../extensions/find-modules.ts');
    return findModules(here, kind, context, parts);
  };
}
