/** From nodes to values, as PyYAML's SafeConstructor with Salt's loader does it. */
import { pyStr, textRepr } from '../../python/values/repr.ts';
import { OrderedDict, PyFloat, type Dict, type Value } from '../../python/values/value.ts';
import { yamlErrorAt, type YamlSource } from './cursor.ts';
import type { YamlError } from './error.ts';
import { flattenMerges } from './merge-keys.ts';
import { TAGS, YAML_TAG, type MappingNode, type SequenceNode, type YamlNode } from './node.ts';
import { ScalarError, parseBoolean, parseFloat, parseInteger } from './scalar.ts';

const IN_MAPPING = 'while constructing a mapping';

/**
 * Builds the value of a node graph. Aliased nodes give one shared value. Like PyYAML, collections are filled level by
 * level, so that of two mistakes the outer one is reported.
 * @throws YamlError for duplicate keys, keys that are lists or mappings, unknown tags and scalars their tag cannot read
 */
export function constructValue(
  root: YamlNode,
  source: YamlSource,
  ordered = false,
  onDuplicate?: OnDuplicateKey,
): Value {
  return new Constructor(source, ordered, onDuplicate).construct(root);
}

/** Told of a key that stands twice in one mapping, where the last one is to count. */
export type OnDuplicateKey = (error: YamlError) => void;

class Constructor {
  readonly #source: YamlSource;
  readonly #ordered: boolean;
  /** values of nodes that aliases stand for */
  readonly #done = new Map<YamlNode, Value>();
  /** collections that exist but are not filled yet */
  #pending: (() => void)[] = [];
  readonly #onDuplicate: OnDuplicateKey | undefined;

  constructor(source: YamlSource, ordered: boolean, onDuplicate: OnDuplicateKey | undefined) {
    this.#source = source;
    this.#ordered = ordered;
    this.#onDuplicate = onDuplicate;
  }

  construct(root: YamlNode): Value {
    const value = this.#value(root);
    while (this.#pending.length > 0) {
      const round = this.#pending;
      this.#pending = [];
      for (const fill of round) fill();
    }
    return value;
  }

  #value(node: YamlNode): Value {
    if (!node.shared) return this.#build(node);
    const known = this.#done.get(node);
    if (known !== undefined) return known;
    const value = this.#build(node);
    this.#done.set(node, value);
    return value;
  }

  #build(node: YamlNode): Value {
    // plain text is most of any document
    if (node.tag === TAGS.str && node.kind === 'scalar') return node.text;
    switch (node.tag.startsWith(YAML_TAG) ? node.tag.slice(YAML_TAG.length) : '') {
      case 'map':
        return this.#map(node);
      case 'seq':
        return this.#list(node);
      case 'omap':
      case 'pairs':
        return this.#pairs(node);
      case 'set':
        return this.#set(node);
      case 'str':
      case 'timestamp':
      case 'python/unicode':
        return this.#text(node);
      case 'null':
        this.#text(node);
        return null;
      case 'bool':
        return this.#scalar(node, parseBoolean);
      case 'int':
        return this.#scalar(node, parseInteger);
      case 'float':
        return this.#scalar(node, parseFloat);
      case 'binary':
        return new Uint8Array(Buffer.from(this.#text(node), 'base64'));
      default:
        throw this.#error(`could not determine a constructor for the tag ${textRepr(node.tag)}`, node);
    }
  }

  #text(node: YamlNode): string {
    if (node.kind === 'scalar') return node.text;
    throw this.#error(`expected a scalar node, but found ${node.kind}`, node);
  }

  #scalar(node: YamlNode, parse: (text: string) => Value): Value {
    const text = this.#text(node);
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof ScalarError) throw this.#error(error.message, node);
      throw error;
    }
  }

  #list(node: YamlNode): Value[] {
    const { items } = this.#expectSequence(node);
    const list: Value[] = [];
    this.#pending.push(() => {
      for (const item of items) list.push(this.#value(item));
    });
    return list;
  }

  /** `!!omap` and `!!pairs`: a list of two-element lists (Python: tuples). */
  #pairs(node: YamlNode): Value[] {
    const { items } = this.#expectSequence(node);
    const list: Value[] = [];
    this.#pending.push(() => {
      for (const item of items) {
        const pair = item.kind === 'mapping' && item.pairs.length === 1 ? item.pairs[0] : undefined;
        if (!pair) throw this.#error('expected a mapping of length 1', item);
        list.push([this.#value(pair[0]), this.#value(pair[1])]);
      }
    });
    return list;
  }

  /** `!!set`: the model of values has no set, so a list. */
  #set(node: YamlNode): Value[] {
    const mapping = this.#expectMapping(node);
    const list: Value[] = [];
    this.#pending.push(() => {
      for (const key of this.#filled(mapping).keys()) list.push(key);
    });
    return list;
  }

  #map(node: YamlNode): Dict {
    const mapping = this.#expectMapping(node);
    const map: Dict = this.#ordered ? new OrderedDict() : new Map();
    this.#pending.push(() => {
      this.#filled(mapping, map);
    });
    return map;
  }

  #filled(node: MappingNode, map: Dict = new Map()): Dict {
    flattenMerges(node, (reason, at, mapping) => this.#error(reason, at, mapping));
    let seen: Set<string> | undefined;
    for (const [keyNode, valueNode] of node.pairs) {
      const key = this.#value(keyNode);
      if (Array.isArray(key) || key instanceof Map) {
        throw this.#error(`found unacceptable key ${contentRepr(keyNode)}`, keyNode, node);
      }
      const value = this.#value(valueNode);
      const id = typeof key === 'string' ? undefined : keyIdentity(key);
      if (id === undefined ? map.has(key) : seen?.has(id)) {
        const error = this.#error(`found conflicting ID '${pyStr(key)}'`, keyNode, node);
        if (this.#onDuplicate === undefined) throw error;
        this.#onDuplicate(error);
      }
      if (id !== undefined) (seen ??= new Set()).add(id);
      map.set(key, value);
    }
    return map;
  }

  #expectSequence(node: YamlNode): SequenceNode {
    if (node.kind === 'sequence') return node;
    throw this.#error(`expected a sequence node, but found ${node.kind}`, node);
  }

  #expectMapping(node: YamlNode): MappingNode {
    if (node.kind === 'mapping') return node;
    throw this.#error(`expected a mapping node, but found ${node.kind}`, node);
  }

  #error(reason: string, node: YamlNode, mapping?: MappingNode): YamlError {
    const context = mapping && ([IN_MAPPING, mapping.start] as const);
    return yamlErrorAt(this.#source, 'constructor', reason, node.start, context);
  }
}

/** What makes two keys that are not text the same key to Python: 1, 1.0 and True are one. */
function keyIdentity(key: Value): string {
  if (typeof key === 'boolean') return key ? '1' : '0';
  if (key instanceof PyFloat) return Object.is(key.value, -0) ? '0' : String(key.value);
  if (key instanceof Uint8Array) return `b${Buffer.from(key).toString('hex')}`;
  return String(key);
}

/** PyYAML's print of what is inside a node, which Salt puts into the message about keys that cannot be used. */
function contentRepr(node: YamlNode): string {
  if (node.kind === 'scalar') return node.text;
  const parts =
    node.kind === 'sequence'
      ? node.items.map(nodeRepr)
      : node.pairs.map(([key, value]) => `(${nodeRepr(key)}, ${nodeRepr(value)})`);
  return `[${parts.join(', ')}]`;
}

function nodeRepr(node: YamlNode): string {
  const name = { scalar: 'ScalarNode', sequence: 'SequenceNode', mapping: 'MappingNode' }[node.kind];
  const content = node.kind === 'scalar' ? textRepr(node.text) : contentRepr(node);
  return `${name}(tag=${textRepr(node.tag)}, value=${content})`;
}
