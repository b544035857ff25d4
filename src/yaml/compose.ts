/** From parser events to a graph of nodes: tags resolved, anchors and aliases tied, sizes bounded. */
import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  SCALAR_STYLE_PLAIN,
  getScalarValue,
  type DocumentEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { YamlError, positionAt, type YamlErrorKind } from './error.ts';
import { implicitTag } from './scalar.ts';

/** Prefix of the tags that YAML itself defines. */
export const YAML_TAG = 'tag:yaml.org,2002:';

interface NodeBase {
  /** full tag, `tag:yaml.org,2002:int` */
  tag: string;
  /** offset of the node's first character */
  readonly start: number;
  /** how many nodes it has when every alias is written out */
  size: number;
}

/** A scalar. */
export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly text: string;
}

/** A sequence. */
export interface SequenceNode extends NodeBase {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
}

/** A key and its value. */
export type NodePair = readonly [key: YamlNode, value: YamlNode];

/** A mapping; `pairs` changes when merge keys are resolved. */
export interface MappingNode extends NodeBase {
  readonly kind: 'mapping';
  pairs: NodePair[];
}

/** Any node. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;

/** A text with its name, for errors that can be shown. */
export interface YamlSource {
  readonly text: string;
  readonly name: string;
}

/** Makes the error for an offset into the text. */
export function yamlErrorAt(
  source: YamlSource,
  kind: YamlErrorKind,
  reason: string,
  offset: number,
  context?: { readonly text: string; readonly offset: number },
): YamlError {
  return new YamlError({
    kind,
    reason,
    at: positionAt(source.text, offset),
    source: source.name,
    ...(context && { context: context.text, contextAt: positionAt(source.text, context.offset) }),
  });
}

interface OpenNode {
  readonly node: SequenceNode | MappingNode;
  /** the key that waits for its value */
  key: YamlNode | undefined;
}

/** How many nodes aliases may add to a document: beyond it the text is a bomb ("billion laughs"), not a configuration. */
const MAX_ALIASED_NODES = 2_000_000;

/** Ties events of one text into the node of its only document. */
class Composer {
  readonly #source: YamlSource;
  readonly #open: OpenNode[] = [];
  readonly #anchors = new Map<string, YamlNode>();
  #handles = new Map<string, string>();
  #root: YamlNode | undefined;
  #documents = 0;
  /** nodes that aliases stand for */
  #aliased = 0;
  /** end of the last thing with a place, which stands in for the place of an empty scalar */
  #lastOffset = 0;

  constructor(source: YamlSource) {
    this.#source = source;
  }

  compose(events: readonly Event[]): YamlNode | undefined {
    for (const event of events) {
      switch (event.type) {
        case EVENT_DOCUMENT:
          this.#startDocument(event);
          break;
        case EVENT_SCALAR:
          this.#add(this.#scalar(event));
          break;
        case EVENT_SEQUENCE:
        case EVENT_MAPPING:
          this.#openCollection(event);
          break;
        case EVENT_ALIAS:
          this.#alias(event);
          break;
        case EVENT_POP:
          this.#close();
          break;
      }
    }
    return this.#root;
  }

  #startDocument(event: DocumentEvent): void {
    if (++this.#documents > 1) {
      throw yamlErrorAt(this.#source, 'composer', 'but found another document', this.#secondDocument(), {
        text: 'expected a single document in the stream',
        offset: this.#root?.start ?? 0,
      });
    }
    this.#handles = new Map([
      ['!', '!'],
      ['!!', YAML_TAG],
    ]);
    for (const directive of event.directives) {
      if (directive.kind === 'tag') this.#handles.set(directive.handle, directive.prefix);
    }
  }

  /** The events do not say where a document starts; its marker is the next one behind what was read. */
  #secondDocument(): number {
    const rest = this.#source.text.slice(this.#lastOffset);
    const marker = /^---(?=\s|$)/m.exec(rest);
    return this.#lastOffset + (marker?.index ?? 0);
  }

  #scalar(event: ScalarEvent): ScalarNode {
    const { text } = this.#source;
    const value = getScalarValue(text, event);
    const plain = event.style === SCALAR_STYLE_PLAIN;
    if (event.valueStart >= 0) this.#lastOffset = event.valueEnd;
    const contentStart = event.valueStart < 0 ? this.#lastOffset : event.valueStart - (plain ? 0 : 1);
    const start = nodeStart(event, contentStart);
    const tag = this.#tag(event) ?? YAML_TAG + this.#impliedTag(event, plain, value);
    const node: ScalarNode = { kind: 'scalar', tag, text: value, start, size: 1 };
    this.#anchor(event, node);
    return node;
  }

  /** Plain scalars, and any marked with a lone `!`, mean what they look like; but nothing behind a `!` is text. */
  #impliedTag(event: ScalarEvent, plain: boolean, value: string): string {
    const marked = event.tagStart >= 0;
    return (plain || marked) && !(marked && event.valueStart < 0) ? implicitTag(value) : 'str';
  }

  #openCollection(event: SequenceEvent | MappingEvent): void {
    const start = nodeStart(event, event.start);
    this.#lastOffset = event.start;
    const node: SequenceNode | MappingNode =
      event.type === EVENT_SEQUENCE
        ? { kind: 'sequence', tag: this.#tag(event) ?? `${YAML_TAG}seq`, items: [], start, size: 1 }
        : { kind: 'mapping', tag: this.#tag(event) ?? `${YAML_TAG}map`, pairs: [], start, size: 1 };
    this.#anchor(event, node);
    this.#open.push({ node, key: undefined });
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed) this.#add(closed.node);
  }

  #alias(event: { readonly anchorStart: number; readonly anchorEnd: number }): void {
    const name = this.#source.text.slice(event.anchorStart, event.anchorEnd);
    this.#lastOffset = event.anchorEnd;
    const node = this.#anchors.get(name);
    const at = event.anchorStart - 1;
    if (!node) throw yamlErrorAt(this.#source, 'composer', 'found undefined alias', at);
    if (this.#open.some((open) => open.node === node)) {
      // Salt compat: PyYAML builds a value that contains itself; nothing that takes values from here could use it.
      throw yamlErrorAt(this.#source, 'constructor', 'found unconstructable recursive node', at);
    }
    this.#aliased += node.size;
    this.#add(node);
    if (this.#aliased > MAX_ALIASED_NODES) {
      throw yamlErrorAt(
        this.#source,
        'composer',
        `aliases would grow this document by more than ${MAX_ALIASED_NODES} values`,
        at,
      );
    }
  }

  #add(node: YamlNode): void {
    const parent = this.#open.at(-1);
    if (!parent) {
      this.#root ??= node;
      return;
    }
    parent.node.size += node.size;
    if (parent.node.kind === 'sequence') {
      parent.node.items.push(node);
    } else if (parent.key === undefined) {
      parent.key = node;
    } else {
      parent.node.pairs.push([parent.key, node]);
      parent.key = undefined;
    }
  }

  #anchor(event: { readonly anchorStart: number; readonly anchorEnd: number }, node: YamlNode): void {
    if (event.anchorStart < 0) return;
    const name = this.#source.text.slice(event.anchorStart, event.anchorEnd);
    const first = this.#anchors.get(name);
    if (first) {
      throw yamlErrorAt(this.#source, 'composer', 'second occurrence', node.start, {
        text: 'found duplicate anchor; first occurrence',
        offset: first.start,
      });
    }
    this.#anchors.set(name, node);
  }

  /** The full tag a node was given, or undefined for none and for `!`, which asks for the usual resolution. */
  #tag(event: { readonly tagStart: number; readonly tagEnd: number }): string | undefined {
    if (event.tagStart < 0) return undefined;
    const raw = this.#source.text.slice(event.tagStart, event.tagEnd);
    if (raw === '!') return undefined;
    if (raw.startsWith('!<')) return percentDecoded(raw.slice(2, -1));
    const handleEnd = raw.indexOf('!', 1);
    const handle = raw.slice(0, handleEnd < 0 ? 1 : handleEnd + 1);
    return (this.#handles.get(handle) ?? handle) + percentDecoded(raw.slice(handle.length));
  }
}

function nodeStart(
  event: { readonly tagStart: number; readonly anchorStart: number },
  content: number,
): number {
  const starts = [content];
  if (event.tagStart >= 0) starts.push(event.tagStart);
  if (event.anchorStart >= 0) starts.push(event.anchorStart - 1);
  return Math.min(...starts);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Ties the events of one text into a node graph.
 * @returns the root of the only document, or undefined for a text without any
 * @throws YamlError for a second document, an alias without its anchor, an anchor used twice or a bomb of aliases
 */
export function composeNodes(events: readonly Event[], source: YamlSource): YamlNode | undefined {
  return new Composer(source).compose(events);
}
