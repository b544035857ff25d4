/** Modules of the user's own in a worker process: what they are, the minion knows; files that have changed since are looked at here. */
import { extensionFiles } from '../extensions/folder.ts';
import { findingsVersion, readFindings, type ExtensionsHere } from '../extensions/here.ts';
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
  return async (context, kind) => {
    const findings = readFindings(isDict(own) ? own.get(kind) : undefined);
    if (findings?.version === findingsVersion(context.opts, kind))
      return here.modules(findings.known, context);
    if (extensionFiles(context.opts, kind).length === 0) return [];
    const { findModules } = await import('../extensions/find-modules.ts');
    return findModules(here, kind, context, parts);
  };
}
