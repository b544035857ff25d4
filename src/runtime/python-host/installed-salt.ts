/**
 * What a Salt that is installed for an interpreter has of modules (`salt_python`), with the packages that extend it.
 */
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

/** What there is, or why nothing is. */
export type InstalledFiles = { readonly files: readonly InstalledFile[] } | { readonly fault: string };

/** Folders of packages that extend Salt, by kind, and packages that cannot be used; or why nothing is known. */
export type PackageFolders =
  | { readonly folders: ReadonlyMap<string, readonly string[]>; readonly faults: readonly string[] }
  | { readonly fault: string };

/** Asks the interpreter for files of Salt's own; never throws. */
export async function installedFiles(interpreter: string, kind: AskedKind): Promise<InstalledFiles> {
  const found = await answerOf<{ fault?: string; files: [string, string, string[]][] }>(interpreter, kind);
  if (found.fault !== undefined) return { fault: found.fault };
  if (found.answer.fault !== undefined)
    return { fault: `${interpreter} cannot import Salt (${found.answer.fault})` };
  return { files: found.answer.files.map(([file, path, names]) => ({ file, path, names })) };
}

/** Asks the interpreter for packages with entry points of the group `salt.loader`; never throws. */
export async function packageFolders(interpreter: string): Promise<PackageFolders> {
  const found = await answerOf<{ folders: Record<string, string[]>; faults: string[] }>(
    interpreter,
    'packages',
  );
  if (found.fault !== undefined) return { fault: found.fault };
  return { folders: new Map(Object.entries(found.answer.folders)), faults: found.answer.faults };
}

type Answer<T> =
  | { readonly answer: T; readonly fault?: undefined }
  | { readonly answer?: undefined; readonly fault: string };

async function answerOf<T>(interpreter: string, asked: string): Promise<Answer<T>> {
  try {
    const argv = [interpreter, programPath(PROGRAM), asked];
    const { retcode, stdout, stderr, timedOut } = await runProcess(argv, { timeoutMs: ANSWER_MS });
    if (timedOut) return { fault: `${interpreter} did not answer within ${ANSWER_MS / 1000} seconds` };
    if (retcode !== 0)
      return {
        fault: `${interpreter} ended with ${retcode}: ${stderr.toString().trim().split('\n').at(-1) ?? ''}`,
      };
    return { answer: JSON.parse(stdout.toString()) as T };
  } catch (error) {
    return { fault: `${interpreter} cannot be asked: ${messageOf(error)}` };
  }
}

/**
 * The interpreter of an installed Salt: that of its packages, else the one in the first line of its commands; undefined
 * where neither is.
 */
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
