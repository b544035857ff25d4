export {
  CommandExecutionError,
  CommandNotFoundError,
  defineFunction,
  defineGrains,
  defineModule,
  defineOutputter,
  float,
  SaltInvocationError,
} from '../runtime/extensions/api.ts';
