/**
 * XML as `http.query` decodes it: elements and their texts; attributes are not looked at (3006.16 salt/utils/xmlutil.py
 * `to_dict`). Documents with a DOCTYPE are refused, so that no entities are expanded.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { BrineError } from '../../../errors/errors.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

const DEPTH_MAX = 200;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s>]+)\s*>|<([^\s<>/!?]+)((?:\s+[^\s=<>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;

/** The text is no XML. */
class XmlError extends BrineError {
  static override readonly errorCode: ErrorCode = 'xml-invalid';
  override readonly name = 'XmlError';
}

interface Element {
  readonly tag: string;
  text: string | null;
  readonly children: Element[];
}

/** The children of the document's element, each as data. @throws XmlError */
export function xmlItems(text: string): Value[] {
  return parse(text).children.map(toDict);
}

function parse(text: string): Element {
  const top: Element = { tag: '', text: null, children: [] };
  const open: Element[] = [top];
  TOKEN.lastIndex = 0;
  const start = /^\s*/.exec(text)?.[0].length ?? 0;
  let at = start;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw problem(text, at);
    const [whole, cdata, closing, tag, , isEmpty, plain] = token;
    const current = open[open.length - 1] as Element;
    if (closing !== undefined) {
      if (open.length === 1 || current.tag !== closing) throw problem(text, at, 'mismatched tag');
      open.pop();
    } else if (tag !== undefined) {
      if (open.length === 1 && top.children.length > 0)
        throw problem(text, at, 'junk after document element');
      const element: Element = { tag, text: null, children: [] };
      current.children.push(element);
      if (isEmpty === '') open.push(element);
      if (open.length > DEPTH_MAX) throw problem(text, at, 'elements are nested too deeply');
    } else if (cdata !== undefined || plain !== undefined) {
      const content = cdata ?? unescape(plain as string, () => problem(text, at, 'undefined entity'));
      if (open.length === 1) {
        if (content.trim() !== '') throw problem(text, at, 'syntax error');
      } else if (current.children.length === 0) current.text = (current.text ?? '') + content;
    }
    at += whole.length;
  }
  const [root] = top.children;
  if (root === undefined || open.length > 1) throw problem(text, text.length, 'no element found');
  return root;
}

/** Python's words for where it stopped. */
function problem(text: string, at: number, what = 'not well-formed (invalid token)'): XmlError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return new XmlError(`${what}: line ${line}, column ${at - before.lastIndexOf('\n') - 1}`);
}

function unescape(text: string, unknown: () => XmlError): string {
  return text.replace(/&([^;]*);?/g, (_, name: string) => {
    const number = /^#(?:x([0-9a-fA-F]+)|(\d+))$/.exec(name);
    if (number !== null) {
      const code = number[1] === undefined ? Number(number[2]) : parseInt(number[1], 16);
      if (code > 0x10ffff) throw unknown();
      return String.fromCodePoint(code);
    }
    const known = ENTITIES.get(name);
    if (known === undefined) throw unknown();
    return known;
  });
}

function nameOf(tag: string): string {
  return tag.includes(':') ? tag.slice(tag.indexOf(':') + 1) : tag;
}

function toDict(element: Element): Value {
  if (element.children.length === 0) return new Map([[nameOf(element.tag), element.text]]);
  const out: Dict = new Map();
  for (const item of element.children) {
    const name = nameOf(item.tag);
    const before = out.get(name);
    if (before === undefined) out.set(name, item.children.length > 0 ? toDict(item) : item.text);
    else if (Array.isArray(before)) before.push(toDict(item));
    else out.set(name, [before, toDict(item)]);
  }
  return out;
}
