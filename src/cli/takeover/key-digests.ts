/** Digests of keys, to see whether they are as they were. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The digest of a key file; spaces around the key do not count. */
export function textDigest(path: string): string {
  return createHash('sha256').update(readFileSync(path, 'utf8').trim()).digest('hex');
}
