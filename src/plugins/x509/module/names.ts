/**
 * Distinguished names: from texts, lists and mappings, to DER and back, and as RFC 4514 writes them (as Python's
 * cryptography does).
 */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { childrenOf, der, derOid, derSequence, derSetOf, oidOf, TAG, textOf, type DerNode } from './der.ts';

/** One attribute of a name. */
export interface NameAttribute {
  readonly oid: string;
  readonly value: string;
  readonly tag: number;
}

/** A name: relative names, each of one attribute or more. */
export type Name = readonly (readonly NameAttribute[])[];

/** The attributes that Salt knows, in the order in which it puts them. */
export const NAME_OIDS: ReadonlyMap<string, string> = new Map([
  ['C', '2.5.4.6'],
  ['ST', '2.5.4.8'],
  ['L', '2.5.4.7'],
  ['STREET', '2.5.4.9'],
  ['O', '2.5.4.10'],
  ['OU', '2.5.4.11'],
  ['CN', '2.5.4.3'],
  ['MAIL', '1.2.840.113549.1.9.1'],
  ['SN', '2.5.4.4'],
  ['GN', '2.5.4.42'],
  ['UID', '0.9.2342.19200300.100.1.1'],
  ['SERIALNUMBER', '2.5.4.5'],
]);

/** The names of RFC 4514; what is not among them is written by its number. */
const RFC4514: ReadonlyMap<string, string> = new Map([
  ['CN', '2.5.4.3'],
  ['L', '2.5.4.7'],
  ['ST', '2.5.4.8'],
  ['O', '2.5.4.10'],
  ['OU', '2.5.4.11'],
  ['C', '2.5.4.6'],
  ['STREET', '2.5.4.9'],
  ['DC', '0.9.2342.19200300.100.1.25'],
  ['UID', '0.9.2342.19200300.100.1.1'],
]);
const SHORT: ReadonlyMap<string, string> = new Map([...RFC4514].map(([name, oid]) => [oid, name]));

const PRINTABLE = new Set(['2.5.4.6', '2.5.4.5', '2.5.4.46', '1.3.6.1.4.1.311.60.2.1.3']);
const IA5 = new Set(['1.2.840.113549.1.9.1', '0.9.2342.19200300.100.1.25']);
const COUNTRIES = new Set(['2.5.4.6', '1.3.6.1.4.1.311.60.2.1.3']);

/** An attribute with the kind of text that belongs to it. @throws SaltInvocationError for a value that cannot be one */
function nameAttribute(oid: string, given: Value): NameAttribute {
  const value = typeof given === 'string' ? given : pyStr(given);
  if (COUNTRIES.has(oid) && Buffer.byteLength(value) !== 2)
    throw new SaltInvocationError(`Country code must be a 2 character country code, not '${value}'`);
  return { oid, value, tag: PRINTABLE.has(oid) ? TAG.printable : IA5.has(oid) ? TAG.ia5 : TAG.utf8 };
}

const attributeDer = ({ oid, value, tag }: NameAttribute): Buffer =>
  derSequence(derOid(oid), der(tag, textBytes(value, tag)));

function textBytes(value: string, tag: number): Buffer {
  if (tag === TAG.bmp) return Buffer.from(value, 'utf16le').swap16();
  return Buffer.from(value, tag === TAG.utf8 || tag === TAG.printable ? 'utf8' : 'latin1');
}

/** A relative name in DER. */
export const relativeDer = (rdn: readonly NameAttribute[]): Buffer => derSetOf(rdn.map(attributeDer));

/** A name in DER. */
export const nameDer = (name: Name): Buffer => derSequence(...name.map(relativeDer));

/** A relative name that was read. */
export function readRelative(node: DerNode): NameAttribute[] {
  return childrenOf(node).map((pair) => {
    const [oid, value] = childrenOf(pair);
    return { oid: oidOf(oid), value: value === undefined ? '' : textOf(value), tag: value?.tag ?? TAG.utf8 };
  });
}

/** A name that was read. */
export const readName = (node: DerNode): Name => childrenOf(node).map(readRelative);

function escapeValue(value: string): string {
  const inner = value.replace(/[\\"+,;<>]/g, (c) => `\\${c}`).replaceAll('\0', '\\00');
  const start = /^[# ]/.test(inner) ? `\\${inner}` : inner;
  return start.endsWith(' ') ? `${start.slice(0, -1)}\\ ` : start;
}

/** A relative name as RFC 4514 writes it. */
export function relativeText(rdn: readonly NameAttribute[]): string {
  return rdn.map(({ oid, value }) => `${SHORT.get(oid) ?? oid}=${escapeValue(value)}`).join('+');
}

/** A name as RFC 4514 writes it: the last part first. */
export function nameText(name: Name): string {
  return name.toReversed().map(relativeText).join(',');
}

/** Whether two names have the same attributes, whatever kind of text they are. */
export function sameName(a: Name, b: Name): boolean {
  const key = (name: Name): string =>
    JSON.stringify(name.map((rdn) => rdn.map(({ oid, value }) => [oid, value]).sort()));
  return key(a) === key(b);
}

/** The attributes of a name that Salt knows, the first of each. */
export function nameDict(name: Name): Dict {
  const out = dict();
  for (const [short, oid] of NAME_OIDS) {
    const found = name.flat().find((one) => one.oid === oid);
    if (found !== undefined) out.set(short, found.value);
  }
  return out;
}

/** The first value of an attribute. @param short its name with Salt: `CN` */
export function attributeOf(name: Name, short: string): string | undefined {
  return name.flat().find(({ oid }) => oid === NAME_OIDS.get(short))?.value;
}

const refused = (text: string): never => {
  throw new CommandExecutionError(`Failed parsing rfc4514 dirName string: ${text}`);
};

/** Reads texts of RFC 4514. */
class Rfc4514Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns the relative names in the order of the text */
  read(): NameAttribute[][] {
    const out: NameAttribute[][] = [];
    if (this.#text === '') return out;
    for (;;) {
      out.push(this.#relative());
      if (this.#at >= this.#text.length) return out;
      if (this.#text[this.#at++] !== ',') refused(this.#text);
    }
  }

  #relative(): NameAttribute[] {
    const out: NameAttribute[] = [];
    do {
      const [match = '', key = ''] =
        /^([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)=/.exec(this.#text.slice(this.#at)) ?? [];
      const oid = /^\d/.test(key) ? key : RFC4514.get(key);
      if (oid === undefined) return refused(this.#text);
      this.#at += match.length;
      out.push(nameAttribute(oid, this.#value()));
    } while (this.#text[this.#at] === '+' && this.#at++ >= 0);
    return out;
  }

  #value(): string {
    const [raw = ''] =
      /^(?:[^\\"+,;<>\0]|\\[0-9A-Fa-f]{2}|\\[\\"+,;<> #=])*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += raw.length;
    const bytes: Buffer[] = [];
    for (const [part, hex, sign] of raw.matchAll(/\\([0-9A-Fa-f]{2})|\\(.)|[^\\]+/g))
      bytes.push(hex === undefined ? Buffer.from(sign ?? part) : Buffer.from(hex, 'hex'));
    return Buffer.concat(bytes).toString('utf8');
  }
}

/** One relative name of a text. @throws CommandExecutionError, SaltInvocationError where it is more */
export function relativeOf(text: Value): NameAttribute[] {
  const rdns = new Rfc4514Reader(pyStr(text)).read();
  const [first] = rdns;
  if (first === undefined) throw new CommandExecutionError(`Failed parsing rdn string: ${pyStr(text)}`);
  if (rdns.length > 1)
    throw new SaltInvocationError(
      'Specified string is not a Relative Distinguished Name, but a Distinguished Name.',
    );
  return first;
}

/**
 * A name as states give it: a text of RFC 4514, a list of relative ones, or a mapping of attributes.
 * @throws SaltInvocationError, CommandExecutionError
 */
export function nameOf(given: Value): Name {
  if (typeof given === 'string') return new Rfc4514Reader(given).read().reverse();
  if (Array.isArray(given)) return given.map(relativeOf);
  if (!isDict(given)) throw new SaltInvocationError('Need string, list or dict to parse distinguished names');
  return [...NAME_OIDS].flatMap(([short, oid]) => {
    const value = given.get(short);
    return value === undefined ? [] : [[nameAttribute(oid, value)]];
  });
}
