// Which keys a repository is signed with, and how they change: with an overlap in which it is signed with both, so that
// machines that know either of them believe it.

/**
 * Holds the keys that somebody has against those that the repository carries.
 * @param current fingerprints in the repository; none for a new one
 * @param given fingerprints of the private keys at hand
 * @param change `begin` or `end` of a rotation, or nothing
 * @throws Error that says which keys are missing, or which step comes first
 */
export function checkKeys(current, given, change) {
  const missing = current.filter((each) => !given.includes(each));
  const further = given.filter((each) => !current.includes(each));
  if (change !== undefined && current.length === 0)
    throw new Error('There is no rotation of keys in a repository that is not there yet.');
  if (change === 'begin') {
    if (missing.length > 0)
      throw new Error(`A rotation begins with the key that goes as well: --key for ${missing.join(', ')}.`);
    if (further.length === 0)
      throw new Error('A rotation begins with a key that comes: name it with a further --key, or --new-key.');
    return;
  }
  if (change === 'end') {
    if (further.length > 0)
      throw new Error(
        `${further.join(', ')} is not among the keys of the repository: a rotation to it begins with --begin-rotation.`,
      );
    if (missing.length === 0)
      throw new Error(
        'A rotation ends with the keys that stay alone: name those, and not the one that goes. Each key of the repository was named.',
      );
    return;
  }
  if (current.length === 0) return;
  if (further.length > 0)
    throw new Error(
      `The repository is signed with ${current.join(' and ')}, which machines know, and not with ${further.join(', ')}. To go over to another key, begin with --begin-rotation.`,
    );
  if (missing.length > 0)
    throw new Error(
      `The repository is signed with ${current.join(' and ')}, since the key is being changed: name --key for ${missing.join(', ')} too, or end the rotation with --end-rotation.`,
    );
}
