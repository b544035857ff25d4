/** Comparing fingerprints of keys. */

/** Whether two fingerprints are the same, whatever their case and separators; a part of one is never enough. */
export function sameFingerprint(known: string, given: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^0-9a-f]/g, '');
  const wanted = plain(given);
  return wanted.length >= 32 && plain(known) === wanted;
}
