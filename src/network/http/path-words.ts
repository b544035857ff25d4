/** Paths of services that are made of names: each name stays one word, whatever is in it. */
import { SaltInvocationError } from '../../errors/errors.ts';

/**
 * A path of names, each escaped.
 * @param kept characters that stay as they are, since the service reads them
 * @throws SaltInvocationError for names of dots alone, which would lead elsewhere even when they are escaped
 */
export function pathOf(words: readonly string[], kept = ''): string {
  return words.map((word) => escaped(word, kept)).join('/');
}

function escaped(word: string, kept: string): string {
  if (/^\.\.?$/.test(word))
    throw new SaltInvocationError(`A name in the address of a service cannot be '${word}'`);
  return [...word].map((char) => (kept.includes(char) ? char : encodeURIComponent(char))).join('');
}
