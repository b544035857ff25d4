/** Running one command: what all functions of `cmd` come down to. Follows 3006.16 salt/modules/cmdmod.py `_run`. */
import { isAbsolute } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { LOG_LEVELS, type LogLevel } from '../../../host/log.ts';
import { runProcess, SpawnError, startProcess, type ProcessResult } from '../../../host/process.ts';
import { isExecutable } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { rstrip } from '../../../python/values/text.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { planCommand, type CommandPlan } from './command-line.ts';
import { decodeOutput } from './decode.ts';
import { buildEnvironment, credentialsOf, defaultFolder, findAccount, type Account } from './environment.ts';
import {
  DEFAULT_SHELL,
  outputLevel,
  parseEnvironment,
  successCodes,
  textOf,
  timeoutSeconds,
  type Timeout,
} from './options.ts';
import type { CommandOptions } from './params.ts';
import { assertPermitted } from './permission.ts';
import { renderText } from './render.ts';
import { isListedShell } from './shells.ts';
import { isDir } from '../../../python/paths.ts';

/** What a function decides for its command, besides the options. */
export interface RunMode {
  /** Both streams in one, as `stdout`. */
  readonly merged: boolean;
  /** Start and forget, whatever `bg` says. */
  readonly background?: boolean;
}

/** How a command ended. */
export interface CommandOutcome {
  readonly pid: number;
  /** Null for a command in the background. */
  readonly retcode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Salt gives the fields in another order then. */
  readonly timedOut: boolean;
}

/** The outcome as the mapping that `cmd.run_all` returns. */
export function outcomeDict(outcome: CommandOutcome): Dict {
  const { pid, retcode, stdout, stderr } = outcome;
  return outcome.timedOut
    ? new Map<Value, Value>(Object.entries({ stdout, stderr, retcode, pid }))
    : new Map<Value, Value>(Object.entries({ pid, retcode, stdout, stderr }));
}

/**
 * Runs a command, sets the job's return code and logs.
 * @param options the caller's arguments and keywords
 * @throws CommandExecutionError, SaltInvocationError
 */
export async function runCommand(
  ctx: ModuleContext,
  options: CommandOptions,
  mode: RunMode,
): Promise<CommandOutcome> {
  const plan = await prepare(ctx, options, mode);
  const outcome = plan.background ? await start(plan) : await run(ctx, plan);
  // Salt compat: in Salt a time-out leaves the job's return code alone, so that the job counts as a success
  ctx.setRetcode(plan.ignoreRetcode ? 0 : (outcome.retcode ?? 0));
  if (outcome.timedOut) return outcome;
  logOutcome(ctx, plan, outcome);
  return outcome;
}

/** Everything known about a command before it starts. */
interface Plan {
  readonly options: CommandOptions;
  readonly command: CommandPlan;
  readonly account: Account;
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly umask: number | undefined;
  readonly level: LogLevel | undefined;
  readonly background: boolean;
  readonly ignoreRetcode: boolean;
  readonly merged: boolean;
  readonly stdin: string | undefined;
  readonly timeout: Timeout | undefined;
  readonly success: { readonly codes: number[]; readonly stdout: string[]; readonly stderr: string[] };
}

// The order of the checks is Salt's: it decides which error a doubly wrong call gets.
async function prepare(ctx: ModuleContext, options: CommandOptions, mode: RunMode): Promise<Plan> {
  const { python_shell: pythonShell, shell } = options;
  // Salt compat: Salt looks at the default one also where no shell takes part, and runs nothing without it
  const checked = (pythonShell ?? false) !== false || shell !== DEFAULT_SHELL ? shell : undefined;
  const level = checkedLevel(ctx, options, checked);
  const background = mode.background === true || options.bg;
  if (checked !== undefined && !isExecutable(checked)) {
    throw new CommandExecutionError(`The shell ${checked} is not available`);
  }
  const [cmd, givenFolder] = await rendered(ctx, options);
  await assertPermitted(ctx, options, cmd);
  const given = parseEnvironment(ctx.log, options.env);
  const account = await findAccount(options);
  const cwd = givenFolder ?? defaultFolder(account.user);
  const command = planCommand(cmd, pythonShell, shell ?? '/bin/sh');
  if (level !== undefined) ctx.log.info(startMessage(command, options, cwd, background));
  const env = await buildEnvironment(ctx, options, { account, shell }, given);
  const umask = parseUmask(options.umask);
  if (!isAbsolute(cwd) || !isDir(cwd)) {
    throw new CommandExecutionError(`Specified cwd '${cwd}' either not absolute or does not exist`);
  }
  return {
    options,
    command,
    account,
    env,
    cwd,
    umask,
    level,
    background,
    ignoreRetcode: background || options.ignore_retcode,
    merged: mode.merged,
    stdin: background ? undefined : stdinText(options),
    timeout: options.timeout,
    success: {
      codes: successCodes(options.success_retcodes),
      stdout: options.success_stdout ?? [],
      stderr: options.success_stderr ?? [],
    },
  };
}

function checkedLevel(
  ctx: ModuleContext,
  { output_loglevel: wanted }: CommandOptions,
  shell: string | undefined,
): LogLevel | undefined {
  if (wanted !== 'quiet' && shell !== undefined && isListedShell(shell) === false) {
    ctx.log.warning(
      'Attempt to run a shell command with what may be an invalid shell! ' +
        `Check to ensure that the shell <${shell}> is valid for this user.`,
    );
  }
  return outputLevel(ctx.log, wanted);
}

async function rendered(
  ctx: ModuleContext,
  options: CommandOptions,
): Promise<[cmd: Value, cwd: string | undefined]> {
  const { cmd, cwd } = options;
  if (options.template === undefined) return [cmd, cwd];
  const render = (text: string): Promise<string> => renderText(ctx, text, options);
  return [
    Array.isArray(cmd)
      ? await Promise.all(cmd.map((word) => render(textOf(word))))
      : await render(textOf(cmd)),
    cwd === undefined ? undefined : await render(cwd),
  ];
}

function startMessage(
  command: CommandPlan,
  { runas, group }: CommandOptions,
  cwd: string,
  background: boolean,
): string {
  const quote = command.isList ? '' : "'";
  return (
    `Executing command ${quote}${command.label}${quote} ${runas === undefined ? '' : `as user '${runas}' `}` +
    `${group === undefined ? '' : `in group '${group}' `}in directory '${cwd}'` +
    (background ? '. Executing command in the background, no output will be logged.' : '')
  );
}

function parseUmask(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const digits = given.replace(/^0+/, '');
  if (digits === '') throw new CommandExecutionError('Zero umask is not allowed.');
  if (!/^[0-7]{1,8}$/.test(digits)) throw new CommandExecutionError(`Invalid umask: '${given}'`);
  return parseInt(digits, 8) & 0o777;
}

// A newline can hardly be typed on a command line, so `\n` stands for one.
function stdinText({ stdin, stdin_raw_newlines }: CommandOptions): string | undefined {
  return stdin_raw_newlines ? stdin : stdin?.replaceAll('\\n', '\n');
}

async function start(plan: Plan): Promise<CommandOutcome> {
  const pid = await started(plan, async (settings) => startProcess(plan.command.argv, settings));
  return { pid, retcode: null, stdout: '', stderr: '', timedOut: false };
}

async function run(ctx: ModuleContext, plan: Plan): Promise<CommandOutcome> {
  const seconds = timeoutSeconds(plan.timeout);
  const result = await started(plan, async (settings) =>
    runProcess(plan.command.argv, {
      ...settings,
      ...(plan.stdin === undefined ? {} : { stdin: plan.stdin }),
      ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
      mergeStderr: plan.merged,
      signal: ctx.signal,
      clock: ctx.clock,
    }),
  );
  if (result.timedOut) {
    const stdout = `${plan.command.text} : Timed out after ${plan.timeout?.text ?? ''} seconds`;
    return { pid: result.pid, retcode: 1, stdout, stderr: '', timedOut: true };
  }
  return outcomeOf(ctx, plan, result);
}

async function started<T>(plan: Plan, launch: (settings: StartSettings) => Promise<T>): Promise<T> {
  const credentials = await credentialsOf(plan.account);
  try {
    return await launch({
      cwd: plan.cwd,
      env: plan.env,
      ...(credentials ? { credentials } : {}),
      ...(plan.umask === undefined ? {} : { umask: plan.umask }),
    });
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    throw new CommandExecutionError(notStarted(plan, error), { cause: error });
  }
}

type StartSettings = Parameters<typeof startProcess>[1] & object;

/** What only a shell understands. */
const SHELL_SYNTAX = /[|;<>$`*&]/;

/**
 * Why a command could not be started: the reason first. Salt compat: Salt says it last, behind its own settings, all
 * variables of the environment and the standard input, and so with their secrets.
 */
function notStarted({ command, cwd, env, level }: Plan, error: SpawnError): string {
  const given = level === undefined ? 'REDACTED' : command.given;
  const wantsShell = !command.shell && !command.isList && SHELL_SYNTAX.test(given);
  const path = error.code === 'ENOENT' && !error.program.includes('/') ? env.get('PATH') : undefined;
  return [
    `${error.reason}: Unable to run command '${given}' in the folder '${cwd}'.`,
    ...(wantsShell ? ['No shell took part; python_shell=True asks for one.'] : []),
    ...(path === undefined ? [] : [`Looked for in PATH '${path}'.`]),
  ].join(' ');
}

function outcomeOf(ctx: ModuleContext, plan: Plan, result: ProcessResult): CommandOutcome {
  const [stdout, stderr] = (['stdout', 'stderr'] as const).map((stream) => {
    const { text, damaged } = decodeOutput(result[stream], plan.options.output_encoding);
    if (damaged && plan.level !== undefined) {
      ctx.log.error(
        `Failed to decode ${stream} from command ${plan.command.label}, non-decodable characters have been replaced`,
      );
    }
    return plan.options.rstrip ? rstrip(text) : text;
  }) as [string, string];
  const { codes, stdout: goodOut, stderr: goodErr } = plan.success;
  const succeeded =
    codes.includes(result.retcode) ||
    goodOut.some((text) => stdout.includes(text)) ||
    goodErr.some((text) => stderr.includes(text));
  return {
    pid: result.pid,
    retcode: succeeded ? 0 : result.retcode,
    stdout: stdout + cutNotice(ctx, plan, result),
    stderr,
    timedOut: false,
  };
}

// Salt keeps whatever a command writes, and can be killed by it.
function cutNotice(ctx: ModuleContext, plan: Plan, { droppedBytes }: ProcessResult): string {
  if (droppedBytes === 0) return '';
  ctx.log.warning(
    `The output of command ${plan.command.label} was too long: ${droppedBytes} bytes were left out`,
  );
  return `\n[output cut: ${droppedBytes} bytes were left out]`;
}

function logOutcome(ctx: ModuleContext, plan: Plan, outcome: CommandOutcome): void {
  if (plan.level === undefined) return;
  const failed = !plan.ignoreRetcode && outcome.retcode !== 0;
  if (failed) ctx.log.error(failureMessage(plan.command.label, outcome.retcode));
  const level = failed ? atLeastError(plan.level) : plan.level;
  if (outcome.stdout !== '') ctx.log.log(level, `stdout: ${outcome.stdout}`);
  if (outcome.stderr !== '') ctx.log.log(level, `stderr: ${outcome.stderr}`);
  if (outcome.retcode) ctx.log.log(level, `retcode: ${outcome.retcode}`);
}

/** The line that tells of a failed command: its first word only, for arguments may be secrets (CVE-2021-25284). */
export function failureMessage(label: string, retcode: number | null): string {
  return `Command '${label}' failed with return code: ${retcode === null ? 'None' : retcode}`;
}

/** The level for the output of a failed command. */
export function atLeastError(level: LogLevel): LogLevel {
  return LOG_LEVELS[level] < LOG_LEVELS.error ? 'error' : level;
}
