/**
 * The pieces of XML: elements that begin and end, texts. Entities of a document's own are refused, and nesting is
 * bounded, so that what is read can neither read a file nor grow meanwhile.
 */
const DEPTH_MAX = 100;
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;
/** A declaration of the type, without entities. */
const DOCTYPE = /<!DOCTYPE[^[\]<>]*>/y;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A piece. Names are as they are written, prefixes included. */
export type XmlPiece =
  | {
      readonly kind: 'start';
      readonly name: string;
      readonly attributes: readonly (readonly [string, string])[];
    }
  | { readonly kind: 'end'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** A text is no XML that is read here. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/**
 * Takes a document apart; an element without content begins and ends.
 * @param allowsDoctype a declaration of the type is passed over
 * @throws XmlError
 */
export function* xmlPieces(source: string, allowsDoctype = false): Generator<XmlPiece, void> {
  const text = source.replace(/^\ufeff/, '');
  const open: string[] = [];
  let roots = 0;
  let at = 0;
  while (at < text.length) {
    const [found, end] = tokenAt(text, at, allowsDoctype && roots === 0);
    at = end;
    if (found === undefined) continue;
    const [whole, cdata, closing, name, given = '', alone] = found;
    if (name === undefined) {
      const plain = cdata ?? (whole.startsWith('<') ? '' : resolved(whole));
      if (plain !== '') yield { kind: 'text', text: plain };
      continue;
    }
    if (closing === '/') {
      if (open.pop() !== name) throw new XmlError(`</${name}> closes nothing`);
      yield { kind: 'end', name };
      continue;
    }
    if (open.length >= DEPTH_MAX) throw new XmlError(`nested deeper than ${DEPTH_MAX} elements`);
    if (open.length === 0) roots++;
    if (roots > 1) throw new XmlError('there is something behind the outermost element');
    yield { kind: 'start', name, attributes: attributesIn(given) };
    if (alone === '/') yield { kind: 'end', name };
    else open.push(name);
  }
  if (open.length > 0 || roots === 0) throw new XmlError('an element is not closed, or there is none');
}

function tokenAt(
  text: string,
  at: number,
  allowsDoctype: boolean,
): [found: RegExpExecArray | undefined, end: number] {
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  if (found !== null) return [found, TOKEN.lastIndex];
  DOCTYPE.lastIndex = at;
  if (allowsDoctype && DOCTYPE.test(text)) return [undefined, DOCTYPE.lastIndex];
  throw new XmlError(`not well-formed at character ${at}`);
}

function attributesIn(given: string): [string, string][] {
  const found = [...given.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return found.map(([, name = '', one, other = '']) => [name, resolved(one ?? other)]);
}

function resolved(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));|&/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string' && NAMED.has(name)) return NAMED.get(name) ?? '';
    const code =
      typeof decimal === 'string' ? Number(decimal) : typeof hex === 'string' ? parseInt(hex, 16) : NaN;
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    throw new XmlError(`there is no entity ${whole}`);
  });
}
