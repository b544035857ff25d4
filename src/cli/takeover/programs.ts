/** The programs of this Brine: how they are started, and run to their end. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProcess } from '../../host/process.ts';

/** The package of what the programs share lays its versions side by side here … */
const VERSIONS = '/usr/lib/brine/';
/** … and starters of the installed one there, which an upgrade leaves where they are. */
const STARTERS = '/usr/libexec/brine';

/** Where programs of one Brine are. */
export interface Programs {
  /** The words that start one, also from a unit, which has no PATH of a user's. */
  command(name: string): string[];
  /** The file to which a link can point. */
  file(name: string): string;
}

/** The programs beside the one that runs. @param script the file that runs */
export function ownPrograms(script: string = process.argv[1] ?? ''): Programs {
  // what runs is in `dist` or in `bin`, which lie side by side; npm makes links to it
  const folder = join(dirname(realpathSync(script)), '..', 'bin');
  if (folder.startsWith(VERSIONS) && existsSync(STARTERS))
    return {
      command: (name) => [join(STARTERS, name)],
      file: (name) => join(STARTERS, name),
    };
  return {
    command: (name) => [process.execPath, join(folder, name)],
    file: (name) => join(folder, name),
  };
}

/** How a command of ours ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of our commands on a folder of configuration. */
export async function runOwn(
  programs: Programs,
  [name, ...words]: readonly [string, ...string[]],
  { configDir, timeoutMs }: { readonly configDir: string; readonly timeoutMs: number },
): Promise<Ended> {
  const { retcode, stdout, stderr } = await runProcess(
    [...programs.command(name), '-c', configDir, ...words],
    {
      timeoutMs,
      diesWithUs: true,
    },
  );
  return { code: retcode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}
