/**
 * Custom modules for a process of one job: tried in another process first, then those that are used are loaded here.
 */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import { describeModules } from './describe.ts';
import type { ExtensionKind } from './folder.ts';
import { knownModules, type ExtensionsHere } from './here.ts';

/**
 * Faults are told in the log, but those of the one file that is asked about: if it is of no use, all are looked at
 * after it.
 */
export async function findModules(
  here: ExtensionsHere,
  kind: ExtensionKind,
  context: LoadContext,
  { clock, log, file }: { readonly clock: Clock; readonly log: Logger; readonly file?: string | undefined },
): Promise<CustomModule[]> {
  const report = (fault: string): void => void (file === undefined && log.error(fault));
  const tried = await describeModules(
    { ...context, clock, report, python: here.python },
    (fun) => () => {
      throw new Error(`${fun} is only described here`);
    },
    { kind, file },
  );
  return here.modules(knownModules(tried), context, kind);
}
