/** Whether a configuration has the master react to events: the option `reactor`, or the engine of that name (salt/engines/__init__.py, 3006.16). */
import { isDict, truthy } from '../python/values/value.ts';
import type { MasterOptions } from './master-options.ts';

/** @returns whether the reactor is to run */
export function runsReactor(opts: MasterOptions): boolean {
  if (truthy(opts.get('reactor'))) return true;
  return opts
    .get('engines')
    .some((engine) => engine === 'reactor' || (isDict(engine) && engine.has('reactor')));
}
