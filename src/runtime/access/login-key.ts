/** Under which name the log-ins of somebody are counted, wherever they are counted. */

const EAUTH_CHARACTERS_MAX = 64;
const NAME_CHARACTERS_MAX = 1024;

/**
 * Directories take a name in capitals and small letters, with other spaces, or in other forms of the same letters for
 * one, so that all of them count together.
 * @param eauth the system of external authentication
 */
export function loginKey(eauth: string, name: string): string {
  const plain = name.slice(0, NAME_CHARACTERS_MAX).normalize('NFKC').toLowerCase().trim();
  return `${eauth.slice(0, EAUTH_CHARACTERS_MAX)} ${plain.replace(/\s+/g, ' ')}`;
}
