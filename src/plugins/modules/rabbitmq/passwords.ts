/** Passwords of RabbitMQ's users, which the program reads from its standard input where it can. */
import type { Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Ended } from '../program.ts';
import { checked } from './output.ts';
import { control, isAtLeast } from './run.ts';

/** The first version that reads passwords. */
const READS_PASSWORDS = [3, 8];
/** The first version with `authenticate_user`. */
const AUTHENTICATES = [3, 5, 7];
const PROMPT = /^Password: ?\n?/;

/** Whose password, and as whom the program runs. */
export interface Login {
  readonly name: string;
  readonly password: string;
  readonly runas: Value;
}

/** Whether the program reads passwords; those that cannot say their version are older. */
async function readsPasswords(ctx: ModuleContext, runas: Value): Promise<boolean> {
  const { stdout } = await control(ctx, ['version'], { runas, mayFail: true });
  const version = /^\d+\.\d+/m.exec(stdout)?.[0];
  return version !== undefined && isAtLeast(version, READS_PASSWORDS);
}

async function withPassword(
  ctx: ModuleContext,
  command: string,
  { name, password, runas }: Login,
  isRead: boolean,
): Promise<Ended> {
  // Salt compat: Salt always has the password among the arguments, where every user of the machine reads it.
  const run = { runas, secret: true };
  if (!isRead) return control(ctx, [command, name, password], run);
  const ended = await control(ctx, [command, name], { ...run, stdin: `${password}\n` });
  return { ...ended, stdout: ended.stdout.replace(PROMPT, '') };
}

/** Runs a command that takes a user and a password. @returns what it printed @throws CommandExecutionError where it failed */
export async function passwordCommand(ctx: ModuleContext, command: string, login: Login): Promise<string> {
  return checked(await withPassword(ctx, command, login, await readsPasswords(ctx, login.runas))).stdout;
}

/** The version of the server in what `rabbitmqctl status` prints; zero where it says none. */
function serverVersion(status: string): string {
  const found =
    /\{rabbit,"RabbitMQ","(.+)"\}/.exec(status)?.[1] ?? /RabbitMQ version:\s*(.+)/.exec(status)?.[1] ?? '';
  const version = found.split('-')[0] ?? '';
  return /^\d+(?:\.\d+){2,}$/.test(version) ? version : '0.0.0';
}

const inErlang = (text: string): string => text.replaceAll('"', '\\"');

/** Whether a user has a password. @throws CommandExecutionError where an old server cannot be asked */
export async function isPassword(ctx: ModuleContext, login: Login): Promise<boolean> {
  const { name, password, runas } = login;
  const status = await control(ctx, ['status'], { runas });
  const version = serverVersion(`${status.stdout}\n${status.stderr}`);
  if (isAtLeast(version, AUTHENTICATES)) {
    const isRead = isAtLeast(version, READS_PASSWORDS);
    const ended = await withPassword(ctx, 'authenticate_user', login, isRead);
    return ended.retcode === 0 && ended.stderr === '';
  }
  const question = `rabbit_auth_backend_internal:check_user_login(<<"${inErlang(name)}">>, [{password, <<"${inErlang(password)}">>}]).`;
  const { stdout } = checked(await control(ctx, ['eval', question], { runas, secret: true }));
  return !stdout.includes('invalid credentials');
}
