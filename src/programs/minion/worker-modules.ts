/**
 * Custom modules in a worker process: what they are, the minion knows; files that have changed since are looked at
 * here.
 */
import { hasExtensions } from '../../runtime/extensions/folder.ts';
import { findingsOf, findingsVersion, type ExtensionsHere } from '../../runtime/extensions/here.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { FoundModules } from '../../network/ipc/contracts/job-worker.ts';
import type { CustomModules } from './state.ts';

/** @param own what the minion has packed, by kind (`OwnModules.findings`) */
export function workerModules(
  here: ExtensionsHere,
  own: ReadonlyMap<string, FoundModules>,
  deps: { readonly clock: Clock; readonly log: Logger },
): CustomModules {
  return async (context, kind, file) => {
    const found = own.get(kind);
    if (found?.version === findingsVersion(context.opts, kind))
      return here.modules(
        findingsOf(found).known.filter((one) => file === undefined || one.file === file),
        context,
        kind,
      );
    if (!hasExtensions(context.opts, kind)) return [];
    const { findModules } = await import('../../runtime/extensions/find-modules.ts');
    return findModules(here, kind, context, { ...deps, file });
  };
}
