/** The entry `brine` of the package: what custom modules import, for their tests and for other programs. */
export {
  CommandExecutionError,
  CommandNotFoundError,
  defineAuth,
  defineBeacon,
  defineEngine,
  defineFunction,
  defineGrains,
  defineModule,
  defineOutputter,
  defineRenderer,
  float,
  SaltInvocationError,
} from '../runtime/extensions/api.ts';
