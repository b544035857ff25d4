/** The commands of a machine that was taken over: links to Brine's programs, in a folder before that of Salt's. */
import { lstatSync, readlinkSync, realpathSync, rmSync, symlinkSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../host/files.ts';
import { syncFolder } from '../../host/disk-sync.ts';
import type { Role } from './daemons-here.ts';
import type { Programs } from './programs.ts';
import type { MadeLink } from './record.ts';

/** What comes with each daemon, as its package brings it. */
const COMMANDS: ReadonlyMap<Role, readonly string[]> = new Map([
  ['master', ['salt', 'salt-cp', 'salt-key', 'salt-run']],
  ['minion', ['salt-call']],
]);

/** What is to become of the commands. */
export interface LinkPlan {
  /** To be made. */
  readonly links: readonly MadeLink[];
  /** Places where something else is, which stays. */
  readonly taken: readonly MadeLink[];
}

/** Says which links the folder is to have. @param folder undefined for none */
export function planLinks(roles: readonly Role[], folder: string | undefined, programs: Programs): LinkPlan {
  if (folder === undefined) return { links: [], taken: [] };
  const all = roles
    .flatMap((role) => COMMANDS.get(role) ?? [])
    .map((name) => ({ path: join(folder, name), target: programs.file(name) }));
  const there = all.filter(({ path }) => look(path) !== undefined);
  return {
    links: all.filter((link) => !there.includes(link)),
    taken: there.filter(({ path, target }) => !isSameFile(path, target)),
  };
}

/** Makes them; what has been put there meanwhile stays. */
export function makeLinks(links: readonly MadeLink[]): void {
  for (const { path, target } of links) {
    if (look(path) !== undefined) continue;
    makeDirectory(dirname(path), 0o755);
    symlinkSync(target, path);
    syncFolder(dirname(path));
  }
}

/** Removes those that are still as they were made. */
export function removeLinks(links: readonly MadeLink[]): void {
  for (const { path, target } of links) {
    if (linkedTo(path) !== target) continue;
    rmSync(path, { force: true });
    syncFolder(dirname(path));
  }
}

function isSameFile(path: string, target: string): boolean {
  try {
    return realpathSync(path) === realpathSync(target);
  } catch {
    return false; // a link to nothing
  }
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function linkedTo(path: string): string | undefined {
  return look(path)?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
}
