/**
 * A copy of a few bytes that are kept for long, in memory of their own. `Buffer.from` cuts small buffers out of blocks
 * of 8 KiB, between others that are forgotten at once, and one that is kept keeps its whole block: a master that holds
 * one key for each of a thousand minions held 8 MB for them.
 */
export function lastingCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
