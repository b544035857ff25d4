import { spawnSync } from 'node:child_process';

/**
 * Runs a script by bash. Its input is no socket: with one, bash takes itself for a shell that was called from afar and
 * reads the start-up file of the account, in which a version manager may take longer than the script.
 */
export function runBash(
  script: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): { readonly status: number | null; readonly stderr: string } {
  const stdio = ['ignore', 'inherit', 'pipe'] as const;
  const { status, stderr } = spawnSync('bash', ['-c', script], { ...options, stdio: [...stdio] });
  return { status, stderr: stderr.toString() };
}

/** Prepares the machine for a scene; what the script complains of is shown. */
export function runSetup({ setup }: { readonly setup?: string }, env: NodeJS.ProcessEnv): void {
  if (setup !== undefined) process.stderr.write(runBash(setup, { env }).stderr);
}
