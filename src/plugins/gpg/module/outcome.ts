/** What the status lines of gpg mean, as python-gnupg reads them. */
import type { GpgStatus } from '../../../host/gpg.ts';

const TRUST_LEVELS: ReadonlyMap<string, string> = new Map([
  ['TRUST_UNDEFINED', 'Undefined'],
  ['TRUST_NEVER', 'Never'],
  ['TRUST_MARGINAL', 'Marginal'],
  ['TRUST_FULLY', 'Fully'],
  ['TRUST_ULTIMATE', 'Ultimate'],
]);

/** Keywords that a program says, and what is made of them. */
const OF_SIGNATURES: ReadonlyMap<string, string> = new Map([
  ['BADSIG', 'signature bad'],
  ['ERRSIG', 'signature error'],
  ['EXPSIG', 'signature expired'],
  ['GOODSIG', 'signature good'],
  ['VALIDSIG', 'signature valid'],
  ['NO_PUBKEY', 'no public key'],
  ['NO_SECKEY', 'no secret key'],
  ['EXPKEYSIG', 'signing key has expired'],
  ['REVKEYSIG', 'signing key was revoked'],
  ['UNEXPECTED', 'unexpected data'],
]);
const OF_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['NEED_PASSPHRASE', 'need passphrase'],
  ['BAD_PASSPHRASE', 'bad passphrase'],
  ['GOOD_PASSPHRASE', 'good passphrase'],
  ['MISSING_PASSPHRASE', 'missing passphrase'],
  ['KEY_NOT_CREATED', 'key not created'],
  ['NEED_PASSPHRASE_PIN', 'need passphrase pin'],
  ['NEED_PASSPHRASE_SYM', 'need symmetric passphrase'],
  ['BEGIN_ENCRYPTION', 'encryption incomplete'],
  ['DECRYPTION_OKAY', 'decryption ok'],
  ['END_ENCRYPTION', 'encryption ok'],
  ['INV_RECP', 'invalid recipient'],
  ['KEYEXPIRED', 'key expired'],
  ['SIG_CREATED', 'sig created'],
  ['SIGEXPIRED', 'sig expired'],
]);
/** What is said only where it does not hide that the secret key is missing. */
const OF_DECRYPTION: ReadonlyMap<string, string> = new Map([
  ['DECRYPTION_FAILED', 'decryption failed'],
  ['BEGIN_DECRYPTION', 'decryption incomplete'],
]);
const SYSTEM_ERRORS: ReadonlyMap<number, string> = new Map([
  [1, 'permission denied'],
  [35, 'file exists'],
  [81, 'file not found'],
  [97, 'not a directory'],
]);
const GPG_ERRORS: ReadonlyMap<number, string> = new Map([[11, 'incorrect passphrase']]);
const SYSTEM_ERROR_BIT = 0x8000;
/** Where python-gnupg finds the keys that were not imported among the counts. */
const NOT_IMPORTED = 12;
/** Signatures that are worth nothing, whatever is said of their keys. */
const WORTHLESS: ReadonlySet<string> = new Set(['BADSIG', 'ERRSIG', 'REVKEYSIG']);

/** What a check of a signature found. */
export interface Verified {
  /** Undefined where the signature could not be verified. */
  readonly trustLevel: string | undefined;
  readonly username: string | null;
  readonly keyId: string | null;
}

/**
 * A check of a signature. Salt compat: Salt takes a message for verified where one of its signatures has a key that is
 * known; here none of them may be bad, nor made by a key that was revoked.
 */
export function verifiedBy(statuses: readonly GpgStatus[]): Verified {
  let trustLevel: string | undefined;
  let username: string | null = null;
  let keyId: string | null = null;
  for (const { keyword, value } of statuses) {
    const [first = '', ...rest] = value.split(' ');
    trustLevel = TRUST_LEVELS.get(keyword) ?? trustLevel;
    if (['BADSIG', 'EXPSIG', 'GOODSIG'].includes(keyword)) [keyId, username] = [first, rest.join(' ')];
    else if (['ERRSIG', 'EXPKEYSIG', 'REVKEYSIG'].includes(keyword)) keyId = first;
    else if (['NO_PUBKEY', 'NO_SECKEY', 'DECRYPTION_FAILED'].includes(keyword)) keyId = value;
  }
  const isWorthless = statuses.some(({ keyword }) => WORTHLESS.has(keyword));
  return { trustLevel: isWorthless ? undefined : trustLevel, username, keyId };
}

/** Whether something was encrypted or decrypted, and how far it came. */
export function cryptedBy(statuses: readonly GpgStatus[]): {
  readonly isOk: boolean;
  readonly status: string;
} {
  let status = '';
  let isOk = false;
  for (const { keyword, value } of statuses) {
    const guarded = OF_DECRYPTION.get(keyword);
    if (keyword === 'DECRYPTION_OKAY' || keyword === 'END_ENCRYPTION') isOk = true;
    if (keyword === 'NODATA') status = status === 'decryption failed' ? status : 'no data was provided';
    else if (guarded !== undefined) status = status === 'no secret key' ? status : guarded;
    else if (keyword === 'FAILURE') status = status === '' ? failureText(value) : status;
    else status = OF_MESSAGES.get(keyword) ?? OF_SIGNATURES.get(keyword) ?? status;
  }
  return { isOk, status };
}

function failureText(value: string): string {
  const [, operation = '', digits] = /^(.*) (\d+)$/.exec(value) ?? [];
  if (digits === undefined) return `error - ${value}`;
  const code = Number(BigInt(digits) & 0xffffffn);
  const known = (code & SYSTEM_ERROR_BIT) === 0 ? GPG_ERRORS : SYSTEM_ERRORS;
  const message = known.get(code & (SYSTEM_ERROR_BIT - 1));
  return message === undefined ? `error - ${value}` : `${operation}: ${message}`;
}

/** How many keys were looked at and imported. */
export interface Imported {
  readonly count: number;
  readonly imported: number;
  readonly unchanged: number;
  readonly notImported: number;
}

/** The counts of an import. */
export function importedBy(statuses: readonly GpgStatus[]): Imported {
  const counts =
    statuses
      .findLast(({ keyword }) => keyword === 'IMPORT_RES')
      ?.value.split(' ')
      .map(Number) ?? [];
  const [count = 0, , imported = 0, rsa = 0, unchanged = 0] = counts;
  return { count, imported: imported + rsa, unchanged, notImported: counts[NOT_IMPORTED] ?? 0 };
}

/** A key of a keyserver, as gpg has taken it. */
export interface ReceivedKey {
  /** What is new of it; undefined where it could not be had. */
  readonly reason: string | undefined;
  readonly fingerprint: string;
}

/** What a keyserver has given, a line for each key; problems as undefined. */
export function receivedBy(statuses: readonly GpgStatus[]): ReceivedKey[] {
  return statuses.flatMap(({ keyword, value }): ReceivedKey[] => {
    const [reason = '', fingerprint = ''] = value.split(' ');
    if (keyword === 'IMPORT_OK') return [{ reason, fingerprint }];
    const isProblem = ['NODATA', 'IMPORT_PROBLEM', 'KEYEXPIRED', 'SIGEXPIRED', 'FAILURE'].includes(keyword);
    return isProblem ? [{ reason: undefined, fingerprint }] : [];
  });
}

/** Whether keys were deleted. */
export const isDeletedBy = (statuses: readonly GpgStatus[]): boolean =>
  !statuses.some(({ keyword }) => keyword === 'DELETE_PROBLEM');

/** The fingerprint of a key that was made; empty where none was. */
export function createdBy(statuses: readonly GpgStatus[]): string {
  return statuses.findLast(({ keyword }) => keyword === 'KEY_CREATED')?.value.split(' ')[1] ?? '';
}
