/** What `import … from 'brine'` gives to custom modules when they run; typed by the published `brine.d.ts`. */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../errors/errors.ts';
import { float as floatValue } from '../../python/values/value.ts';
import type * as Published from './brine.d.ts';

export const defineFunction: typeof Published.defineFunction = (spec) => spec;
export const defineModule: typeof Published.defineModule = (spec) => spec;
export const defineGrains: typeof Published.defineGrains = (spec) => spec;
export const defineBeacon: typeof Published.defineBeacon = (spec) => spec;
export const defineRenderer: typeof Published.defineRenderer = (spec) => spec;
export const defineAuth: typeof Published.defineAuth = (spec) => spec;
export const defineEngine: typeof Published.defineEngine = (spec) => spec;
export const defineOutputter: typeof Published.defineOutputter = (spec) => spec;
/** A float that stays one when it is whole. */
export const float = (value: number): Published.Data => floatValue(value) as unknown as Published.Data;
export { CommandExecutionError, CommandNotFoundError, SaltInvocationError };

/** The same as one value, which the loader hands to modules. */
export const brineApi: typeof Published = {
  defineFunction,
  defineModule,
  defineGrains,
  defineBeacon,
  defineRenderer,
  defineOutputter,
  defineAuth,
  defineEngine,
  float,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
};
