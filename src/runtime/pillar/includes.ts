/** What stands under `include` of a pillar file (3006.16 salt/pillar/__init__.py `render_pstate`). */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, isInt, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** One include. */
export interface PillarInclude {
  /** The name of the SLS; it may be relative and have wildcards. */
  readonly name: string;
  /** Variables of the included file. */
  readonly defaults: Dict;
  /** The key below which its values stand, levels by colons; undefined for the top. */
  readonly key: string | undefined;
}

const SETTINGS: readonly string[] = ['defaults', 'key'];

/**
 * Reads one item.
 * @param warn is told of a setting that Salt does not know, and ignores
 * @returns the include, or what is wrong with it: the rest of a sentence that begins with the list
 */
export function readPillarInclude(item: Value, warn: (text: string) => void): PillarInclude | string {
  if (!isDict(item)) return plain(item) ?? `has ${shown(item)} where the name of an SLS has to stand`;
  const [first, ...others] = item;
  if (first === undefined) return 'has an empty mapping where the name of an SLS has to stand';
  const include = plain(first[0]);
  if (include === undefined) return `has ${shown(first[0])} where the name of an SLS has to stand`;
  if (others.length > 0) return besides(include.name, others);
  return withSettings(include, first[1], warn);
}

function plain(name: Value): PillarInclude | undefined {
  if ((typeof name !== 'string' || name === '') && !isInt(name)) return undefined;
  return { name: pyStr(name), defaults: new Map(), key: undefined };
}

const shown = (value: Value): string => (value === null ? 'an empty item' : pyRepr(value));

/** What stands beside the name is nothing that could be meant there. */
function besides(name: string, others: readonly (readonly [Value, Value])[]): string {
  const [key, value] = others[0] ?? [null, null];
  const keys = others.map(([other]) => pyRepr(other)).join(' and ');
  if (others.every(([other]) => SETTINGS.includes(pyStr(other)))) {
    const setting = isDict(value) ? `${pyStr(key)}:` : `${pyStr(key)}: ${pyStr(value)}`;
    return (
      `has ${keys} beside the include of '${name}' and not below it: ` +
      `indent '${setting}' further than '${name}:'`
    );
  }
  return `has ${keys} beside the include of '${name}': each include is an item of its own`;
}

function withSettings(
  include: PillarInclude,
  settings: Value,
  warn: (text: string) => void,
): PillarInclude | string {
  const { name } = include;
  if (settings === null) return include;
  if (!isDict(settings))
    return `has a ${pyTypeName(settings)} below the include of '${name}', where only a mapping of 'key' and 'defaults' can stand`;
  const defaults = settings.get('defaults') ?? null;
  const key = settings.get('key') ?? null;
  for (const setting of settings.keys())
    if (!SETTINGS.includes(pyStr(setting)))
      warn(
        `has ${pyRepr(setting)} below the include of '${name}', which has no effect.${didYouMean(pyStr(setting), SETTINGS)}`,
      );
  if (defaults !== null && !isDict(defaults))
    return `has a ${pyTypeName(defaults)} as 'defaults' of the include of '${name}', which has to be a mapping of variables`;
  if (truthy(key) && typeof key !== 'string')
    return `has ${pyRepr(key)} as 'key' of the include of '${name}', which has to be a text: quote it`;
  return {
    name,
    defaults: isDict(defaults) ? defaults : new Map(),
    key: typeof key === 'string' && key !== '' ? key : undefined,
  };
}
