/** Every program's command line, for what works on all of them (man pages, completion, checks). */
import type { CliProgram } from '../command-line/optparse.ts';
import { brineProgram } from './brine.ts';
import { saltApiProgram, saltMasterProgram, saltMinionProgram, saltSyndicProgram } from './daemons.ts';
import { saltCallProgram } from './salt-call.ts';
import { saltCpProgram } from './salt-cp.ts';
import { saltKeyProgram } from './salt-key.ts';
import { saltRunProgram } from './salt-run.ts';
import { saltProgram } from './salt.ts';
import { SLS_COMMANDS, slsProgram } from './sls.ts';

/** All programs. A program itself imports only its own table. */
export const allPrograms: readonly CliProgram[] = [
  saltProgram,
  saltKeyProgram,
  saltCallProgram,
  saltRunProgram,
  saltCpProgram,
  saltMasterProgram,
  saltMinionProgram,
  saltSyndicProgram,
  saltApiProgram,
  slsProgram,
  brineProgram,
];

/** The commands that run a program: its own name, and the one that no other package has. */
export function commandsOf({ name }: Pick<CliProgram, 'name'>): readonly string[] {
  return name === slsProgram.name ? SLS_COMMANDS : [name];
}
