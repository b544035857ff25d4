/** The two kinds of programs that are measured, and where their launchers are. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BrineError } from '../src/errors/errors.ts';
import type { ProcessGroups } from './processes.ts';

/** Ours, or real Salt. */
export interface Kind {
  readonly name: 'brine' | 'salt';
  /** Heading of its column: name and version. */
  readonly label: string;
  /** Argument lists without `-c`. */
  readonly master: readonly string[];
  readonly minion: readonly string[];
  readonly salt: readonly string[];
}

/**
 * Finds the programs of a kind.
 * @param folder holds `salt-master`, `salt-minion` and `salt`
 * @param saltCommand another `salt` to use; default the one in the folder
 * @throws BrineError naming the program that is missing or does not run
 */
export async function findKind(
  name: Kind['name'],
  folder: string,
  groups: ProcessGroups,
  saltCommand?: string,
): Promise<Kind> {
  const salt = saltCommand ?? join(folder, 'salt');
  const programs = [join(folder, 'salt-master'), join(folder, 'salt-minion'), salt];
  for (const path of programs) {
    if (!existsSync(path)) throw new BrineError(`The program ${path} is missing. ${hint(name)}`);
  }
  const { code, stdout, stderr } = await groups.run([programs[0] as string, '--version'], 20_000);
  if (code !== 0) throw new BrineError(`${programs[0]} --version failed: ${stderr.trim()}. ${hint(name)}`);
  const version = stdout.trim().split(/\s+/)[1] ?? '?';
  return {
    name,
    label: name === 'brine' ? 'Brine' : `Salt ${version}`,
    master: [programs[0] as string],
    minion: [programs[1] as string],
    salt: [salt],
  };
}

function hint(name: Kind['name']): string {
  return name === 'brine'
    ? 'Build the programs with: npm run build'
    : 'Give --real the folder that holds the launchers salt-master, salt-minion and salt.';
}
