/** Tokens to a graph of nodes: libyaml's grammar, tags resolved, anchors and aliases tied, growth bounded. */
import { yamlErrorAt, type Mark, type YamlSource } from './cursor.ts';
import type { YamlError } from './error.ts';
import { TAGS, YAML_TAG, type MappingNode, type NodePair, type SequenceNode, type YamlNode } from './node.ts';
import type { RawTag } from './scan-tag.ts';
import { Scanner, type Token } from './scanner.ts';
import { implicitTag } from './scalar.ts';

/** Deepest nesting. */
const MAX_DEPTH = 1000;
/** How many nodes aliases may stand for: beyond it the text is a bomb ("billion laughs"), not a configuration. */
const MAX_ALIASED_NODES = 2_000_000;

const DEFAULT_HANDLES: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', YAML_TAG],
];

/** What stands before a node. */
interface Properties {
  readonly start: Mark;
  readonly anchor: string | undefined;
  readonly tag: string | undefined;
}

/**
 * Reads the only document of a text.
 * @returns its root, or undefined for a text without a document
 * @throws YamlError for text that is no YAML 1.1, a second document, an alias without its anchor, an anchor used twice,
 * or a bomb of aliases
 */
export function parseDocument(source: YamlSource): YamlNode | undefined {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: YamlSource;
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();
  /** collections that are not complete yet */
  readonly #open = new Set<YamlNode>();
  #handles = new Map(DEFAULT_HANDLES);
  #depth = 0;
  #aliased = 0;

  constructor(source: YamlSource) {
    this.#source = source;
    this.#scanner = new Scanner(source);
  }

  parse(): YamlNode | undefined {
    const first = this.#scanner.peek();
    if (first.type === 'stream-end') return undefined;
    const root = this.#document(true);
    while (this.#at('document-end')) this.#scanner.take();
    const next = this.#scanner.peek();
    if (next.type === 'stream-end') return root;
    this.#documentStart();
    throw yamlErrorAt(this.#source, 'composer', 'but found another document', next.start, [
      'expected a single document in the stream',
      root.start,
    ]);
  }

  #document(first: boolean): YamlNode {
    const { type } = this.#scanner.peek();
    if (first && type !== 'directive' && type !== 'document-start') return this.#node(true, false);
    this.#documentStart();
    const next = this.#scanner.peek();
    if (['directive', 'document-start', 'document-end', 'stream-end'].includes(next.type)) {
      return this.#empty(next.start);
    }
    return this.#node(true, false);
  }

  #documentStart(): void {
    let version = false;
    const handles = new Set<string>();
    for (let token = this.#scanner.peek(); token.type === 'directive'; token = this.#scanner.peek()) {
      const { directive } = token;
      if (directive.kind === 'version') {
        if (version) throw this.#error('found duplicate %YAML directive', token.start);
        if (directive.major !== 1 || (directive.minor !== 1 && directive.minor !== 2)) {
          throw this.#error('found incompatible YAML document', token.start);
        }
        version = true;
      } else {
        if (handles.has(directive.handle)) throw this.#error('found duplicate %TAG directive', token.start);
        handles.add(directive.handle);
        this.#handles.set(directive.handle, directive.prefix);
      }
      this.#scanner.take();
    }
    const token = this.#scanner.peek();
    if (token.type !== 'document-start')
      throw this.#error('did not find expected <document start>', token.start);
    this.#scanner.take();
  }

  /**
   * A node.
   * @param block block collections may stand here
   * @param indentless so may a sequence whose dashes are not deeper than the key before it
   */
  #node(block: boolean, indentless: boolean): YamlNode {
    const alias = this.#scanner.peek();
    if (alias.type === 'alias') {
      this.#scanner.take();
      return this.#aliasOf(alias.name, alias.start);
    }
    const properties = this.#properties();
    const token = this.#scanner.peek();
    switch (token.type) {
      case 'block-entry':
        if (indentless) return this.#sequence(properties, (node) => this.#indentlessItems(node));
        break;
      case 'scalar':
        this.#scanner.take();
        return this.#scalar(properties, token.text, token.plain);
      case 'flow-sequence-start':
        return this.#sequence(properties, (node) => this.#flowItems(node));
      case 'flow-mapping-start':
        return this.#mapping(properties, (node) => this.#flowPairs(node));
      case 'block-sequence-start':
        if (block) return this.#sequence(properties, (node) => this.#blockItems(node));
        break;
      case 'block-mapping-start':
        if (block) return this.#mapping(properties, (node) => this.#blockPairs(node));
        break;
      default:
        break;
    }
    if (properties.anchor !== undefined || properties.tag !== undefined) return this.#emptyWith(properties);
    const context = `while parsing a ${block ? 'block' : 'flow'} node`;
    throw this.#error('did not find expected node content', token.start, [context, properties.start]);
  }

  /** An anchor and a tag, in either order. */
  #properties(): Properties {
    const { start } = this.#scanner.peek();
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let token = this.#scanner.peek(); ; token = this.#scanner.peek()) {
      if (token.type === 'anchor' && anchor === undefined) anchor = token.name;
      else if (token.type === 'tag' && tag === undefined) tag = this.#fullTag(token.tag, start, token.start);
      else return { start, anchor, tag };
      this.#scanner.take();
    }
  }

  #fullTag(tag: RawTag, start: Mark, at: Mark): string {
    if (tag.handle === '') return tag.suffix;
    const prefix = this.#handles.get(tag.handle);
    if (prefix === undefined)
      throw this.#error('found undefined tag handle', at, ['while parsing a node', start]);
    return prefix + tag.suffix;
  }

  /** A plain scalar, or any marked with a lone `!`, means what it looks like. */
  #scalar(properties: Properties, text: string, plain: boolean): YamlNode {
    const { tag = plain ? '!' : TAGS.str } = properties;
    return this.#anchored(properties, {
      kind: 'scalar',
      tag: tag === '!' ? TAGS[implicitTag(text)] : tag,
      text,
      start: properties.start,
      size: 1,
    });
  }

  /** Nothing behind an anchor or a tag; behind a lone `!` it is text. */
  #emptyWith(properties: Properties): YamlNode {
    const { tag = TAGS.null } = properties;
    return this.#anchored(properties, {
      kind: 'scalar',
      tag: tag === '!' ? TAGS.str : tag,
      text: '',
      start: properties.start,
      size: 1,
    });
  }

  #empty(start: Mark): YamlNode {
    return { kind: 'scalar', tag: TAGS.null, text: '', start, size: 1 };
  }

  #anchored<T extends YamlNode>(properties: Properties, node: T): T {
    const { anchor } = properties;
    if (anchor === undefined) return node;
    const first = this.#anchors.get(anchor);
    if (first) {
      throw yamlErrorAt(this.#source, 'composer', 'second occurrence', node.start, [
        'found duplicate anchor; first occurrence',
        first.start,
      ]);
    }
    this.#anchors.set(anchor, node);
    return node;
  }

  #aliasOf(name: string, at: Mark): YamlNode {
    const node = this.#anchors.get(name);
    if (!node) throw yamlErrorAt(this.#source, 'composer', 'found undefined alias', at);
    if (this.#open.has(node)) {
      // Salt compat: PyYAML builds a value that contains itself; nothing that takes values from here could use it.
      throw yamlErrorAt(this.#source, 'constructor', 'found unconstructable recursive node', at);
    }
    node.shared = true;
    // a merge key (`<<: *name`) has what is in the mapping a second time
    if (node.kind === 'mapping')
      for (const [, value] of node.pairs) if (value.kind !== 'scalar') value.shared = true;
    this.#aliased += node.size;
    if (this.#aliased > MAX_ALIASED_NODES) {
      const reason = `aliases would grow this document by more than ${MAX_ALIASED_NODES} values`;
      throw yamlErrorAt(this.#source, 'composer', reason, at);
    }
    return node;
  }

  #sequence(properties: Properties, fill: (node: SequenceNode) => void): SequenceNode {
    const node = this.#anchored<SequenceNode>(properties, {
      kind: 'sequence',
      tag: collectionTag(properties.tag, 'seq'),
      items: [],
      start: properties.start,
      size: 1,
    });
    this.#fill(node, fill);
    for (const item of node.items) node.size += item.size;
    return node;
  }

  #mapping(properties: Properties, fill: (node: MappingNode) => void): MappingNode {
    const node = this.#anchored<MappingNode>(properties, {
      kind: 'mapping',
      tag: collectionTag(properties.tag, 'map'),
      pairs: [],
      start: properties.start,
      size: 1,
    });
    this.#fill(node, fill);
    for (const [key, value] of node.pairs) node.size += key.size + value.size;
    return node;
  }

  #fill<T extends YamlNode>(node: T, fill: (node: T) => void): void {
    if (++this.#depth > MAX_DEPTH)
      throw this.#error(`nesting is deeper than ${MAX_DEPTH} levels`, node.start);
    this.#open.add(node);
    fill(node);
    this.#open.delete(node);
    this.#depth--;
  }

  #blockItems(node: SequenceNode): void {
    const { start } = this.#scanner.take();
    for (;;) {
      const token = this.#scanner.take();
      if (token.type === 'block-end') return;
      if (token.type !== 'block-entry') {
        throw this.#error("did not find expected '-' indicator", token.start, [
          'while parsing a block collection',
          start,
        ]);
      }
      node.items.push(
        this.#at('block-entry', 'block-end') ? this.#empty(token.end) : this.#node(true, false),
      );
    }
  }

  #indentlessItems(node: SequenceNode): void {
    while (this.#at('block-entry')) {
      const { end } = this.#scanner.take();
      const none = this.#at('block-entry', 'key', 'value', 'block-end');
      node.items.push(none ? this.#empty(end) : this.#node(true, false));
    }
  }

  #blockPairs(node: MappingNode): void {
    const { start } = this.#scanner.take();
    for (;;) {
      const token = this.#scanner.take();
      if (token.type === 'block-end') return;
      if (token.type !== 'key') {
        throw this.#error('did not find expected key', token.start, ['while parsing a block mapping', start]);
      }
      const none = this.#at('key', 'value', 'block-end');
      const key = none ? this.#empty(token.end) : this.#node(true, true);
      node.pairs.push([key, this.#blockValue()]);
    }
  }

  #blockValue(): YamlNode {
    const token = this.#scanner.peek();
    if (token.type !== 'value') return this.#empty(token.start);
    this.#scanner.take();
    return this.#at('key', 'value', 'block-end') ? this.#empty(token.end) : this.#node(true, true);
  }

  #flowItems(node: SequenceNode): void {
    const { start } = this.#scanner.take();
    for (let first = true; !this.#at('flow-sequence-end'); first = false) {
      if (!first) {
        this.#flowComma("did not find expected ',' or ']'", ['while parsing a flow sequence', start]);
        if (this.#at('flow-sequence-end')) break;
      }
      const token = this.#scanner.peek();
      node.items.push(token.type === 'key' ? this.#flowSinglePair(token) : this.#node(false, false));
    }
    this.#scanner.take();
  }

  /** `[a: b]`: a mapping of one pair without braces. */
  #flowSinglePair(keyToken: Token): MappingNode {
    const properties = { start: keyToken.start, anchor: undefined, tag: undefined };
    return this.#mapping(properties, (node) => {
      this.#scanner.take();
      node.pairs.push(this.#flowPair('flow-sequence-end'));
    });
  }

  #flowPairs(node: MappingNode): void {
    const { start } = this.#scanner.take();
    for (let first = true; !this.#at('flow-mapping-end'); first = false) {
      if (!first) {
        this.#flowComma("did not find expected ',' or '}'", ['while parsing a flow mapping', start]);
        if (this.#at('flow-mapping-end')) break;
      }
      if (this.#at('key')) {
        this.#scanner.take();
        node.pairs.push(this.#flowPair('flow-mapping-end'));
      } else {
        const key = this.#node(false, false);
        node.pairs.push([key, this.#empty(this.#scanner.peek().start)]);
      }
    }
    this.#scanner.take();
  }

  #flowPair(end: 'flow-sequence-end' | 'flow-mapping-end'): NodePair {
    const key = this.#at('value', 'flow-entry', end) ? this.#emptyFlowKey(end) : this.#node(false, false);
    if (!this.#at('value')) return [key, this.#empty(this.#scanner.peek().start)];
    this.#scanner.take();
    const none = this.#at('flow-entry', end);
    return [key, none ? this.#empty(this.#scanner.peek().start) : this.#node(false, false)];
  }

  /** libyaml drops the token behind an empty key in a sequence, so that `[? : a]` is an error. */
  #emptyFlowKey(end: 'flow-sequence-end' | 'flow-mapping-end'): YamlNode {
    const { start } = end === 'flow-sequence-end' ? this.#scanner.take() : this.#scanner.peek();
    return this.#empty(start);
  }

  #flowComma(reason: string, context: readonly [string, Mark]): void {
    const token = this.#scanner.peek();
    if (token.type !== 'flow-entry') throw this.#error(reason, token.start, context);
    this.#scanner.take();
  }

  #at(...types: readonly Token['type'][]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  #error(reason: string, at: Mark, context?: readonly [string, Mark]): YamlError {
    return yamlErrorAt(this.#source, 'parser', reason, at, context);
  }
}

function collectionTag(tag: string | undefined, usual: 'seq' | 'map'): string {
  return tag === undefined || tag === '!' ? TAGS[usual] : tag;
}
