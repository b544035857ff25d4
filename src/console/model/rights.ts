/**
 * What rules of `external_auth` say of functions of the master; whether one of them may be called is asked of the API.
 */

/**
 * Whether somebody may call some runner, or some wheel function.
 * @param rules in the forms of `external_auth`: `@runner`, `@wheel`, `@jobs`, `{'@runner': ['jobs.*']}`, and those of
 *   roles
 */
export function mayCallSome(kind: 'runner' | 'wheel', rules: readonly unknown[]): boolean {
  return rules.some((rule) => {
    const names =
      typeof rule === 'string' ? [rule] : typeof rule === 'object' && rule !== null ? Object.keys(rule) : [];
    return names.some((name) => isFor(kind, name));
  });
}

/** `@jobs` is for the module `jobs` of either kind. */
function isFor(kind: 'runner' | 'wheel', name: string): boolean {
  if (!name.startsWith('@')) return false;
  const other = kind === 'runner' ? /^@wheels?$/ : /^@runners?$/;
  return !other.test(name);
}
