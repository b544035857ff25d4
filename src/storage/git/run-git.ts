/**
 * The one place that runs the system's git for repositories of the configuration: credentials go through the
 * environment, never through arguments, which everybody on the machine can read; nobody is asked for anything;
 * addresses in errors are masked.
 */
import { join } from 'node:path';
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { createFile } from '../../host/files.ts';
import { runProcess } from '../../host/process.ts';
import type { Secret } from '../../host/secret.ts';
import { findProgram } from '../../host/which.ts';

/**
 * How a repository of the configuration can be reached; helpers such as `ext::` and `fd::` run programs, or wait for
 * what never comes.
 */
const PROTOCOLS = ['file', 'ftp', 'ftps', 'git', 'http', 'https', 'ssh'];

/** A fetch that takes longer is given up. */
const TIMEOUT_MS = 10 * 60_000;

/** What a remote repository asks for. */
export interface GitAccess {
  /** The address without a user and a password. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
  /** Path of a private key for ssh. */
  readonly privkey: string;
  readonly passphrase: Secret;
  readonly sslVerify: boolean;
  /** Address of an HTTP proxy; empty for that of the environment. */
  readonly proxy: string;
}

/** Git failed, or is not there. */
export class GitError extends BrineError {
  static override readonly errorCode: ErrorCode = 'git-failed';
  override readonly name = 'GitError';
}

/** How git is run. */
export interface GitCall {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** For commands that talk to the remote. */
  readonly access?: GitAccess;
  /** A folder of ours for the program that hands the passphrase to ssh. */
  readonly folder: string;
  /** Further variables of the environment. */
  readonly env?: ReadonlyMap<string, string>;
}

/**
 * Runs git.
 * @param words the command and its arguments, without secrets
 * @returns what it wrote
 * @throws GitError with git's own words
 */
export async function runGit(words: readonly string[], call: GitCall): Promise<string> {
  const program = findProgram('git');
  if (program === undefined) throw new GitError('The program git is not installed; install the package git.');
  const result = await runProcess([program, ...words], {
    env: environment(call),
    umask: 0o022,
    timeoutMs: TIMEOUT_MS,
    diesWithUs: true,
    clock: call.clock,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  }).catch((error: unknown) => {
    throw new GitError(`git ${words[0] ?? ''}: ${messageOf(error)}`);
  });
  if (result.timedOut)
    throw new GitError(`git ${words[0] ?? ''} did not end within ${TIMEOUT_MS / 60_000} minutes`);
  if (result.retcode !== 0) throw new GitError(saying(result.stderr.toString('utf8'), result.retcode));
  return result.stdout.toString('utf8');
}

/** Git's own lines in one sentence, without hints and without users and passwords in addresses. */
function saying(stderr: string, retcode: number): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) => line !== '' && !/^(?:hint:|warning:|Please make sure|and the repository exists)/.test(line),
    );
  const text = lines.slice(0, 3).join(' ') || `git ended with exit code ${retcode}`;
  return text.replace(/\.$/, '').replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, '$1<redacted>@');
}

function environment({ access, folder, env }: GitCall): Map<string, string> {
  const out = new Map<string, string>();
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !name.startsWith('GIT_')) out.set(name, value);
  out.set('GIT_ALLOW_PROTOCOL', PROTOCOLS.join(':'));
  out.set('LC_ALL', 'C').set('GIT_TERMINAL_PROMPT', '0').set('GIT_OPTIONAL_LOCKS', '0');
  const settings: [string, string][] = [
    ['gc.auto', '0'],
    ['core.hooksPath', '/dev/null'],
  ];
  if (access !== undefined) settings.push(...accessSettings(access, folder, out));
  out.set('GIT_CONFIG_COUNT', String(settings.length));
  settings.forEach(([key, value], nth) =>
    out.set(`GIT_CONFIG_KEY_${nth}`, key).set(`GIT_CONFIG_VALUE_${nth}`, value),
  );
  for (const [name, value] of env ?? []) out.set(name, value);
  return out;
}

/** The program of git's credential protocol; it takes what it says from its environment. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$BRINE_GIT_USER" "$BRINE_GIT_PASSWORD"; }; f';

function accessSettings(access: GitAccess, folder: string, env: Map<string, string>): [string, string][] {
  const settings: [string, string][] = [['credential.helper', '']];
  if (!access.sslVerify) settings.push(['http.sslVerify', 'false']);
  if (access.proxy !== '') settings.push(['http.proxy', access.proxy]);
  if (access.user !== '' && /^https?:/i.test(access.url)) {
    settings.push(['credential.helper', HELPER]);
    env.set('BRINE_GIT_USER', access.user).set('BRINE_GIT_PASSWORD', access.password.reveal());
  }
  const ssh = ['ssh', '-o', 'BatchMode=yes'];
  if (access.privkey !== '') ssh.push('-o', 'IdentitiesOnly=yes', '-i', shellWord(access.privkey));
  if (access.passphrase.reveal() !== '') {
    env.set('SSH_ASKPASS', askingProgram(folder)).set('SSH_ASKPASS_REQUIRE', 'force');
    env.set('BRINE_GIT_PASSPHRASE', access.passphrase.reveal());
    ssh[2] = 'BatchMode=no';
  }
  env.set('GIT_SSH_COMMAND', ssh.join(' '));
  return settings;
}

/** Git hands this command to a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function askingProgram(folder: string): string {
  const path = join(folder, 'askpass');
  try {
    createFile(path, '#!/bin/sh\nprintf "%s\\n" "$BRINE_GIT_PASSPHRASE"\n', { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return path;
}
