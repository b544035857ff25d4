/**
 * Keeps made-up calls from the processes of this host: `process.absent`, `ps.pkill` and their like find and end what
 * they can see.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';

/** Names the namespace of processes that the run was started in, for the programs that it starts within another. */
const OUTSIDE = 'BRINE_COMPARE_OUTSIDE';
/** What starts a program among processes of its own, which end with it. */
export const UNSHARE: readonly string[] = ['-p', '-f', '--kill-child', '--mount-proc'];

const namespace = (): string => readlinkSync('/proc/self/ns/pid');

/**
 * Says for {@link assertApart} where the host's processes are.
 * @throws where a program cannot be given processes of its own
 */
export function environmentApart(): NodeJS.ProcessEnv {
  const tried = spawnSync('unshare', [...UNSHARE, 'true'], { encoding: 'utf8' });
  if (tried.status !== 0)
    throw new Error(
      `No call is made: this host gives no namespace of processes (${(tried.error?.message ?? tried.stderr).trim()}), and what the calls ` +
        'end would be its own processes. Run it as root, where `unshare -p -f --mount-proc true` works.',
    );
  return { ...process.env, [OUTSIDE]: namespace() };
}

/** @throws where this program sees the processes of the host */
export function assertApart(): void {
  const outside = process.env[OUTSIDE];
  if (outside === undefined || outside === namespace())
    throw new Error(
      'No call is made: this part is started by the program itself, which keeps it from the processes of the host.',
    );
}

/**
 * Looks whether the program that runs is still where it was built. When whoever started it was ended, that is removed,
 * and what is loaded later, such as the programs in Python, cannot be found: what calls give from then on is wrong.
 * @param program the file of the program
 * @throws where it is gone
 */
export function assertStillBuilt(program: string): void {
  if (!existsSync(program))
    throw new Error('Nothing is written: whoever started this was ended, and has taken the program away.');
}
