/**
 * Looking into an archive before it is unpacked: `archive.*` and `archive.extracted` do so before they touch anything.
 */
import { lstatSync, statfsSync } from 'node:fs';
import { dirName, isFile, joinPath, pathExists } from '../../../python/paths.ts';
import { runProcess } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import { toNumber, truthy, type Dict } from '../../../python/values/value.ts';
import { checkMembers, checkStanding, UnsafeArchiveError, type ArchiveMember } from './members.ts';
import { readRarList } from './rar-list.ts';
import { LIST_BYTES_MAX, listTar, listTarLike, renamingWords, type TarListing } from './tar-list.ts';
import { ZipReader } from './zip-reader.ts';
import { zipMembers } from './zip-members.ts';

/** What an archive may be: the minion's options `archive_*`. */
export interface ArchiveLimits {
  readonly membersMax: number;
  /** Undefined: as much as there is room for where it is unpacked. */
  readonly unpackedBytesMax: number | undefined;
  readonly linksMayLeadOut: boolean;
}

const MEMBERS_MAX = 1_000_000;

/** The limits of this minion. */
export function archiveLimits(opts: Dict): ArchiveLimits {
  return {
    membersMax: toNumber(opts.get('archive_members_max') ?? null) ?? MEMBERS_MAX,
    unpackedBytesMax: toNumber(opts.get('archive_unpacked_bytes_max') ?? null),
    linksMayLeadOut: truthy(opts.get('archive_links_outside') ?? false),
  };
}

/** What is to be unpacked where. */
export interface Unpacked {
  readonly path: string;
  readonly folder: string;
  readonly limits: ArchiveLimits;
  /** Names of folders that replace links of their name. */
  readonly replaced?: ReadonlySet<string>;
  /** What is in the folder goes first, so that its room is free. */
  readonly cleans?: boolean;
}

/**
 * A tar archive.
 * @param words options of `tar` to unpack with; the archive is not among them
 * @throws UnsafeArchiveError
 */
export async function inspectTar(unpacked: Unpacked, words: readonly string[] = []): Promise<void> {
  // what is not there, the program says itself
  if (!isFile(unpacked.path)) return;
  const renaming = renamingWords(words);
  let plain = await listTar(unpacked.path);
  if (plain.members === undefined && words.length > 0) plain = await listTarLike([...words, unpacked.path]);
  inspect(unpacked, listed(unpacked, plain), false);
  if (renaming.length === 0) return;
  const renamed = await listTar(unpacked.path, renaming);
  inspect(unpacked, listed(unpacked, renamed), false);
}

function listed({ path }: Unpacked, listing: TarListing): readonly ArchiveMember[] {
  if (listing.members !== undefined) return listing.members;
  throw new UnsafeArchiveError(path, `its members could not be looked at first: ${listing.problem}`);
}

/** A zip archive. @throws UnsafeArchiveError, ZipError for one that cannot be read, the system's error */
export async function inspectZip(unpacked: Unpacked, password: string | undefined): Promise<void> {
  const zip = new ZipReader(unpacked.path);
  try {
    checkCount(unpacked, zip.entries.length);
    inspect(unpacked, await zipMembers(zip, password), true);
  } finally {
    zip.close();
  }
}

/** A rar archive, by whichever of `unrar` and `rar` is there. @throws UnsafeArchiveError */
export async function inspectRar(unpacked: Unpacked): Promise<void> {
  const program = findProgram('unrar') ?? findProgram('rar');
  if (program === undefined || !isFile(unpacked.path)) return;
  const { retcode, stdout, stderr } = await runProcess([program, 'lt', '--', unpacked.path], {
    outputLimitBytes: LIST_BYTES_MAX,
  });
  const members = retcode === 0 ? readRarList(stdout.toString()) : [];
  if (members.length === 0)
    throw new UnsafeArchiveError(
      unpacked.path,
      `its members could not be looked at first: ${program} lt said ${stderr.toString().trim() || 'nothing'}`,
    );
  inspect(unpacked, members, true);
}

function inspect(unpacked: Unpacked, members: readonly ArchiveMember[], throughLast: boolean): void {
  const { path, folder, limits, replaced = new Set() } = unpacked;
  checkCount(unpacked, members.length);
  checkMembers(path, members, limits.linksMayLeadOut);
  checkStanding(path, members, { folder, replaced, throughLast });
  checkSize(unpacked, members);
}

function checkCount({ path, limits }: Unpacked, count: number): void {
  if (count <= limits.membersMax) return;
  throw new UnsafeArchiveError(
    path,
    `it has ${count} members, more than ${limits.membersMax} (the minion's option archive_members_max)`,
  );
}

function checkSize(unpacked: Unpacked, members: readonly ArchiveMember[]): void {
  const { path, folder, limits } = unpacked;
  const sizeBytes = members.reduce((sum, member) => sum + member.sizeBytes, 0);
  const { unpackedBytesMax } = limits;
  if (unpackedBytesMax !== undefined) {
    if (sizeBytes <= unpackedBytesMax) return;
    throw new UnsafeArchiveError(
      path,
      `it would unpack to ${sizeBytes} bytes, more than ${unpackedBytesMax} (the minion's option archive_unpacked_bytes_max)`,
    );
  }
  const roomBytes = roomAt(unpacked, members, sizeBytes);
  if (roomBytes === undefined || sizeBytes <= roomBytes) return;
  throw new UnsafeArchiveError(
    path,
    `it would unpack to ${sizeBytes} bytes, and there is room for ${roomBytes} in ${folder} (the minion's option ` +
      'archive_unpacked_bytes_max sets another limit)',
  );
}

/** The free bytes where an archive is unpacked, with those of files that it replaces. */
function roomAt(
  { folder, cleans = false }: Unpacked,
  members: readonly ArchiveMember[],
  sizeBytes: number,
): number | undefined {
  let above = folder;
  while (!pathExists(above) && above !== '/' && above !== '') above = dirName(above.replace(/\/+$/, ''));
  try {
    const { bavail, blocks, bsize } = statfsSync(above === '' ? '.' : above);
    // what is going to be removed was not measured: more than the whole does not fit in any case
    if (cleans) return blocks * bsize;
    const freeBytes = bavail * bsize;
    if (sizeBytes <= freeBytes) return freeBytes;
    return members.reduce(
      (sum, { name, kind }) => sum + (kind === 'file' ? standing(joinPath(folder, name)) : 0),
      freeBytes,
    );
  } catch {
    return undefined;
  }
}

function standing(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}
