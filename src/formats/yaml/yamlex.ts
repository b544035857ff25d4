/**
 * YAMLEX: YAML whose equal keys are merged, with the tags `!aggregate` and `!reset` (3006.16
 * salt/serializers/yamlex.py).
 */
import { valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { constructValue } from './construct.ts';
import { yamlErrorAt, type YamlSource } from './cursor.ts';
import type { YamlError } from './error.ts';
import { flattenMerges } from './merge-keys.ts';
import { TAGS, YAML_TAG, type MappingNode, type YamlNode } from './node.ts';
import { parseDocument } from './parser.ts';
import { implicitTag } from './scalar.ts';

const AGGREGATE = '!aggregate';
const RESET = '!reset';

/**
 * Reads a YAMLEX document.
 * @returns the value; null for an empty text
 * @throws YamlError
 */
export function loadYamlex(text: string, name = '<unicode string>'): Value {
  const source: YamlSource = { text: text.replace(/^\ufeff/, ''), name };
  const root = parseDocument(source);
  return root === undefined ? null : new Constructor(source).value(root);
}

/** Builds values depth first, so that what is merged is whole. */
class Constructor {
  readonly #source: YamlSource;
  /** What was marked with `!aggregate`: such lists are joined, and such mappings keep what both have. */
  readonly #marked = new Set<Value>();
  /** Nodes that are being built, to find one that contains itself. */
  readonly #open = new Set<YamlNode>();

  constructor(source: YamlSource) {
    this.#source = source;
  }

  #error(reason: string, node: YamlNode, mapping?: MappingNode): YamlError {
    const context = mapping && (['while constructing a mapping', mapping.start] as const);
    return yamlErrorAt(this.#source, 'constructor', reason, node.start, context);
  }

  /** The value of a node. */
  value(node: YamlNode): Value {
    if (node.tag === AGGREGATE) return this.#aggregate(node);
    if (node.tag === RESET) return this.#plain(node);
    const isOwn = node.tag === TAGS.map || node.tag === `${YAML_TAG}omap` || node.tag === TAGS.seq;
    return isOwn ? this.#plain(node) : constructValue(node, this.#source);
  }

  #aggregate(node: YamlNode): Value {
    const value = this.#plain(node);
    const marked = node.kind !== 'scalar' ? value : value === null ? [] : [value];
    this.#marked.add(marked);
    return marked;
  }

  /** The value as it is without the tags of YAMLEX. */
  #plain(node: YamlNode): Value {
    if (node.kind === 'scalar') {
      const isTagged = node.tag === AGGREGATE || node.tag === RESET;
      const tag = isTagged ? `${YAML_TAG}${implicitTag(node.text)}` : node.tag;
      return constructValue({ ...node, tag }, this.#source);
    }
    if (this.#open.has(node)) throw this.#error('found unconstructable recursive node', node);
    this.#open.add(node);
    const value = node.kind === 'sequence' ? node.items.map((item) => this.value(item)) : this.#mapping(node);
    this.#open.delete(node);
    return value;
  }

  #mapping(node: MappingNode): Dict {
    flattenMerges(node, (reason, at, mapping) => this.#error(reason, at, mapping));
    const map: Dict = new Map();
    for (const [keyNode, valueNode] of node.pairs) {
      const isMarkedKey = keyNode.tag === AGGREGATE;
      const key = this.#plain(keyNode);
      if (Array.isArray(key) || key instanceof Map)
        throw this.#error('found unacceptable key', keyNode, node);
      const value = isMarkedKey ? this.#aggregate(valueNode) : this.value(valueNode);
      const there = map.get(key);
      map.set(key, there === undefined || keyNode.tag === RESET ? value : this.#merged(there, value));
    }
    return map;
  }

  /** What two values of one key come to (3006.16 salt/utils/aggregation.py `aggregate`, without a level). */
  #merged(a: Value, b: Value): Value {
    const areMarked = this.#marked.has(a) && this.#marked.has(b);
    let merged = b;
    if (a instanceof Map && b instanceof Map) {
      const out: Dict = new Map(areMarked ? a : b);
      for (const [key, value] of b) {
        const there = a.get(key);
        out.set(key, there === undefined ? value : this.#merged(there, value));
      }
      merged = out;
    } else if (Array.isArray(a) && Array.isArray(b) && areMarked) {
      merged = [...a, ...b.filter((item) => !a.some((known) => valuesEqual(known, item)))];
    }
    const keepsMark = merged === b || (a instanceof Map && !areMarked) ? this.#marked.has(b) : areMarked;
    if (keepsMark) this.#marked.add(merged);
    return merged;
  }
}
