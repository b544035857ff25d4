/** What can be known beforehand to keep a program from starting as it was meant. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LaunchPlan } from './credentials.ts';
import { SpawnError } from './process-error.ts';
import { isExecutable, searchPath } from './which.ts';

const BINFMT_FOLDER = '/proc/sys/fs/binfmt_misc';
const BINFMT_CONTROLS = new Set(['register', 'status']);

/**
 * Refuses what the system would cut short or reinterpret: texts with NUL bytes, variables without a usable name, and
 * files that are no programs.
 * @param cwd the folder that a relative path starts from
 * @throws SpawnError
 */
export function assertStartable({ program, argv, env }: LaunchPlan, cwd: string | undefined): void {
  if (program === '') throw new SpawnError('', 'ENOENT');
  const refuse = (why: string): SpawnError =>
    new SpawnError(program, 'ERR_INVALID_ARG_VALUE', new Error(why));
  if ([...argv, ...env.keys(), ...env.values()].some((text) => text.includes('\0'))) {
    throw refuse('an argument or a variable contains a NUL byte');
  }
  const badName = [...env.keys()].find((name) => name === '' || name.includes('='));
  if (badName !== undefined) throw refuse(`illegal environment variable name ${JSON.stringify(badName)}`);
  const path = program.includes('/') ? resolve(cwd ?? '.', program) : searchPath(program, env.get('PATH'));
  if (path !== undefined && isExecutable(path) && isForeignFormat(path))
    throw new SpawnError(program, 'ENOEXEC');
}

/**
 * True when a file is neither a program nor a script with `#!`. The C library, by which Node starts programs, silently
 * gives such a file to `/bin/sh`; Python, and so Salt, answers "Exec format error", and nothing reaches a shell
 * unasked. In doubt (unreadable, other kernels, further formats registered) the answer is false, and the kernel
 * decides.
 */
function isForeignFormat(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const head = readHead(path);
  return head !== undefined && !head.startsWith('#!') && head !== '\x7fELF' && !hasFurtherFormats();
}

function readHead(path: string): string | undefined {
  try {
    const fd = openSync(path, 'r');
    try {
      const head = Buffer.alloc(4);
      return head.toString('latin1', 0, readSync(fd, head, 0, 4, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function hasFurtherFormats(): boolean {
  try {
    return readdirSync(BINFMT_FOLDER).some((name) => !BINFMT_CONTROLS.has(name));
  } catch {
    return false;
  }
}
