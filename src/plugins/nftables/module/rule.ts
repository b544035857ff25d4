/** A rule of nftables out of keywords, and finding one in a chain (3006.16 salt/modules/nftables.py `build_rule`). */
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { INTERNAL_KEYWORDS } from '../../../runtime/state/keywords.ts';

/** What a state hands on and no rule has. */
const NOT_OF_A_RULE = ['name', 'state', 'chain', 'save', 'table'];
/** What has no words of its own in a rule, or belongs to the state. */
const WITHOUT_WORDS = ['match', 'proto', 'position', 'save_filename'];

/** A rule, and the keywords that have found no place in it. */
export interface BuiltRule {
  readonly rule: string;
  readonly unused: readonly string[];
}

/** Numbers of ports as nft orders them; names stay in their order. */
function portList(given: Value): string {
  const ports = (Array.isArray(given) ? given.map(pyStr) : pyStr(given).split(',')).map((port) =>
    port.trim(),
  );
  if (!ports.every((port) => /^\d+$/.test(port))) return ports.join(', ');
  return ports
    .map(Number)
    .sort((a, b) => b - a)
    .join(', ');
}

const portRange = (given: Value): string => pyStr(given).replaceAll(':', '-');

/** The parts of a rule in their order: the keywords that make one, the first that is true of them counts. */
function parts(family: string): readonly (readonly [string[], (value: Value) => string])[] {
  const set =
    (words: string) =>
    (value: Value): string =>
      `${words} { ${pyStr(value)} }`;
  const plain =
    (words: string) =>
    (value: Value): string =>
      `${words} ${pyStr(value)}`.trim();
  return [
    [['if'], plain('meta iifname')],
    [['of'], plain('meta oifname')],
    [['connstate'], set('ct state')],
    [['icmp-type'], set('icmp type')],
    [['pkttype'], set('meta pkttype')],
    [['counter'], () => 'counter'],
    [['saddr', 'source'], plain(`${family} saddr`)],
    [['daddr', 'destination'], plain(`${family} daddr`)],
    [['dport'], (value) => `dport { ${portRange(value)} }`],
    [['sport'], (value) => `sport { ${portRange(value)} }`],
    [['dports'], (value) => `dport { ${portList(value)} }`],
    [['sports'], (value) => `sport { ${portList(value)} }`],
    // a jump and what belongs to it stand at the end
    [['jump'], plain('')],
    [['j'], plain('')],
    [['redirect-to', 'to-port'], plain('redirect to')],
    [['to-ports'], plain('--to-ports')],
    [['to-source'], plain('')],
    [['to-destination'], plain('')],
    [['reject-with'], plain('reject with')],
  ];
}

/** Makes a rule. @param family as nft names it */
export function builtRule(family: string, keywords: Dict): BuiltRule {
  const left = new Map(keywords);
  if (left.has('target')) left.set('jump', left.get('target') ?? null);
  for (const key of ['target', ...INTERNAL_KEYWORDS, ...NOT_OF_A_RULE]) left.delete(key);
  const words: string[] = [];
  for (const [keys, text] of parts(family)) {
    const given = keys.filter((key) => left.has(key)).map((key) => left.get(key) ?? null);
    for (const key of keys) left.delete(key);
    if (given.length > 0) words.push(text(given.find(truthy) ?? given.at(-1) ?? null));
  }
  const protocol = keywords.has('proto') ? pyStr(keywords.get('proto') ?? null) : '';
  const rule = words
    .join(' ')
    .replaceAll('dport', `${protocol} dport`)
    .replaceAll('sport', `${protocol} sport`);
  for (const key of WITHOUT_WORDS) left.delete(key);
  const unused = [...left.keys()].map(pyStr).filter((key) => !key.startsWith('__'));
  return { rule: rule.trim(), unused };
}

/**
 * How nft would print a rule, as far as that can be said without it: sets in order, one element without braces, no
 * quotes.
 */
function normalized(rule: string): string {
  const inOrder = (list: string): string =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .sort()
      .join(',');
  return rule
    .replaceAll('"', '')
    .replace(/\bmeta (?=[io]ifname\b)/g, '')
    .replace(/\bcounter packets \d+ bytes \d+/g, 'counter')
    .replace(/\{([^{}]*)\}/g, (_, list: string) => inOrder(list))
    .replace(/\S+,\s*\S+/g, inOrder)
    .replace(/\s+/g, ' ')
    .trim();
}

const HANDLE = / # handle (\d+)$/;

/**
 * The handle of a rule.
 * @param rule as it was given
 * @param text the chain as nft lists it with handles
 * @param isExact whether it has to stand there letter by letter, as Salt has it
 */
export function handleIn(rule: string, text: string, isExact: boolean): string | undefined {
  for (const line of text.split(/\n+/)) {
    const handle = HANDLE.exec(line)?.[1];
    if (handle === undefined) continue;
    const listed = line.replace(HANDLE, '').trim();
    if (isExact ? listed.endsWith(rule.trim()) : normalized(listed) === normalized(rule)) return handle;
  }
  return undefined;
}
