/**
 * XML as Python's `xml.etree.ElementTree` (3.10) reads and writes it: with namespaces, without comments and
 * declarations.
 */
import { XmlError, xmlPieces } from './tokens.ts';

/** An element. Names are `{namespace}name` where they have a namespace. */
export interface TreeElement {
  readonly tag: string;
  readonly attributes: Map<string, string>;
  readonly children: TreeElement[];
  /** What is in front of the first child. */
  text: string | undefined;
  /** What is behind the element, within the one that it is in. */
  tail: string | undefined;
}

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
/** Prefixes that namespaces have by themselves. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  [XML_NAMESPACE, 'xml'],
  ['http://www.w3.org/1999/xhtml', 'html'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://schemas.xmlsoap.org/wsdl/', 'wsdl'],
  ['http://www.w3.org/2001/XMLSchema', 'xs'],
  ['http://www.w3.org/2001/XMLSchema-instance', 'xsi'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

/** Namespaces by their prefixes, as far as they are declared. */
type Declared = ReadonlyMap<string, string>;

/** Reads a document. @returns the outermost element @throws XmlError */
export function parseTree(source: string): TreeElement {
  const open: { readonly element: TreeElement; readonly declared: Declared }[] = [];
  let root: TreeElement | undefined;
  for (const piece of xmlPieces(source.replaceAll('\r\n', '\n').replaceAll('\r', '\n'), true)) {
    const inner = open.at(-1);
    if (piece.kind === 'end') open.pop();
    else if (piece.kind === 'text') addText(inner?.element, piece.text);
    else {
      const declared = declaredBy(piece.attributes, inner?.declared ?? new Map([['xml', XML_NAMESPACE]]));
      const element = elementOf(piece.name, piece.attributes, declared);
      inner?.element.children.push(element);
      root ??= element;
      open.push({ element, declared });
    }
  }
  if (root === undefined) throw new XmlError('no element found');
  return root;
}

function addText(element: TreeElement | undefined, text: string): void {
  const last = element?.children.at(-1);
  if (last !== undefined) last.tail = (last.tail ?? '') + text;
  else if (element !== undefined) element.text = (element.text ?? '') + text;
  else if (text.trim() !== '') throw new XmlError('there is text outside of the outermost element');
}

function declaredBy(attributes: readonly (readonly [string, string])[], outer: Declared): Declared {
  const own = attributes.filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  return own.length === 0
    ? outer
    : new Map([...outer, ...own.map(([name, uri]) => [name.slice(6), uri] as const)]);
}

function elementOf(
  name: string,
  attributes: readonly (readonly [string, string])[],
  declared: Declared,
): TreeElement {
  const plain = attributes.filter(([each]) => each !== 'xmlns' && !each.startsWith('xmlns:'));
  return {
    tag: fullName(name, declared, declared.get('') ?? ''),
    attributes: new Map(
      plain.map(([each, value]) => [fullName(each, declared, ''), value.replace(/[\t\n]/g, ' ')]),
    ),
    children: [],
    text: undefined,
    tail: undefined,
  };
}

function fullName(name: string, declared: Declared, without: string): string {
  const at = name.indexOf(':');
  const uri = at < 0 ? without : declared.get(name.slice(0, at));
  if (uri === undefined) throw new XmlError(`unbound prefix: ${name}`);
  return uri === '' ? name.slice(at + 1) : `{${uri}}${name.slice(at + 1)}`;
}

/** An element and all below it, in their order. */
export function* elementsIn(element: TreeElement): Generator<TreeElement, void> {
  yield element;
  for (const child of element.children) yield* elementsIn(child);
}

/** Writes a document: in ASCII, other characters by their numbers. */
export function writeTree(root: TreeElement): string {
  const names = new Names();
  for (const { tag, attributes } of elementsIn(root))
    for (const name of [tag, ...attributes.keys()]) names.add(name);
  return written(root, names, names.declarations()).replace(
    /[^\0-\x7f]/gu,
    (char) => `&#${char.codePointAt(0)};`,
  );
}

/** Names as they are written, with a prefix for each namespace. */
class Names {
  readonly #prefixes = new Map<string, string>();

  add(name: string): void {
    const [, uri] = /^\{(.*)\}/.exec(name) ?? [];
    if (uri === undefined || uri === XML_NAMESPACE || this.#prefixes.has(uri)) return;
    this.#prefixes.set(uri, PREFIXES.get(uri) ?? `ns${this.#prefixes.size}`);
  }

  of(name: string): string {
    const [, uri, local = ''] = /^\{(.*)\}(.*)$/.exec(name) ?? [];
    return uri === undefined ? name : `${this.#prefixes.get(uri) ?? 'xml'}:${local}`;
  }

  declarations(): string {
    const sorted = [...this.#prefixes].sort(([, one], [, other]) => (one < other ? -1 : 1));
    return sorted.map(([uri, prefix]) => ` xmlns:${prefix}="${attributeText(uri)}"`).join('');
  }
}

function written(element: TreeElement, names: Names, declarations: string): string {
  const { tag, attributes, children, text, tail } = element;
  const name = names.of(tag);
  const said = [...attributes].map(([key, value]) => ` ${names.of(key)}="${attributeText(value)}"`).join('');
  const inner = `${plainText(text ?? '')}${children.map((child) => written(child, names, '')).join('')}`;
  const isEmpty = (text ?? '') === '' && children.length === 0;
  const head = `<${name}${declarations}${said}`;
  return `${isEmpty ? `${head} />` : `${head}>${inner}</${name}>`}${plainText(tail ?? '')}`;
}

const plainText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const attributeText = (text: string): string =>
  plainText(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#09;');
