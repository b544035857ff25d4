/** Finding and running pip. Follows 3006.16 salt/modules/pip.py `_get_pip_bin` and `version`. */
import { CommandExecutionError, CommandNotFoundError } from '../../../errors/errors.ts';
import { isExecutable } from '../../../host/which.ts';
import { baseName, isDir, isFile, joinPath, normPath } from '../../../python/paths.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { compareLoose } from '../../shared/loose-versions.ts';
import { runAll, type Ended } from '../../shared/program.ts';

/** Which pip, and how it is run. */
export interface PipRun {
  readonly bin_env: Value;
  readonly user?: Value;
  readonly cwd?: Value;
}

const inEnvironment = (folder: string): string[] => [
  joinPath(folder, 'python'),
  joinPath(folder, 'bin', 'python'),
  joinPath(folder, 'Scripts', 'python'),
];

/**
 * The words that start pip.
 * @param binEnv a virtual environment, a Python or a pip; without it the Python of the grain `pythonexecutable`
 * @throws CommandNotFoundError, CommandExecutionError where there is none
 */
export function pipWords(ctx: ModuleContext, binEnv: Value): string[] {
  if (!truthy(binEnv)) return [normPath(pyStr(ctx.grains.get('pythonexecutable') ?? 'python3')), '-m', 'pip'];
  const place = pyStr(binEnv);
  if (isDir(place)) {
    const python = inEnvironment(place).find((path) => isFile(path) && isExecutable(path));
    if (python === undefined)
      throw new CommandNotFoundError(`Could not find a pip binary in virtualenv ${place}`);
    return [normPath(python), '-m', 'pip'];
  }
  if (!isExecutable(place))
    throw new CommandNotFoundError(`Access denied to ${place}, could not find a pip binary`);
  if (!isFile(place)) throw new CommandExecutionError(`Could not find a pip binary within ${place}`);
  return baseName(place).includes('python') ? [normPath(place), '-m', 'pip'] : [normPath(place)];
}

/**
 * The variables of a run: those that were given, and the environment.
 * @throws CommandExecutionError for what is no mapping
 */
export function pipEnvironment(binEnv: Value, given: Value = null): DictInit {
  if (truthy(given) && !isDict(given))
    throw new CommandExecutionError(`env_vars ${pyStr(given)} is not a dictionary`);
  const env: Dict = isDict(given)
    ? new Map([...given].map(([key, value]) => [pyStr(key), pyStr(value)]))
    : dict();
  if (truthy(binEnv) && isDir(pyStr(binEnv))) env.set('VIRTUAL_ENV', binEnv);
  return env.size === 0 ? {} : { env };
}

/** Runs pip. @param words what follows `pip` @param keywords further arguments of `cmd.run_all` */
export function pip(
  ctx: ModuleContext,
  { bin_env, user = null, cwd = null }: PipRun,
  words: readonly Value[],
  keywords: DictInit = {},
): Promise<Ended> {
  const all = { runas: user, cwd, ...pipEnvironment(bin_env), ...keywords };
  return runAll(ctx, [...pipWords(ctx, bin_env), ...words], all);
}

/**
 * The version of pip; undefined where it does not say one.
 * @throws CommandNotFoundError where there is no pip
 */
export async function pipVersion(ctx: ModuleContext, run: PipRun): Promise<string | undefined> {
  const words = [...pipWords(ctx, run.bin_env), '--version'];
  const { retcode, stdout } = await runAll(ctx, words, { cwd: run.cwd ?? null, runas: run.user ?? null });
  if (retcode !== 0) throw new CommandNotFoundError('Could not find a `pip` binary');
  return /^pip (\S+)/.exec(stdout)?.[1];
}

/** True when a version is before another. */
export const isBefore = (version: string | undefined, other: string): boolean =>
  version !== undefined && compareLoose(version, other) < 0;

/** True when a version is another one or after it. */
export const isSince = (version: string | undefined, other: string): boolean =>
  version !== undefined && compareLoose(version, other) >= 0;

/** `use_wheel` and its kin were options of pip from 1.4 to 9.0.3 only. */
export const knowsWheelOptions = (version: string | undefined): boolean =>
  !isBefore(version, '1.4') && (version === undefined || compareLoose(version, '9.0.3') <= 0);

/** A list, or a text with commas between its items. */
export function commaList(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  return pyStr(value)
    .split(',')
    .map((item) => item.trim());
}

/** `timeout` as pip takes it. @throws PythonError for what is no whole number */
export function checkedTimeout(timeout: Value): string {
  const text = pyStr(timeout);
  if (!/^\s*[-+]?\d+(?:_\d+)*\s*$/.test(text))
    throw new PythonError('ValueError', `'${text}' is not a valid timeout, must be an integer`);
  return text;
}
