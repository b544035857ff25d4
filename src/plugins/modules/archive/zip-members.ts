/** The members of a zip archive, with where its links point to. */
import type { ArchiveMember } from './members.ts';
import { ZipError } from './zip-format.ts';
import type { ZipEntry, ZipReader } from './zip-reader.ts';

const TYPE = 0o170000;
const LINK = 0o120000;
const LINK_BYTES_MAX = 4096;

/** True for an entry that is a link. */
export const isZipLink = (entry: ZipEntry): boolean => (entry.mode & TYPE) === LINK;

/** Where a link points to, as bytes. @throws ZipError for one that is longer than any path */
export async function linkTargetOf(zip: ZipReader, entry: ZipEntry, password?: string): Promise<Buffer> {
  if (entry.sizeBytes > LINK_BYTES_MAX) throw new ZipError(`The link ${entry.name} is too long`);
  const pieces: Buffer[] = [];
  const secret = password === undefined ? undefined : Buffer.from(password);
  for await (const piece of zip.content(entry, secret)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @throws ZipError when a link cannot be read */
export async function zipMembers(zip: ZipReader, password: string | undefined): Promise<ArchiveMember[]> {
  const members: ArchiveMember[] = [];
  for (const entry of zip.entries) {
    const { fullName: name, sizeBytes } = entry;
    if (isZipLink(entry)) {
      const target = (await linkTargetOf(zip, entry, password)).toString();
      members.push({ name, kind: 'symlink', target, sizeBytes: 0 });
    } else members.push({ name, kind: name.endsWith('/') ? 'folder' : 'file', sizeBytes });
  }
  return members;
}
