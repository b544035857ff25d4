/**
 * Custom modules of `salt-call`, and of functions that run on a master's own machine: they are tried in another process
 * first, then those that are used are loaded in this one.
 */
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import { hasExtensions } from './folder.ts';
import type { OpenPython } from '../python-host/of-job.ts';
import type { ExtensionsHere } from './here.ts';

/** Finds custom modules that have functions: all, or those of the file of a name. */
export type FindOwn = (
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
  file?: string,
) => Promise<readonly CustomModule[]>;

/** Finds the modules of a name in an installed Salt. */
export type FindInstalled = (
  name: string,
  context: LoadContext,
  kind: 'modules' | 'states' | 'returners',
) => Promise<readonly CustomModule[]>;

/** What finds custom modules, and those of an installed Salt. */
export interface OwnFinders {
  readonly custom: FindOwn;
  readonly installed: FindInstalled;
  /** What runs those in Python. */
  readonly python: OpenPython;
}

/**
 * Finds them when one is first asked for; nothing is read or started where there are none. What is in Python runs in
 * one process, whatever its kind, so that it can call each other with the very values and is caught with the very
 * exceptions.
 * @param options `prints`: what modules in Python print goes to the standard output of this program
 */
export function ownModules(log: Logger, options: { readonly prints?: boolean } = {}): OwnFinders {
  let here: Promise<ExtensionsHere> | undefined;
  const open = (): Promise<ExtensionsHere> =>
    (here ??= import('./here.ts').then((loaded) => new loaded.ExtensionsHere(options)));
  return {
    custom: async (context, kind, file) => {
      if (!hasExtensions(context.opts, kind)) return [];
      const [extensions, { findModules }] = await Promise.all([open(), import('./find-modules.ts')]);
      return findModules(extensions, kind, context, { clock: systemClock, log, file });
    },
    installed: async (name, context, kind) =>
      context.opts.get('salt_python') === true ? (await open()).installed(name, context, kind) : [],
    python: async () => (await open()).python,
  };
}
