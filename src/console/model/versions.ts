/**
 * Which software a minion is, in a few words: Brine says its own version, and the grain `saltversion` of it is the Salt
 * that it follows.
 */
import type { Minion } from './contract.ts';

/** What of a minion says so. */
export type Versions = Pick<Minion, 'version' | 'brine_version'>;

/** The software with its version; empty while nothing is known of the minion. */
export function versionOf({ version, brine_version: own }: Versions): string {
  if (own !== null) return `Brine ${own}`;
  return version === null ? '' : `Salt ${version}`;
}

/** What is to be said beside it; nothing for a minion of Salt. */
export function versionNote({ version, brine_version: own }: Versions): string | undefined {
  return own === null || version === null ? undefined : `follows Salt ${version}`;
}
