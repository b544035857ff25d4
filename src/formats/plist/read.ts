/** Reads property lists in XML as Python's plistlib does (3006.16 salt/serializers/plist.py). */
import { intOfText } from '../../python/values/int-text.ts';
import { float, PyDatetime, type Dict, type Value } from '../../python/values/value.ts';

const DEPTH_MAX = 500;
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<!DOCTYPE[^>[]*>|<(\/?)([A-Za-z]+)([^<>]*?)(\/?)>|[^<]+/y;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const DATE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z$/;

/** A text is no property list. */
class PlistError extends Error {
  override readonly name = 'PlistError';
}

interface Open {
  readonly list: Value[] | undefined;
  readonly map: Dict | undefined;
  key: string | undefined;
}

/**
 * Reads a property list.
 * @throws PlistError also for the binary form, which is not read, and for declarations of entities
 */
export function parsePlist(text: string): Value {
  if (text.startsWith('bplist00'))
    throw new PlistError('binary property lists cannot be read, only those in XML');
  const reader = new Reader();
  const source = text.replace(/^\ufeff/, '');
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(source);
    if (found === null) throw new PlistError(`not well-formed (invalid token): line ${lineOf(source, at)}`);
    const [whole, cdata, closing, name, , alone] = found;
    if (cdata !== undefined) reader.text(cdata);
    else if (name !== undefined) {
      if (closing === '') reader.start(name);
      if (closing !== '' || alone !== '') reader.end(name);
    } else if (!whole.startsWith('<')) reader.text(withoutEntities(whole));
  }
  return reader.result();
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) {
        const char = NAMED.get(name);
        if (char === undefined) throw new PlistError(`undefined entity ${whole}`);
        return char;
      }
      const code = decimal !== undefined ? Number(decimal) : parseInt(hex ?? '', 16);
      if (code > 0x10ffff) throw new PlistError(`reference to invalid character number ${whole}`);
      return String.fromCodePoint(code);
    },
  );
}

class Reader {
  readonly #names: string[] = [];
  readonly #open: Open[] = [];
  #text = '';
  #root: Value | undefined;

  start(name: string): void {
    if (this.#names.length > DEPTH_MAX) throw new PlistError('too many levels of nesting');
    this.#names.push(name);
    this.#text = '';
    if (name !== 'dict' && name !== 'array') return;
    const map: Dict | undefined = name === 'dict' ? new Map() : undefined;
    const list: Value[] | undefined = name === 'array' ? [] : undefined;
    this.#add(map ?? list ?? null);
    this.#open.push({ map, list, key: undefined });
  }

  text(text: string): void {
    this.#text += text;
  }

  end(name: string): void {
    if (this.#names.pop() !== name) throw new PlistError(`mismatched tag </${name}>`);
    if (name === 'plist') return;
    const at = this.#open.at(-1);
    if (name === 'dict' || name === 'array') {
      if (at?.key !== undefined) throw new PlistError(`missing value for key '${at.key}'`);
      this.#open.pop();
    } else if (name === 'key') {
      if (at?.map === undefined || at.key !== undefined)
        throw new PlistError(`unexpected key '${this.#text}'`);
      at.key = this.#text;
    } else this.#add(scalar(name, this.#text));
    this.#text = '';
  }

  result(): Value {
    if (this.#names.length > 0) throw new PlistError('no element found: the text ends before its root does');
    if (this.#root === undefined) throw new PlistError('Invalid file');
    return this.#root;
  }

  #add(value: Value): void {
    const at = this.#open.at(-1);
    if (at?.list !== undefined) at.list.push(value);
    else if (at?.map !== undefined) {
      if (at.key === undefined) throw new PlistError('unexpected element in a dict: a key must come first');
      at.map.set(at.key, value);
      at.key = undefined;
    } else if (this.#root === undefined) this.#root = value;
    else throw new PlistError('junk after the root element');
  }
}

function scalar(name: string, text: string): Value {
  switch (name) {
    case 'string':
      return text;
    case 'true':
    case 'false':
      return name === 'true';
    case 'integer':
      return intOfText(text, /^0x/i.test(text.trim()) ? 16 : 10) ?? fail(`invalid integer '${text}'`);
    case 'real':
      return Number.isNaN(Number(text)) && text.trim() !== 'nan'
        ? fail(`invalid real '${text}'`)
        : float(Number(text));
    case 'data':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'date': {
      const parts = DATE.exec(text);
      return parts === null
        ? fail(`invalid date '${text}'`)
        : new PyDatetime(`${parts[1]}${parts[2]}${parts[3]}T${parts[4]}.000000`);
    }
  }
  return fail(`unknown element <${name}>`);
}

function fail(reason: string): never {
  throw new PlistError(reason);
}
