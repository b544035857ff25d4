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

/**
 * The members by all names they have: one with a Unicode name besides stands here twice, because `unzip` unpacks it by
 * that.
 * @throws ZipError when a link cannot be read
 */
export async function zipMembers(zip: ZipReader, password: string | undefined): Promise<ArchiveMember[]> {
  const members: ArchiveMember[] = [];
  for (const entry of zip.entries) {
    const { fullName, unicodeName, sizeBytes } = entry;
    const names = unicodeName === undefined ? [fullName] : [fullName, unicodeName];
    if (isZipLink(entry)) {
      const target = (await linkTargetOf(zip, entry, password)).toString();
      for (const name of names) members.push({ name, kind: 'symlink', target, sizeBytes: 0 });
    } else
      for (const [at, name] of names.entries())
        members.push({
          name,
          kind: name.endsWith('/') ? 'folder' : 'file',
          sizeBytes: at === 0 ? sizeBytes : 0,
        });
  }
  return members;
}
