/**
 * `publisher_acl_blacklist`: users and functions that are refused whoever asks. Each entry is a glob or an anchored
 * regular expression (salt/acl/__init__.py, 3006.16). Salt asks it for jobs only; here its users are refused for
 * functions of the master, too.
 */
import { expressionMatch } from '../../python/text/expression-match.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';
import { functionsOf } from './local-rules.ts';

/** The option as it stands in the configuration. */
export type Blacklist = Value | undefined;

/** True when a user is refused whatever he asks. */
export function isUserBlacklisted(blacklist: Blacklist, user: string): boolean {
  return isListed(blacklist, 'users', [user]);
}

/**
 * True when one of a job's functions is refused to everybody. A function inside another counts, too; where it cannot be
 * told which that is, the job is refused as soon as there are blacklisted functions.
 */
export function areFunctionsBlacklisted(
  blacklist: Blacklist,
  funs: readonly string[],
  args: readonly Value[],
): boolean {
  if (isListed(blacklist, 'modules', funs)) return true;
  if (!isDict(blacklist) || !truthy(blacklist.get('modules') ?? null)) return false;
  return funs.some((fun, i) => {
    const inner = functionsOf(fun, args[i] ?? []);
    return inner === undefined || isListed(blacklist, 'modules', inner);
  });
}

function isListed(blacklist: Blacklist, key: string, texts: readonly string[]): boolean {
  const entries = isDict(blacklist) ? blacklist.get(key) : undefined;
  return (
    Array.isArray(entries) &&
    entries.some((entry) => texts.some((text) => expressionMatch(text, String(entry))))
  );
}
