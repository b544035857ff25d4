/** What a minion's configuration names and that can be nothing: each is said once at the start. */
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';

/** Pairs of digits in a fingerprint. */
const FINGER_BYTES: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha224', 28],
  ['sha256', 32],
  ['sha384', 48],
  ['sha512', 64],
]);

/** Says of a fingerprint that no key can have that it keeps every master out. */
export function sayImpossibleFinger(opts: MinionOptions, log: Logger): void {
  const finger = opts.raw('master_finger') ?? null;
  if (!truthy(finger)) return;
  const bytes = FINGER_BYTES.get(opts.get('hash_type')) ?? 32;
  if (new RegExp(`^[0-9a-f]{2}(?::[0-9a-f]{2}){${bytes - 1}}$`).test(pyStr(finger))) return;
  log.warning(
    `master_finger is ${pyStr(finger)}, which is the fingerprint of no key, so no master will be trusted: with hash_type ` +
      `${opts.get('hash_type')} it is ${bytes} pairs of digits and small letters between colons, as salt-key -f master.pub ` +
      `on the master prints it. Correct master_finger in ${opts.get('conf_file')}.`,
  );
}
