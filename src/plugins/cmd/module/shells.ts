/** The shells of this system and the versions of interpreters. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../../errors/errors.ts';
import { ownEnvironment, runProcess, SpawnError } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import { dict, type Dict } from '../../../python/values/value.ts';

const SHELLS_FILE = '/etc/shells';
const VERSION_TIMEOUT_MS = 10_000;

/** How to ask an interpreter for its version. */
const INTERPRETERS: ReadonlyMap<string, { readonly pattern: RegExp; readonly argv: readonly string[] }> =
  new Map([
    ['bash', { pattern: /version (\d\S*)/i, argv: ['bash', '--version'] }],
    ['zsh', { pattern: /^zsh (\d\S*)/i, argv: ['zsh', '--version'] }],
    ['tcsh', { pattern: /^tcsh (\d\S*)/i, argv: ['tcsh', '--version'] }],
    ['cmd', { pattern: /Version ([\d.]+)/i, argv: ['cmd.exe', '/C', 'ver'] }],
    [
      'powershell',
      { pattern: /PSVersion\s+(\d\S*)/i, argv: ['powershell', '-NonInteractive', '$PSVersionTable'] },
    ],
    ['perl', { pattern: /^(\d\S*)/i, argv: ['perl', '-e', 'printf "%vd\n", $^V;'] }],
    ['python', { pattern: /^Python (\d\S*)/i, argv: ['python', '-V'] }],
    ['ruby', { pattern: /^ruby (\d\S*)/i, argv: ['ruby', '-v'] }],
    ['php', { pattern: /^PHP (\d\S*)/i, argv: ['php', '-v'] }],
  ]);

/** The shells that `/etc/shells` lists; none when there is no such file. */
export function listShells(): string[] {
  const lines = readShells() ?? [];
  return lines.map(strip).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Whether `/etc/shells` lists a shell; undefined when there is no such file. */
export function isListedShell(shell: string): boolean | undefined {
  return readShells()?.some((line) => line === shell);
}

function readShells(): string[] | undefined {
  try {
    return splitLines(readFileSync(SHELLS_FILE, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Version and path of an interpreter (3006.16 salt/modules/cmdmod.py `shell_info`, which fails on Python 3: ours
 * answers).
 */
export async function shellInfo(ctx: ModuleContext, shell: string): Promise<Dict> {
  const known = INTERPRETERS.get(shell);
  if (!known) {
    return dict({ error: `Salt does not know how to get the version number for ${shell}`, installed: null });
  }
  const command = known.argv.join(' ');
  const failure = (reason: string): Dict =>
    dict({ error: `Unable to run command '${command}' Reason: ${reason}`, installed: false });
  try {
    const { stdout, timedOut } = await runProcess(known.argv, {
      env: ownEnvironment(),
      mergeStderr: true,
      timeoutMs: VERSION_TIMEOUT_MS,
      signal: ctx.signal,
      clock: ctx.clock,
    });
    if (timedOut) return failure('Timed out.');
    return describe(
      ctx,
      shell,
      known.argv[0] ?? '',
      known.pattern.exec(stdout.toString('utf8'))?.[1],
      stdout,
    );
  } catch (error) {
    return failure(error instanceof SpawnError ? error.reason : messageOf(error));
  }
}

function describe(
  ctx: ModuleContext,
  shell: string,
  program: string,
  raw: string | undefined,
  out: Buffer,
): Dict {
  const digits = /^\d[\d.]*/.exec(raw ?? '')?.[0];
  const info: Dict = dict({ installed: null, path: findProgram(program) ?? null, version_raw: raw });
  if (digits !== undefined) {
    const parts = digits.split('.').slice(0, 3);
    if (parts.length === 1) parts.push('0');
    return info.set('installed', true).set('version', parts.join('.'));
  }
  const error = `The version regex pattern for shell ${shell}, could not find the version string`;
  ctx.log.error(error);
  return info.set('error', error).set('stdout', out.toString('utf8'));
}
