/** Salt's xml filter: nested data as elements and attributes (3006.16 salt/utils/jinja.py `format_xml`). */
import { TemplateRuntimeError } from './errors.ts';
import type { TValue } from './model.ts';
import { numberOf } from './operators.ts';
import { str } from './text-of.ts';

interface XmlElement {
  readonly tag: string;
  readonly attributes: [string, string][];
  text: string | undefined;
  readonly children: XmlElement[];
}

type Pair = readonly [TValue, TValue];

function pairsOf(value: TValue): Pair[] {
  if (value instanceof Map) return [...value];
  if (!Array.isArray(value))
    throw new TemplateRuntimeError('Value is not a dict or list. Cannot render as XML');
  if (typeof value[0] !== 'string') return [];
  return [[value[0], value[1] ?? null]];
}

const isNested = (value: TValue): boolean => value instanceof Map || Array.isArray(value);

function build(pairs: readonly Pair[], parent: XmlElement | undefined): XmlElement | undefined {
  let current: XmlElement | undefined;
  for (const [tag, value] of pairs) {
    if (Array.isArray(value)) {
      for (const item of value) build([[tag, item]], parent);
      continue;
    }
    current = { tag: str(tag), attributes: [], text: undefined, children: [] };
    parent?.children.push(current);
    if (typeof value === 'string' || numberOf(value) !== undefined) {
      current.text = str(value);
      continue;
    }
    if (!(value instanceof Map)) continue;
    for (const [key, item] of value) if (!isNested(item)) current.attributes.push([str(key), str(item)]);
    build(
      [...value].filter(([, item]) => isNested(item)),
      current,
    );
  }
  return current;
}

const quote = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function write(element: XmlElement, level: number): string {
  const pad = ' '.repeat(level);
  const attributes = element.attributes
    .map(([key, value]) => ` ${key}="${quote(value).replaceAll('"', '&quot;')}"`)
    .join('');
  const open = `${pad}<${element.tag}${attributes}`;
  if (element.children.length === 0) {
    return element.text === undefined || element.text === ''
      ? `${open}/>\n`
      : `${open}>${quote(element.text)}</${element.tag}>\n`;
  }
  const inner = element.children.map((child) => write(child, level + 1)).join('');
  const text = element.text === undefined ? '' : `${pad} ${quote(element.text)}\n`;
  return `${open}>\n${text}${inner}${pad}</${element.tag}>\n`;
}

/** @throws TemplateRuntimeError for what is neither mapping nor list */
export function formatXml(value: TValue): string {
  const root = build(pairsOf(value), undefined);
  return `<?xml version="1.0" ?>\n${root ? write(root, 0) : ''}`;
}
