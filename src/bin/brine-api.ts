export {
  CommandExecutionError,
  CommandNotFoundError,
  defineFunction,
  defineGrains,
  defineModule,
  defineOutputter,
  float,
  SaltInvocationError,
} from '../extensions/api.ts';
