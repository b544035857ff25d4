/** What kinds of sets of addresses there are, and their options (3006.16 salt/modules/ipset.py). */

const EXTENSIONS = ['timeout', 'counters', 'comment', 'skbinfo'] as const;
const HASHED = ['hashsize', 'maxelem', ...EXTENSIONS] as const;
const OF_NETWORKS = ['family', 'netmask', ...HASHED] as const;

/** Options of a new set by its type. */
const CREATE: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['bitmap:ip', ['range', 'netmask', ...EXTENSIONS]],
  ['bitmap:ip,mac', ['range', ...EXTENSIONS]],
  ['bitmap:port', ['range', ...EXTENSIONS]],
  ['hash:ip', OF_NETWORKS],
  ['hash:mac', HASHED],
  ['hash:net', OF_NETWORKS],
  ['hash:net,net', OF_NETWORKS],
  ['hash:net,port', OF_NETWORKS],
  ['hash:net,port,net', OF_NETWORKS],
  ['hash:ip,port,ip', OF_NETWORKS],
  ['hash:ip,port,net', OF_NETWORKS],
  ['hash:ip,port', OF_NETWORKS],
  ['hash:ip,mark', ['family', 'markmask', ...HASHED]],
  ['hash:net,iface', OF_NETWORKS],
  ['list:set', ['size', 'timeout', 'counters', 'comment']],
]);

/** Options that stand alone. */
export const WITHOUT_VALUE: ReadonlySet<string> = new Set(['comment', 'counters', 'skbinfo', 'nomatch']);

/** The options of a new set of a type; undefined for a type that there is not. */
export function createOptions(type: string): readonly string[] | undefined {
  return CREATE.get(type);
}

/** The options without which there is no set of a type. */
export function requiredOptions(type: string): readonly string[] {
  return type.startsWith('bitmap:') ? ['range'] : [];
}

/** The options of an entry of a set. */
export function entryOptions(type: string): readonly string[] {
  const all = ['timeout', 'packets', 'bytes', 'skbmark', 'skbprio'];
  if (type !== 'bitmap:port') all.push('skbqueue');
  if (/^hash:.*net|^hash:ip,port$/.test(type)) all.push('nomatch');
  return all;
}
