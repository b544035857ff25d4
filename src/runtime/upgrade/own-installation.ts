/** The installation that this process was started from. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Installation } from './installation.ts';

/** @returns undefined where versions do not lie side by side: a checkout, an installation by npm */
export function ownInstallation(program = process.argv[1] ?? ''): Installation | undefined {
  try {
    // `<base>/VERSION/bin/PROGRAM`
    return Installation.around(dirname(dirname(realpathSync(program))));
  } catch {
    return undefined;
  }
}
