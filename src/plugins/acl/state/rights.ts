/** Rights of an entry of an access control list, as setfacl takes them. */

const OCTAL: ReadonlyMap<string, number> = new Map([
  ['r', 4],
  ['w', 2],
  ['x', 1],
]);

/** Whether setfacl takes a text for rights: letters in any order, none of them twice, or one octal digit. */
export function isRights(perms: string): boolean {
  return /^0*[0-7]$/.test(perms) || (/^[rwxX-]+$/.test(perms) && !/([rwxX]).*\1/.test(perms));
}

/**
 * Rights as one octal digit.
 * @param isExecuted whether `X` means `x`: on a folder, and on a file that somebody may execute
 */
export function octalOf(perms: string, isExecuted: boolean): number {
  if (/^\d+$/.test(perms)) return Number(perms);
  const letters = new Set(isExecuted ? perms.toLowerCase() : perms);
  return [...letters].reduce((sum, letter) => sum + (OCTAL.get(letter) ?? 0), 0);
}
