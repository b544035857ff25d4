/** "Did you mean" below what a program has said in Salt's words. */
import { closestNames, editDistance } from '../../errors/did-you-mean.ts';

/** Names given as the nearest, at most. */
const NAMES_MAX = 3;

/**
 * A line for a name that nobody knows; undefined when nothing is near.
 * @param known names that would have been right
 */
export function hintAmong(typed: string, known: Iterable<string>): string | undefined {
  const near = closestNames(typed, known, NAMES_MAX);
  const distance = (name: string): number => editDistance(typed.toLowerCase(), name.toLowerCase());
  const best = Math.min(...near.map(distance));
  // names that are further away than the nearest only distract
  const others = near.filter((name) => name !== typed && distance(name) === best).map((name) => `'${name}'`);
  if (others.length === 0) return undefined;
  return `Hint: there is no '${typed}'. Did you mean ${others.join(' or ')}?`;
}
