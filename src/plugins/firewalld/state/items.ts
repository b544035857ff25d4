/** What a zone or a service is to hold, held against what it holds (3006.16 salt/states/firewalld.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, pyTypeName, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** One thing: a port, a source, a rule. */
export interface Item {
  /** What it is told from others by. */
  readonly key: string;
  /** As it is in the changes. */
  readonly shown: Value;
  /** As the execution functions take it. */
  readonly args: readonly Value[];
}

/** Things of one kind. */
export interface ItemOrder {
  /** What they are called in the changes. */
  readonly key: string;
  readonly wanted: readonly Item[];
  /** Whether those that are not wanted go. */
  readonly prune: boolean;
  readonly current: readonly Item[];
  add(item: Item): Promise<unknown>;
  remove(item: Item): Promise<unknown>;
}

const plainItem = (value: Value): Item => ({ key: pyStr(value), shown: value, args: [value] });

/** Reads an argument. @param parameter its name @throws SaltInvocationError for what is no list of texts */
export function itemsOf(parameter: string, value: Value, read: (value: Value) => Item = plainItem): Item[] {
  if (!truthy(value)) return [];
  if (!Array.isArray(value))
    throw new SaltInvocationError(`${parameter} is to be a list, not '${pyTypeName(value)}'`);
  return value.map((item) => {
    if (!Array.isArray(item) && !isDict(item) && item !== null) return read(item);
    throw new SaltInvocationError(`${parameter} is to be a list of texts, and has ${pyRepr(item)} in it`);
  });
}

/** Of a word `key=value`, whose value may be in quotes of either kind and then have blanks in it. */
const RULE_WORDS = /([\w-]+)=("[^"]*"|'[^']*'|\S+)|\S+/g;

/**
 * A rich rule as `firewall-cmd` prints it: values in double quotes, words with one blank between them.
 * Salt compat: 3006.16 compares the text, and adds a rule that is written otherwise at each run (61235).
 */
export function richRuleOf(value: Value): Item {
  const words = [...pyStr(value).matchAll(RULE_WORDS)].map(([word, key, given]) =>
    key === undefined || given === undefined ? word : `${key}="${unquoted(given)}"`,
  );
  return plainItem(words.join(' '));
}

const unquoted = (text: string): string => (/^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text);

/** Reads what a function of the module lists. */
export function listedItems(value: Value, read: (value: Value) => Item = plainItem): Item[] {
  return Array.isArray(value) ? value.map(read) : [];
}

function forward(src: string, dest: string, proto: string, address: string): Item {
  return {
    key: JSON.stringify([src, dest, proto, address]),
    shown: dict({
      'Source port': src,
      'Destination port': dest,
      Protocol: proto,
      'Destination address': address,
    }),
    args: [src, dest, proto, address],
  };
}

/** Reads `from:to:protocol[:address]`. Salt compat: an address of IPv6 keeps its colons. @throws SaltInvocationError */
export function forwardOf(value: Value): Item {
  const [src, dest, proto, ...address] = pyStr(value).split(':');
  if (src === undefined || dest === undefined || proto === undefined)
    throw new SaltInvocationError(`port_fwd is to be 'from:to:protocol[:address]', not ${pyRepr(value)}`);
  return forward(src, dest, proto, address.join(':'));
}

/** Reads what `firewalld.list_port_fwd` returns. */
export function currentForward(value: Value): Item {
  const field = (name: string): string => pyStr(isDict(value) ? (value.get(name) ?? '') : '');
  return forward(
    field('Source port'),
    field('Destination port'),
    field('Protocol'),
    field('Destination address'),
  );
}

/** Adds what is missing, removes what is not to be there, and notes both. @param isTest only note it */
export async function settle(changes: Dict, isTest: boolean, order: ItemOrder): Promise<void> {
  const { key, wanted, prune, current, add, remove } = order;
  const [wantedKeys, currentKeys] = [wanted, current].map((items) => new Set(items.map((item) => item.key)));
  const missing = [...new Map(wanted.map((item) => [item.key, item])).values()].filter(
    (item) => currentKeys?.has(item.key) !== true,
  );
  const surplus = prune ? current.filter((item) => wantedKeys?.has(item.key) !== true) : [];
  if (!isTest) {
    for (const item of missing) await add(item);
    for (const item of surplus) await remove(item);
  }
  if (missing.length + surplus.length === 0) return;
  const after = prune ? wanted : [...current, ...missing];
  changes.set(key, dict({ old: current.map(({ shown }) => shown), new: after.map(({ shown }) => shown) }));
}
