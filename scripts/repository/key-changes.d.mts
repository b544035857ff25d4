/** Throws where the keys at hand are not those that the repository, or a step of a rotation, needs. */
export function checkKeys(
  current: readonly string[],
  given: readonly string[],
  change?: 'begin' | 'end',
): void;
