/** Scripts that are fetched, and code that is given, then run from a temporary file. */
import { readFileSync } from 'node:fs';
import { extname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { SpawnError } from '../../../host/process.ts';
import { findUser, type User } from '../../../host/users.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyRepr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeDict, runCommand } from './execute.ts';
import { isSet, option, textOf, textOption, withShellDefault } from './options.ts';
import { renderText } from './render.ts';
import { withTempFile } from './temp-file.ts';

/**
 * Fetches a script and runs it (3006.16 salt/modules/cmdmod.py `script`).
 * @returns the mapping of `cmd.run_all`; an empty one when the script cannot be started; one with `cache_error` when
 *   there is no such script
 */
export async function runScript(ctx: ModuleContext, given: Dict): Promise<Dict> {
  const options = withShellDefault(ctx, given);
  const source = textOf(option(options, 'source'));
  const content = await scriptContent(ctx, source, options);
  if (content === undefined) {
    return dict({ pid: 0, retcode: 1, stdout: '', stderr: '', cache_error: true });
  }
  const file = {
    content,
    mode: 0o500,
    folder: textOption(options, 'cwd'),
    suffix: suffixOf(source),
    owner: await owner(options),
  };
  const result = await withTempFile(ctx, 'cmd.script', file, (path) => {
    const cmd = [path, ...argumentsOf(option(options, 'args'))];
    // Salt compat: `template` and `cwd` have done their work; the command itself is not rendered again.
    return runOrLog(ctx, withoutTemplate(options).set('cmd', cmd));
  });
  if (isSet(options, 'hide_output')) result.set('stdout', '').set('stderr', '');
  return result;
}

function withoutTemplate(options: Dict): Dict {
  return new Map([...options].filter(([name]) => name !== 'template'));
}

async function runOrLog(ctx: ModuleContext, options: Dict): Promise<Dict> {
  try {
    return outcomeDict(await runCommand(ctx, options, { merged: false }));
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    // Salt compat: Salt logs all arguments and variables here, and so their secrets.
    const [path] = option(options, 'cmd') as Value[];
    const why = error.cause instanceof SpawnError ? error.cause.reason : messageOf(error);
    ctx.log.error(`cmd.script: Unable to run script '${pyRepr([path ?? null])}': ${why}`);
    return new Map();
  }
}

/** A list is a list of arguments; anything else that is true is one argument, blanks and all. */
function argumentsOf(args: Value): Value[] {
  if (Array.isArray(args)) return args;
  return truthy(args) ? [textOf(args)] : [];
}

async function scriptContent(
  ctx: ModuleContext,
  source: string,
  options: Dict,
): Promise<Uint8Array | string | undefined> {
  const path = await localPath(
    ctx,
    source,
    textOption(options, 'saltenv') ?? textOption(ctx.opts, 'saltenv') ?? 'base',
  );
  const content = path === undefined ? undefined : readIfThere(path);
  if (content === undefined || textOption(options, 'template') === undefined) return content;
  const text = decodeUtf8(content);
  if (text === undefined)
    throw new CommandExecutionError(`The script ${source} is not text, so it is no template.`);
  const context = options.get('context');
  return renderText(ctx, text, options, isDict(context) ? context : undefined);
}

/** Where the script lies on this machine, after fetching it when it comes from elsewhere. */
async function localPath(ctx: ModuleContext, source: string, saltenv: string): Promise<string | undefined> {
  if (isAbsolute(source)) return source;
  if (source.startsWith('file:///')) return fileURLToPath(source);
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(source))
    throw new CommandExecutionError(`Path '${source}' is not absolute`);
  if (!(await ctx.functions.has('cp.cache_file'))) return undefined;
  const cached = await ctx.functions.call('cp.cache_file', [source, saltenv]);
  return typeof cached === 'string' && cached !== '' ? cached : undefined;
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new CommandExecutionError(`The script ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function suffixOf(source: string): string {
  const suffix = extname(source.replace(/\?saltenv=.*$/s, ''));
  return /^\.[\w-]{1,20}$/.test(suffix) ? suffix : '';
}

async function owner(options: Dict): Promise<User | undefined> {
  const runas = textOption(options, 'runas');
  if (runas === undefined) return undefined;
  const user = await findUser(runas);
  if (!user) throw new CommandExecutionError(`User '${runas}' is not available`);
  return user;
}

/** Runs code with an interpreter (3006.16 salt/modules/cmdmod.py `exec_code_all`), always without a shell. */
export async function runCode(ctx: ModuleContext, options: Dict): Promise<Dict> {
  const interpreter = textOf(option(options, 'lang'));
  const isPowershell = interpreter.toLowerCase().startsWith('powershell');
  const file = {
    content: textOf(option(options, 'code')),
    mode: 0o600,
    suffix: isPowershell ? '.ps1' : '',
    owner: await owner(options),
  };
  return withTempFile(ctx, 'cmd.exec_code_all', file, async (path) => {
    const args = option(options, 'args');
    const cmd = [interpreter, ...(isPowershell ? ['-File'] : []), path];
    if (typeof args === 'string') cmd.push(args);
    const words: Value[] = Array.isArray(args) ? [...cmd, ...args] : cmd;
    const call: Dict = new Map([...options]).set('cmd', words).set('python_shell', false);
    const result = outcomeDict(await runCommand(ctx, call, { merged: isSet(options, 'redirect_stderr') }));
    if (isSet(options, 'hide_output')) result.set('stdout', '').set('stderr', '');
    return result;
  });
}
