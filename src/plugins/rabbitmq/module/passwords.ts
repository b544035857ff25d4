/** Passwords of RabbitMQ's users, which the program reads from its standard input. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Ended } from '../../shared/program.ts';
import { checked } from './output.ts';
import { control, isAtLeast } from './run.ts';

/** The first version that reads passwords. */
const READS_PASSWORDS = [3, 8];
const PROMPT = /^Password: ?\n?/;

/** Whose password, and as whom the program runs. */
export interface Login {
  readonly name: string;
  readonly password: string;
  readonly runas: Value;
}

/** @throws CommandExecutionError for a version that takes a password only where every user of the machine reads it */
async function needReading(ctx: ModuleContext, runas: Value): Promise<void> {
  const { stdout } = await control(ctx, ['version'], { runas, mayFail: true });
  // the oldest say their version only as part of their state, so that there is nothing to read here
  const version = /^\d+\.\d+\S*/m.exec(stdout)?.[0];
  if (version !== undefined && !isAtLeast(version, READS_PASSWORDS))
    throw new CommandExecutionError(
      `RabbitMQ ${version} takes passwords as arguments only, which every user of the machine can read. Update RabbitMQ to 3.8 or newer.`,
    );
}

/**
 * Runs a command that takes a user and a password, which it reads.
 *
 * Salt compat: Salt has the password among the arguments, where every user of the machine reads it.
 */
async function withPassword(ctx: ModuleContext, command: string, login: Login): Promise<Ended> {
  const { name, password, runas } = login;
  if (/[\r\n]/.test(password))
    throw new CommandExecutionError('A password of RabbitMQ is one line: it cannot have line ends.');
  await needReading(ctx, runas);
  const ended = await control(ctx, [command, name], { runas, secret: true, stdin: `${password}\n` });
  return { ...ended, stdout: ended.stdout.replace(PROMPT, '') };
}

/**
 * Runs a command that takes a user and a password.
 * @returns what it printed
 * @throws CommandExecutionError where it failed
 */
export async function passwordCommand(ctx: ModuleContext, command: string, login: Login): Promise<string> {
  return checked(await withPassword(ctx, command, login)).stdout;
}

/** Whether a user has a password. @throws CommandExecutionError where an old server cannot be asked */
export async function isPassword(ctx: ModuleContext, login: Login): Promise<boolean> {
  const ended = await withPassword(ctx, 'authenticate_user', login);
  return ended.retcode === 0 && ended.stderr === '';
}
