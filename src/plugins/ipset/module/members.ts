/** Entries of sets of addresses, and which stands for which (3006.16 salt/modules/ipset.py). */
import {
  addressNumber,
  broadcastAddress,
  ipNetwork,
  parseIpAddress,
  type IpAddress,
} from '../../../python/ipaddress.ts';

/** Addresses from one to another. */
interface Span {
  readonly kind: 'address' | 'network' | 'range';
  readonly family: 4 | 6;
  readonly from: bigint;
  readonly to: bigint;
}

type Part = Span | string;

/** The address of an entry, and what is said of it besides: `timeout 5 comment "x"`. */
export interface Entry {
  readonly address: string;
  readonly options: string;
}

/** Takes an entry apart. */
export function entryOf(text: string): Entry {
  const at = text.indexOf(' ');
  if (at < 0) return { address: text, options: '' };
  return { address: text.slice(0, at), options: text.slice(at + 1).trim() };
}

/**
 * The options of an entry as words: a comment is one word, without its quotes, and stands last unless it has quotes.
 */
export function optionWords(options: string): string[] {
  const words: string[] = [];
  let rest = options.trim();
  while (rest !== '') {
    const quoted = /^comment\s+"([^"]*)"\s*/.exec(rest);
    const bare = /^comment\s+(.*)$/s.exec(rest);
    const comment = quoted ?? bare;
    if (comment !== null) {
      words.push('comment', comment[1] ?? '');
      rest = rest.slice(comment[0].length);
      continue;
    }
    const [word = ''] = rest.split(/\s+/, 1);
    words.push(word);
    rest = rest.slice(word.length).trim();
  }
  return words;
}

function span(from: IpAddress, to: IpAddress, kind: Span['kind']): Span {
  return { kind, family: from.family, from: addressNumber(from), to: addressNumber(to) };
}

function networkSpan(text: string): Part {
  try {
    const network = ipNetwork(text, false);
    return span(network.address, broadcastAddress(network), 'network');
  } catch {
    return text;
  }
}

function isBlock(from: bigint, to: bigint): boolean {
  const size = to - from + 1n;
  return (size & (size - 1n)) === 0n && from % size === 0n;
}

function addressPart(text: string): Part {
  if (text.includes('/')) return networkSpan(text);
  const [first = '', last, ...more] = text.split('-');
  const from = parseIpAddress(first);
  if (last === undefined) return from === undefined ? text : span(from, from, 'address');
  const to = parseIpAddress(last);
  if (from === undefined || to === undefined || more.length > 0 || from.family !== to.family) return text;
  const whole = span(from, to, 'range');
  return isBlock(whole.from, whole.to) ? { ...whole, kind: 'network' } : whole;
}

/** Salt compat: Salt takes the port for a number and fails at `tcp:80`, which is what ipset prints. */
const portPart = (text: string): string => text.toLowerCase().replace(/^tcp:/, '');

function partsOf(type: string, text: string): Part[] {
  const { address, options } = entryOf(text);
  const pieces = address.split(',');
  const kinds = (type.split(':')[1] ?? '').split(',');
  const parts = kinds.flatMap((kind, i): Part[] => {
    const piece = pieces[i];
    if (piece === undefined) return [];
    if (kind === 'ip' || kind === 'net') return [addressPart(piece)];
    return [kind === 'port' ? portPart(piece) : kind === 'mac' ? piece.toUpperCase() : piece];
  });
  return options === '' ? parts : [...parts, optionWords(options).join(' ')];
}

/**
 * Whether a part of a member stands for one that is looked for. A network of a member stands for its addresses, not for
 * parts of it.
 */
function standsFor(member: Part, wanted: Part): boolean {
  if (typeof member === 'string' || typeof wanted === 'string') return member === wanted;
  if (member.family !== wanted.family || wanted.kind === 'range') return false;
  if (member.from === wanted.from && member.to === wanted.to) return true;
  const [inner, outer] = member.kind === 'address' ? [member, wanted] : [wanted, member];
  return (
    inner.kind === 'address' && outer.kind === 'network' && outer.from <= inner.from && inner.to <= outer.to
  );
}

/** Whether one of the members of a set stands for one of the entries. @param type the kind of the set */
export function hasEntry(type: string, members: readonly string[], entries: readonly string[]): boolean {
  const wanted = entries.map((entry) => partsOf(type, entry));
  return members.some((text) => {
    const member = partsOf(type, text);
    return wanted.some(
      (entry) =>
        member.length >= entry.length && entry.every((part, i) => standsFor(member[i] as Part, part)),
    );
  });
}
