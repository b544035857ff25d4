/** Reading the files of a check: regular ones of a bounded size, in UTF-8. */
import { readFileSync, statSync } from 'node:fs';
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
