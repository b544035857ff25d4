/** How extensions are written in SLS files: the texts of openssl's configuration, lists and mappings. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { der, derNamedBits } from './der.ts';
import { REASONS } from './extension-oids.ts';
import { generalName, pairOf, type NamePair } from './general-names.ts';
import { relativeDer, relativeOf } from './names.ts';

/** Python's `word in value`: a part of a text, an item of a list, a key of a mapping. */
export function mentions(value: Value, word: string): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.includes(word);
  return isDict(value) && value.has(word);
}

/** A text of openssl's configuration taken apart: `critical, CA:true, pathlen:1`. */
function confPairs(text: string): { pairs: [string, string][]; critical: boolean } {
  const critical = text.startsWith('critical');
  const rest = critical
    ? text
        .slice(8)
        .replace(/^,+|,+$/g, '')
        .trim()
    : text;
  const pairs = rest.split(',').map((item): [string, string] => {
    const trimmed = item.trim();
    if (!trimmed.includes(':')) return [trimmed, '__present__'];
    const [key, value] = pairOf(trimmed);
    return [key.trim(), value.trim()];
  });
  return { pairs, critical };
}

/** The same as a mapping. */
export function confDict(text: string): { values: Dict; critical: boolean } {
  const { pairs, critical } = confPairs(text);
  return { values: new Map<Value, Value>(pairs), critical };
}

/** The names of a text, a list of texts and mappings, or a mapping. */
export function namePairs(given: Value): { pairs: NamePair[]; critical: boolean } {
  if (typeof given === 'string') return confPairs(given);
  const critical = mentions(given, 'critical');
  if (isDict(given)) return { pairs: [...given].filter(([key]) => key !== 'critical'), critical };
  const pairs = (Array.isArray(given) ? given : []).flatMap((item): NamePair[] => {
    if (isDict(item)) return [...item];
    if (typeof item !== 'string' || !item.includes(':')) return [];
    const [key, value] = pairOf(item);
    return [[key.trim(), value.trim()]];
  });
  return { pairs, critical };
}

/** The names of a list of texts such as `uri:http://…`, or of one. */
function namesOf(given: Value | undefined): Buffer[] {
  if (!truthy(given)) return [];
  const list = Array.isArray(given) ? given : [given ?? ''];
  return list.map((item) => generalName(pairOf(pyStr(item))));
}

/** The bits of reasons. @throws SaltInvocationError for a reason that there is not */
export function reasonBits(given: Value | undefined, tag: number): Buffer[] {
  if (!truthy(given) || !Array.isArray(given)) return [];
  const bits: boolean[] = Array.from({ length: 9 }, () => false);
  for (const reason of given) {
    const found = REASONS.find(([name]) => name === pyStr(reason));
    if (found === undefined) throw new SaltInvocationError(`'${pyStr(reason)}' is not a valid ReasonFlags`);
    if (found[2] === undefined)
      throw new SaltInvocationError(
        'unspecified and remove_from_crl are not valid reasons in a DistributionPoint',
      );
    bits[found[2]] = true;
  }
  return [derNamedBits(bits, tag)];
}

/** The name of a distribution point: full ones, or one relative to the issuer. */
export function pointName(given: Dict): Buffer[] {
  const full = namesOf(given.get('fullname'));
  const relative = given.get('relativename');
  if (full.length > 0 && truthy(relative))
    throw new SaltInvocationError(
      'You cannot provide both full_name and relative_name, at least one must be None.',
    );
  if (full.length > 0) return [der(0xa0, der(0xa0, ...full))];
  if (!truthy(relative)) return [];
  const set = relativeDer(relativeOf(relative ?? ''));
  return [der(0xa0, der(0xa1, set.subarray(set.length - contentLength(set))))];
}

/** How long the content of a value is: the relative name stands under a tag of its own. */
function contentLength(whole: Buffer): number {
  const first = whole[1] ?? 0;
  return whole.length - (first < 0x80 ? 2 : 2 + (first & 0x7f));
}

/** The issuers of revocations of a distribution point. */
export const issuersOf = (given: Dict): Buffer[] => {
  const names = namesOf(given.get('crlissuer'));
  return names.length === 0 ? [] : [der(0xa2, ...names)];
};

/** Python's `int(text)` of a field. @throws SaltInvocationError naming it */
export function numberOf(given: Value, what: string): bigint {
  if (/^\s*[+-]?\d+\s*$/.test(pyStr(given))) return BigInt(pyStr(given).trim());
  throw new SaltInvocationError(`${what} must be an integer, not ${pyStr(given)}`);
}

/** One name for extensions that have but one place. @throws CommandExecutionError */
export function oneName(text: Value): Buffer {
  const given = pyStr(text);
  if (!given.includes(':')) throw new CommandExecutionError(`GeneralName ${given} has no type: URI:${given}`);
  return generalName(pairOf(given));
}
