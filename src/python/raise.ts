/** Raising an exception by its Python name, for `test.raise_exception`. */
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
} from '../errors/errors.ts';
import { pyRepr, pyStr } from './values/repr.ts';
import type { Value } from './values/value.ts';
import { OS_ERROR_CLASSES, PythonError } from './exceptions.ts';

/** Python's built-in exceptions that take any arguments, but for TypeError. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    'ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError BytesWarning ' +
    'ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError ' +
    'DeprecationWarning EOFError EncodingWarning EnvironmentError Exception FileExistsError FileNotFoundError ' +
    'FloatingPointError FutureWarning IOError ImportError ImportWarning IndentationError IndexError ' +
    'InterruptedError IsADirectoryError KeyError LookupError MemoryError ModuleNotFoundError NameError ' +
    'NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ' +
    'ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning ' +
    'StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError TabError TimeoutError ' +
    'UnboundLocalError UnicodeError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError'
  ).split(' '),
);
/** Names of one class under another name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['EnvironmentError', 'OSError'],
  ['IOError', 'OSError'],
]);
/** The subclasses of Salt's CommandExecutionError, which arrive as it does. */
const EXECUTION_ERRORS: ReadonlySet<string> = new Set(
  'CommandExecutionError ArgumentValueError CheckError InvalidConfigError InvalidEntityError VMwareSaltError'.split(
    ' ',
  ),
);
/** Salt's exceptions that arrive as the last line of a traceback. */
const SALT_ERRORS: ReadonlySet<string> = new Set(
  (
    'SaltException SaltMasterError SaltNoMinionsFound SaltSyndicMasterError SaltMasterUnresolvableError ' +
    'AuthenticationError InvalidKeyError LoaderError PublishError MinionError FileserverConfigError FileLockError ' +
    'GitRemoteError PkgParseError SaltRenderError SaltClientTimeout SaltCacheError TimeoutError ' +
    'SaltReqTimeoutError TimedProcTimeoutError EauthAuthenticationError TokenAuthenticationError ' +
    'SaltDeserializationError AuthorizationError SaltValidationError UnsupportedAlgorithm SaltDaemonNotRunning ' +
    'SaltRunnerError SaltWheelError SaltConfigurationError SaltCloudException SaltCloudSystemExit ' +
    'SaltCloudConfigError SaltCloudNotFound SaltCloudExecutionTimeout SaltCloudExecutionFailure ' +
    'SaltCloudPasswordError NotImplemented TemplateError'
  ).split(' '),
);
const OS_ERROR_NAMES: ReadonlySet<string> = new Set([
  'OSError',
  'ConnectionError',
  ...OS_ERROR_CLASSES.values(),
]);
const SALT_PREFIX = 'salt.exceptions.';

/**
 * Throws what stands for the named Python exception; returns when there is no exception of that name.
 * @param name `ValueError`, or `salt.exceptions.` and one of Salt's
 * @param args the arguments of the exception; the first is its message
 * @throws the error that takes the same way through `executeFunction` as the exception through Salt's minion
 */
export function raisePythonError(name: string, args: readonly Value[]): void {
  if (!name.startsWith(SALT_PREFIX)) {
    if (name === 'TypeError') throw new ArgumentError(exceptionText(name, args));
    if (BUILT_IN.has(name)) throw builtIn(ALIASES.get(name) ?? name, args);
    return;
  }
  const salt = name.slice(SALT_PREFIX.length);
  const message = args.length === 0 ? '' : pyStr(args[0] as Value);
  if (EXECUTION_ERRORS.has(salt)) throw new CommandExecutionError(message);
  if (salt === 'CommandNotFoundError') throw new CommandNotFoundError(message);
  if (salt === 'SaltInvocationError') throw new SaltInvocationError(message);
  if (salt === 'SaltClientError') throw new BrineError(message);
  if (SALT_ERRORS.has(salt)) throw new PythonError(name, message);
}

function builtIn(name: string, args: readonly Value[]): PythonError {
  const [number, text, path] = args;
  if (!OS_ERROR_NAMES.has(name) || number === undefined || text === undefined || args.length > 3) {
    return new PythonError(name, exceptionText(name, args));
  }
  const type = name === 'OSError' && typeof number === 'number' ? OS_ERROR_CLASSES.get(number) : undefined;
  const suffix = path === undefined || path === null ? '' : `: ${pyRepr(path)}`;
  return new PythonError(type ?? name, `[Errno ${pyStr(number)}] ${pyStr(text)}${suffix}`);
}

/** Python's `str(exception)`: its one argument, or the tuple of them; KeyError shows the repr of its key. */
function exceptionText(name: string, args: readonly Value[]): string {
  if (args.length === 0) return '';
  if (args.length > 1) return `(${args.map((arg) => pyRepr(arg)).join(', ')})`;
  return name === 'KeyError' ? pyRepr(args[0] as Value) : pyStr(args[0] as Value);
}
