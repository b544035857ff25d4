/**
 * Reads the XML of services: elements, attributes, texts. Declarations of types and entities are refused, and nesting is bounded, so that
 * an answer can neither read a file nor grow when it is read.
 */
const DEPTH_MAX = 100;
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** An element. */
export interface XmlElement {
  /** As it is written, without the prefix of a namespace. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly attributes: ReadonlyMap<string, string>;
  /** All texts directly in it, one behind the other. */
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  readonly attributes: ReadonlyMap<string, string>;
  text: string;
}

/** A text is no XML that is read here. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** @returns the outermost element @throws XmlError */
export function parseXml(source: string): XmlElement {
  const top: OpenElement = { name: '', children: [], attributes: new Map(), text: '' };
  const open: OpenElement[] = [top];
  TOKEN.lastIndex = 0;
  const text = source.replace(/^\ufeff/, '');
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) throw new XmlError(`not well-formed at character ${at}`);
    at = TOKEN.lastIndex;
    take(found, open);
  }
  const [root] = top.children;
  if (open.length !== 1 || root === undefined || top.children.length !== 1)
    throw new XmlError('an element is not closed, or there is none');
  return root;
}

function take([whole, cdata, closing, name, given = '', alone]: RegExpExecArray, open: OpenElement[]): void {
  const inner = open.at(-1);
  if (inner === undefined) throw new XmlError('an element is closed that was not opened');
  if (cdata !== undefined) inner.text += cdata;
  else if (name === undefined) inner.text += whole.startsWith('<') ? '' : resolved(whole);
  else if (closing === '/') close(withoutPrefix(name), open);
  else {
    if (open.length > DEPTH_MAX) throw new XmlError(`nested deeper than ${DEPTH_MAX} elements`);
    const element = { name: withoutPrefix(name), children: [], attributes: attributesIn(given), text: '' };
    inner.children.push(element);
    if (alone !== '/') open.push(element);
  }
}

function attributesIn(given: string): ReadonlyMap<string, string> {
  const found = [...given.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return new Map(
    found.map(([, name = '', one, other = '']) => [withoutPrefix(name), resolved(one ?? other)]),
  );
}

function close(name: string, open: OpenElement[]): void {
  const closed = open.length > 1 ? open.pop() : undefined;
  if (closed?.name !== name) throw new XmlError(`</${name}> closes nothing`);
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

function resolved(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));|&/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string' && NAMED.has(name)) return NAMED.get(name) ?? '';
    const code =
      typeof decimal === 'string' ? Number(decimal) : typeof hex === 'string' ? parseInt(hex, 16) : NaN;
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    throw new XmlError(`there is no entity ${whole}`);
  });
}

/** The first child of a name. */
export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((one) => one.name === name);
}

/** The children of a name. */
export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((one) => one.name === name);
}

/** The text of a child; '' without one. */
export function textIn(element: XmlElement, name: string): string {
  return childOf(element, name)?.text ?? '';
}
