/**
 * Custom modules of `salt-call`, and of functions that run on a master's own machine: they are tried in another process first, then those
 * that are used are loaded in this one.
 */
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import { hasExtensions } from './folder.ts';
import type { ExtensionsHere } from './here.ts';

/** Finds custom modules that have functions. */
export type FindOwn = (
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
) => Promise<readonly CustomModule[]>;

/** Finds the modules of a name in an installed Salt. */
export type FindInstalled = (
  name: string,
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
) => Promise<readonly CustomModule[]>;

/** Finds them when one is first asked for; nothing is read or started where there are none. */
export function ownModules(log: Logger): FindOwn {
  return async (context, kind) => {
    if (!hasExtensions(context.opts, kind)) return [];
    const [{ ExtensionsHere }, { findModules }] = await Promise.all([
      import('./here.ts'),
      import('./find-modules.ts'),
    ]);
    return findModules(new ExtensionsHere(), kind, context, { clock: systemClock, log });
  };
}

/** Modules of an installed Salt; nothing is loaded unless `salt_python` is set. */
export function installedModules(log: Logger): FindInstalled {
  let here: Promise<ExtensionsHere> | undefined;
  return async (name, context, kind) => {
    if (context.opts.get('salt_python') !== true) return [];
    here ??= import('./here.ts').then((loaded) => new loaded.ExtensionsHere());
    return (await here).installed(name, context, { kind, log });
  };
}
