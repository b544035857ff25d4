/** Custom modules for a process of one job: tried in another process first, then those that are used are loaded here. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import { describeModules } from './describe.ts';
import type { ExtensionKind } from './folder.ts';
import { knownModules, type ExtensionsHere } from './here.ts';

/** Faults are told in the log. */
export async function findModules(
  here: ExtensionsHere,
  kind: ExtensionKind,
  context: LoadContext,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<CustomModule[]> {
  const report = (fault: string): void => log.error(fault);
  const tried = await describeModules(
    { ...context, clock, report, python: here.python },
    (fun) => () => {
      throw new Error(`${fun} is only described here`);
    },
    kind,
  );
  return here.modules(knownModules(tried), context, kind);
}
