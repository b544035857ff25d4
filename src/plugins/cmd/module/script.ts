/** Scripts that are fetched, and code that is given, then run from a temporary file. */
import { readFileSync } from 'node:fs';
import { extname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { SpawnError } from '../../../host/process.ts';
import { findUser, type User } from '../../../host/users.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeDict, runCommand } from './execute.ts';
import { textIfSet } from './options.ts';
import { withShellDefault, type CommandOptions } from './params.ts';
import { renderText } from './render.ts';
import { withTempFile } from '../../shared/temp-file.ts';
import { cachedFile } from '../../shared/served-files.ts';

/**
 * Fetches a script and runs it (3008 salt/modules/cmdmod.py `script`; 3006.16 hands text over as one argument).
 * @returns the mapping of `cmd.run_all`; one with `cache_error` when there is no such script
 * @throws CommandExecutionError when the script cannot be started. Salt compat: Salt writes that into its log and
 *   returns an empty mapping, as if all were well
 */
export async function runScript(
  ctx: ModuleContext,
  given: CommandOptions,
  args: readonly Value[],
): Promise<Dict> {
  const options = withShellDefault(ctx, given);
  const { source } = options;
  const content = await scriptContent(ctx, source, options);
  if (content === undefined) {
    ctx.setRetcode(1); // Salt compat: Salt says so in the mapping only, and the job counts as a success
    return dict({ pid: 0, retcode: 1, stdout: '', stderr: '', cache_error: true });
  }
  const background = options.bg;
  const file = {
    content,
    mode: 0o500,
    folder: options.cwd,
    suffix: suffixOf(source),
    owner: await owner(options),
    removesItself: background,
  };
  const result = await withTempFile(ctx, 'cmd.script', file, (path) => {
    // Salt compat: `template` and `cwd` have done their work; the command itself is not rendered again.
    const call = { ...options, template: undefined };
    return background
      ? runOf(ctx, source, plainCall(call, [...SELF_REMOVING, path, ...args]))
      : runHere(ctx, source, { call, path, args });
  });
  if (options.hide_output) result.set('stdout', '').set('stderr', '');
  return result;
}

/** Nobody else is there to remove the file of a script in the background when it has ended. */
const SELF_REMOVING = ['/bin/sh', '-c', '"$0" "$@"; rm -f -- "$0"'];

/** Words that no shell reads, whatever the caller said of shells. */
function plainCall(call: CommandOptions, words: Value[]): CommandOptions {
  return { ...call, cmd: words, python_shell: false };
}

/** A script and what it is called with. */
interface ScriptCall {
  readonly call: CommandOptions;
  readonly path: string;
  readonly args: readonly Value[];
}

/** With arguments no shell takes part, so that they arrive as they are. */
async function runHere(ctx: ModuleContext, source: string, { call, path, args }: ScriptCall): Promise<Dict> {
  if (args.length === 0) return runOf(ctx, source, { ...call, cmd: [path] });
  try {
    return outcomeDict(await runCommand(ctx, plainCall(call, [path, ...args]), { merged: false }));
  } catch (error) {
    // Salt compat: without `#!` in its first line, a shell that was to take part reads the script; Salt does not start
    // it then
    const shell = call.shell ?? '/bin/sh';
    const isText = spawnErrorOf(error)?.code === 'ENOEXEC' && (call.python_shell ?? false) !== false;
    return isText ? runOf(ctx, source, plainCall(call, [shell, path, ...args])) : refuse(source, error);
  }
}

async function runOf(ctx: ModuleContext, source: string, call: CommandOptions): Promise<Dict> {
  try {
    return outcomeDict(await runCommand(ctx, call, { merged: false }));
  } catch (error) {
    return refuse(source, error);
  }
}

function spawnErrorOf(error: unknown): SpawnError | undefined {
  return error instanceof CommandExecutionError && error.cause instanceof SpawnError
    ? error.cause
    : undefined;
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOEXEC', ' Its first line has to name an interpreter, such as #!/bin/sh.'],
  ['ENOENT', ' The interpreter that its first line names is not there.'],
]);

// arguments and variables may be secrets, so that the script alone is named
function refuse(source: string, error: unknown): never {
  if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
  const spawned = spawnErrorOf(error);
  const hint = HINTS.get(spawned?.code ?? '') ?? '';
  const why = spawned?.reason ?? messageOf(error);
  throw new CommandExecutionError(`${why}: Unable to run the script ${source}.${hint}`, { cause: error });
}

async function scriptContent(
  ctx: ModuleContext,
  source: string,
  options: CommandOptions,
): Promise<Uint8Array | string | undefined> {
  const path = await localPath(
    ctx,
    source,
    options.saltenv ?? textIfSet(ctx.opts.get('saltenv') ?? null) ?? 'base',
  );
  const content = path === undefined ? undefined : readIfThere(path);
  if (content === undefined || options.template === undefined) return content;
  const text = decodeUtf8(content);
  if (text === undefined)
    throw new CommandExecutionError(`The script ${source} is not text, so it is no template.`);
  return renderText(ctx, text, options, options.context);
}

/** Where the script lies on this machine, after fetching it when it comes from elsewhere. */
async function localPath(ctx: ModuleContext, source: string, saltenv: string): Promise<string | undefined> {
  if (isAbsolute(source)) return source;
  if (source.startsWith('file:///')) return fileURLToPath(source);
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(source))
    throw new CommandExecutionError(`Path '${source}' is not absolute`);
  if (!(await ctx.functions.has('cp.cache_file'))) return undefined;
  return cachedFile(ctx, [source, saltenv]);
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

async function owner({ runas }: CommandOptions): Promise<User | undefined> {
  if (runas === undefined) return undefined;
  const user = await findUser(runas);
  if (!user) throw new CommandExecutionError(`User '${runas}' is not available`);
  return user;
}

/** Code and what runs it. */
export interface GivenCode {
  readonly lang: string;
  readonly code: string;
  readonly args: readonly Value[];
}

/** Runs code with an interpreter (3006.16 salt/modules/cmdmod.py `exec_code_all`), always without a shell. */
export async function runCode(
  ctx: ModuleContext,
  options: CommandOptions,
  { lang: interpreter, code, args }: GivenCode,
): Promise<Dict> {
  const isPowershell = interpreter.toLowerCase().startsWith('powershell');
  const file = {
    content: code,
    mode: 0o600,
    suffix: isPowershell ? '.ps1' : '',
    owner: await owner(options),
  };
  return withTempFile(ctx, 'cmd.exec_code_all', file, async (path) => {
    const call = plainCall(options, [interpreter, ...(isPowershell ? ['-File'] : []), path, ...args]);
    const result = outcomeDict(await runCommand(ctx, call, { merged: options.redirect_stderr === true }));
    if (options.hide_output) result.set('stdout', '').set('stderr', '');
    return result;
  });
}
