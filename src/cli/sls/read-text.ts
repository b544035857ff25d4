/** Reading the files of a check: regular ones of a bounded size, in UTF-8. */
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { decodeUtf8 } from '../../python/values/text.ts';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** The text of a file; undefined where there is none, and for what is larger, no file (a device, a pipe) or no text. */
export function readText(path: string): string | undefined {
  try {
    const facts = statSync(path);
    return facts.isFile() && facts.size <= FILE_BYTES_MAX ? decodeUtf8(readFileSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** Why {@link readText} has no text of a file that somebody has named. */
export function whyUnread(path: string): string {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return 'it is a folder';
    if (!facts.isFile()) return 'it is no regular file';
    if (facts.size > FILE_BYTES_MAX) return `it is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`;
    return decodeUtf8(readFileSync(path)) === undefined
      ? 'it is no text in UTF-8'
      : 'it has changed meanwhile';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
    return code === 'EACCES' ? 'this user may not read it' : messageOf(error);
  }
}
