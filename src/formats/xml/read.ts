/** Reads the XML of services: elements, attributes, texts, without the prefixes of namespaces. */
import { XmlError, xmlPieces } from './tokens.ts';

export { XmlError } from './tokens.ts';

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

/** @returns the outermost element @throws XmlError */
export function parseXml(source: string): XmlElement {
  const top: OpenElement = { name: '', children: [], attributes: new Map(), text: '' };
  const open: OpenElement[] = [top];
  for (const piece of xmlPieces(source)) {
    const inner = open.at(-1) ?? top;
    if (piece.kind === 'text') inner.text += piece.text;
    else if (piece.kind === 'end') open.pop();
    else {
      const attributes = new Map(piece.attributes.map(([name, value]) => [withoutPrefix(name), value]));
      const element = { name: withoutPrefix(piece.name), children: [], attributes, text: '' };
      inner.children.push(element);
      open.push(element);
    }
  }
  const [root] = top.children;
  if (root === undefined) throw new XmlError('there is no element');
  return root;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);
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
