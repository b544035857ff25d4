/**
 * Options that a job brings for its returners, `--return_kwargs` and the field `return_kwargs` of a schedule: which of
 * them nobody reads. Returners pass over what they do not know.
 */
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, pyTypeName, truthy, type Value } from '../python/values/value.ts';
import { RETURNER_PREFIXES, RETURNER_SETTINGS } from './returner-settings.generated.ts';

/** The options of a returner of Brine's by its name; undefined for one that a site has added. */
export function settingsOfReturner(name: string): readonly string[] | undefined {
  return RETURNER_SETTINGS.get(RETURNER_PREFIXES.get(name) ?? name);
}

/**
 * A sentence for each option that none of the returners reads, with the one that may have been meant.
 * @param where how the options are called where they stand: `--return_kwargs`
 * @param returners the names, each with its options; one whose options nobody knows may read anything
 */
export function unreadReturnerKwargs(
  where: string,
  kwargs: Value,
  returners: ReadonlyMap<string, readonly string[] | undefined>,
): string[] {
  if (!truthy(kwargs) || returners.size === 0) return [];
  const names = [...returners.keys()].join(', ');
  if (!isDict(kwargs))
    return [`${where} must be a mapping, not ${pyTypeName(kwargs)}; ${names} gets none of it.`];
  const all = [...returners.values()];
  const known = all.flatMap((settings) => settings ?? []);
  if (all.includes(undefined)) return [];
  const whoever = returners.size === 1 ? `the returner ${names} does not read` : `none of ${names} reads`;
  return [...kwargs.keys()]
    .map(pyStr)
    .filter((key) => !known.some((setting) => setting === key || withoutGroup(setting) === key))
    .map((key) => `${where} has ${key}, which ${whoever}; it has no effect.${hintFor(key, known)}`);
}

/** `cluster.startup_nodes` of redis is `startup_nodes` here. */
function withoutGroup(setting: string): string {
  return setting.slice(setting.indexOf('.') + 1);
}

/** An option written as in the configuration, `smtp.from`, has its own name behind the dot. */
function hintFor(key: string, known: readonly string[]): string {
  const bare = known.find((setting) => key.endsWith(`.${setting}`));
  return bare === undefined ? didYouMean(key, known, 1) : ` Did you mean '${bare}'?`;
}
