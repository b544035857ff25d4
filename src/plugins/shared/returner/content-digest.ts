/** Short names for contents. */
import { createHash } from 'node:crypto';

/** 32 hexadecimal digits that stand for a content. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
