/**
 * What the members of an archive may be called and point to. An archive with one member that would lead out of the
 * folder it is unpacked into is refused as a whole, before anything is removed, written or given to an owner: whoever
 * made it meant harm or made a mistake, and the rest of it is no better.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { isLink, joinPath, realPath } from '../../../python/paths.ts';
import { pyRepr } from '../../../python/values/repr.ts';

/** One member as the archive has it. */
export interface ArchiveMember {
  /** The whole name, a NUL in it included. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'hardlink';
  /** Where a link points: a symlink from its folder, a hard link from the top of the archive. */
  readonly target?: string;
  readonly sizeBytes: number;
}

/** An archive is not unpacked. The message names the member, and says that nothing was changed. */
export class UnsafeArchiveError extends CommandExecutionError {
  /** @param archive its path @param reason a clause, such as `its member 'x' …` */
  constructor(archive: string, reason: string) {
    super(`${archive} was not unpacked and nothing was changed, because ${reason}.`);
  }
}

/** How far a link is followed within an archive; the system gives up after 40. */
const LINKS_MAX = 40;
/** The system knows no longer path. */
const NAME_MAX = 4096;

type Links = ReadonlyMap<string, string>;

const partsOf = (name: string): string[] => name.split('/').filter((part) => part !== '' && part !== '.');

/** The names of the folders that a member stands in, outermost first. */
function foldersAbove(parts: readonly string[]): string[] {
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/**
 * @param archive its path, for the message
 * @param linksMayLeadOut symlinks to places outside of the folder are allowed; nothing is ever written through them
 * @throws UnsafeArchiveError for the first member that leads out
 */
export function checkMembers(
  archive: string,
  members: readonly ArchiveMember[],
  linksMayLeadOut: boolean,
): void {
  const links = new Map<string, string>();
  for (const { name, kind, target } of members)
    if (kind === 'symlink') links.set(partsOf(name).join('/'), target ?? '');
  const refuse = (member: ArchiveMember, reason: string): never => {
    throw new UnsafeArchiveError(archive, `its member ${pyRepr(member.name)} ${reason}`);
  };
  for (const member of members) {
    const problem = nameProblem(member.name) ?? belowLink(member.name, links);
    if (problem !== undefined) refuse(member, problem);
    const { kind, target = '' } = member;
    const shown = pyRepr(target);
    if (kind === 'hardlink' && (nameProblem(target) ?? belowLink(target, links)) !== undefined)
      refuse(member, `is a hard link to ${shown}, which is not a member of the archive`);
    if (kind === 'symlink' && !linksMayLeadOut && leadsOut(member.name, target, links))
      refuse(member, `is a link to ${shown}, which is outside of the folder`);
  }
}

function nameProblem(name: string): string | undefined {
  if (name.includes('\0')) return 'has a NUL in its name';
  if (name.startsWith('/')) return 'has an absolute name';
  if (name.length > NAME_MAX) return `has a name of more than ${NAME_MAX} characters`;
  return name.split('/').includes('..') ? "has '..' in its name" : undefined;
}

function belowLink(name: string, links: Links): string | undefined {
  if (links.size === 0) return undefined;
  const above = foldersAbove(partsOf(name)).find((folder) => links.has(folder));
  return above === undefined
    ? undefined
    : `would be written through the link ${pyRepr(above)} of the archive`;
}

/**
 * Follows a link as the system would, on what the archive holds: a `..` behind another link goes up from where that
 * points to.
 */
function leadsOut(name: string, target: string, links: Links): boolean {
  const at = partsOf(name).slice(0, -1);
  const rest: string[] = [];
  /** @returns whether the path begins anew at the root, or cannot be followed */
  const goOn = (path: string): boolean => {
    if (path.startsWith('/') || path.includes('\0') || path.length > NAME_MAX) return true;
    rest.push(...path.split('/').reverse());
    return false;
  };
  if (goOn(target)) return true;
  for (let followed = 0; rest.length > 0;) {
    const part = rest.pop();
    if (part === undefined || part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return true;
      continue;
    }
    const next = links.get([...at, part].join('/'));
    if (next === undefined) at.push(part);
    else if (++followed > LINKS_MAX || goOn(next)) return true;
  }
  return false;
}

/**
 * Links that stand in the folder already must not lead members out of it.
 * @param replaced folders that are put in the place of a link that stands there, so that nothing goes through it
 * @param throughLast whether a file is written through a link of its own name, as `unzip` does
 * @throws UnsafeArchiveError
 */
export function checkStanding(
  archive: string,
  members: readonly ArchiveMember[],
  {
    folder,
    replaced,
    throughLast,
  }: { readonly folder: string; readonly replaced: ReadonlySet<string>; readonly throughLast: boolean },
): void {
  const root = realPath(folder);
  const inside = root === '/' ? root : `${root}/`;
  const seen = new Map<string, boolean>();
  const isOutside = (path: string): boolean => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const full = joinPath(folder, path);
    const outside = isLink(full) && !replaced.has(path) && !`${realPath(full)}/`.startsWith(inside);
    seen.set(path, outside);
    return outside;
  };
  for (const { name, kind, target } of members) {
    for (const path of kind === 'hardlink' ? [name, target ?? ''] : [name]) {
      const parts = partsOf(path);
      const last = throughLast && kind !== 'symlink' ? [parts.join('/')] : [];
      const link = [...foldersAbove(parts), ...last].find((each) => each !== '' && isOutside(each));
      if (link === undefined) continue;
      const place = realPath(joinPath(folder, link));
      throw new UnsafeArchiveError(
        archive,
        `its member ${pyRepr(name)} would be written to ${place}, outside of ${folder}, through the link ${pyRepr(link)} that stands there`,
      );
    }
  }
}
