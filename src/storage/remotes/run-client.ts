/**
 * Running the system's hg and svn for remotes of the configuration: passwords come in through standard input or a file
 * of ours, never through arguments; nobody is asked for anything; addresses in errors are masked.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { runProcess } from '../../host/process.ts';
import { findProgram } from '../../host/which.ts';

/** What takes longer is given up. */
const TIMEOUT_MS = 10 * 60_000;
const LINES_TOLD = 3;

/** The client failed, or is not there. */
export class ClientError extends BrineError {
  static override readonly errorCode: ErrorCode = 'remote-client-failed';
  override readonly name = 'ClientError';
}

/** A client and where to have it from. */
export interface ClientProgram {
  readonly name: 'hg' | 'svn';
  /** The package that has it. */
  readonly package: string;
}

/** How it is run. */
export interface ClientCall {
  readonly clock: Clock;
  /** Further variables of the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/**
 * Runs the client.
 * @param words its arguments, without secrets
 * @returns what it wrote
 * @throws ClientError with its own words
 */
export async function runClient(
  { name, package: from }: ClientProgram,
  words: readonly string[],
  { clock, env, stdin }: ClientCall,
): Promise<string> {
  const program = findProgram(name);
  if (program === undefined)
    throw new ClientError(`The program ${name} is not installed; install the package ${from}.`);
  const variables = new Map<string, string>([['LC_ALL', 'C.UTF-8']]);
  for (const [key, value] of Object.entries({ ...process.env, ...env }))
    if (value !== undefined && key !== 'LC_ALL') variables.set(key, value);
  const result = await runProcess([program, ...words], {
    env: variables,
    umask: 0o022,
    timeoutMs: TIMEOUT_MS,
    diesWithUs: true,
    clock,
    ...(stdin === undefined ? {} : { stdin }),
  }).catch((error: unknown) => {
    throw new ClientError(`${name} ${words[0] ?? ''}: ${messageOf(error)}`);
  });
  if (result.timedOut)
    throw new ClientError(`${name} ${words[0] ?? ''} did not end within ${TIMEOUT_MS / 60_000} minutes`);
  if (result.retcode !== 0)
    throw new ClientError(
      saying(result.stderr.toString('utf8')) || `${name} ended with exit code ${result.retcode}`,
    );
  return result.stdout.toString('utf8');
}

/** The client's own lines in one sentence, without users and passwords in addresses. */
function saying(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim().replace(/^(?:svn|hg|abort): /, ''));
  return lines
    .filter((line) => line !== '' && !line.startsWith('warning:'))
    .slice(0, LINES_TOLD)
    .join(' ')
    .replace(/[.!]$/, '')
    .replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, '$1<redacted>@');
}
