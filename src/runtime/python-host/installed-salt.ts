/** What a Salt that is installed for an interpreter has of modules (`salt_python`), with the packages that extend it. */
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { runProcess } from '../../host/process.ts';
import { programPath } from './program-path.ts';

/** Most time for the answer: Python starts, and packages that extend Salt are imported. */
const ANSWER_MS = 15_000;
const PROGRAM = 'brine_installed.py';
/** Where Salt's own packages have their Python, and where its command says which it runs with. */
const PACKAGED = '/opt/saltstack/salt/bin/python3';
const COMMANDS: readonly string[] = [
  '/usr/bin/salt-call',
  '/usr/local/bin/salt-call',
  '/usr/bin/salt-minion',
];

/** Kinds of modules that are looked for in a Salt. */
export type InstalledKind = 'modules' | 'states' | 'returners';
/** What may be asked for of a Salt: those, its renderers, and its external pillars. */
export type AskedKind = InstalledKind | 'renderers' | 'pillar';

/** A file of Salt's, and the names that its module may have. */
export interface InstalledFile {
  readonly file: string;
  readonly path: string;
  readonly names: readonly string[];
}

/** What there is, and packages that cannot be used; or why nothing is. */
export type InstalledFiles =
  | { readonly files: readonly InstalledFile[]; readonly faults: readonly string[] }
  | { readonly fault: string };

/** Asks the interpreter; never throws. */
export async function installedFiles(interpreter: string, kind: AskedKind): Promise<InstalledFiles> {
  try {
    const argv = [interpreter, programPath(PROGRAM), kind];
    const { retcode, stdout, stderr, timedOut } = await runProcess(argv, { timeoutMs: ANSWER_MS });
    if (timedOut) return { fault: `${interpreter} did not answer within ${ANSWER_MS / 1000} seconds` };
    if (retcode !== 0)
      return {
        fault: `${interpreter} ended with ${retcode}: ${stderr.toString().trim().split('\n').at(-1) ?? ''}`,
      };
    const found = JSON.parse(stdout.toString()) as {
      fault?: string;
      files: [string, string, string[]][];
      faults: string[];
    };
    if (found.fault !== undefined) return { fault: `${interpreter} cannot import Salt (${found.fault})` };
    return { files: found.files.map(([file, path, names]) => ({ file, path, names })), faults: found.faults };
  } catch (error) {
    return { fault: `${interpreter} cannot be asked: ${messageOf(error)}` };
  }
}

/** The interpreter of an installed Salt: that of its packages, else the one in the first line of its commands; undefined where neither is. */
export function interpreterOfSalt(): string | undefined {
  if (existsSync(PACKAGED)) return PACKAGED;
  return COMMANDS.map(interpreterIn).find((path) => path !== undefined && existsSync(path));
}

function interpreterIn(command: string): string | undefined {
  try {
    return /^#!\s*(\/\S*python\S*)/.exec(readFileSync(command, 'utf8').slice(0, 256))?.[1];
  } catch {
    return undefined;
  }
}
