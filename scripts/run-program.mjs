// Runs a program of the system for a script, which cannot go on without it.
import { spawnSync } from 'node:child_process';

const OUTPUT_BYTES_MAX = 1e8;

/**
 * @param options of `spawnSync`; `env` comes on top of this process's own
 * @returns what it printed
 * @throws Error with what it said when it fails
 */
export function runProgram(program, args, { env = {}, ...options } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    ...options,
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
}

/** Ends a script that cannot do what it was asked for with its reason, and without a stack. */
export async function orSay(work) {
  try {
    return await work();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
