/**
 * YAML output as Salt writes it: `salt.utils.yaml.safe_dump` (3006.16), that is PyYAML's safe dumper over libyaml's
 * emitter, with Unicode left as it is.
 */
import { sortedEntries, UnorderableError } from '../../python/values/order.ts';
import { floatRepr, pyRepr } from '../../python/values/repr.ts';
import {
  isBytes,
  isFloat,
  OrderedDict,
  PyDatetime,
  PyFloat,
  type Dict,
  type Value,
  PyObject,
} from '../../python/values/value.ts';
import { Emitter, type Node, type ScalarNode } from './emitter.ts';
import { plainTag } from './plain-tags.ts';

/** PyYAML's options, in our spelling. */
export interface YamlDumpOptions {
  /**
   * `false` (default): block style. `true`: everything in braces. `null`: lists and mappings that hold only scalars in
   * braces, which is what `safe_dump` does when it is not told (Salt's yaml serializer, for one).
   */
  readonly defaultFlowStyle?: boolean | null;
  /** Columns per level; outside 2 to 9 it is 2. */
  readonly indent?: number;
  /** Column after which long text is folded; 80. Negative: never. */
  readonly width?: number;
  /** Leave characters outside ASCII as they are; true. */
  readonly allowUnicode?: boolean;
  /** Sort keys (if they can be compared); true. */
  readonly sortKeys?: boolean;
  /** Begin with `---`. */
  readonly explicitStart?: boolean;
  /** End with `...`. */
  readonly explicitEnd?: boolean;
}

/**
 * Writes a value as YAML; ends with a newline. A list or mapping that occurs twice (the very same object) is written
 * once and then referred to (`*id001`), as PyYAML does.
 */
export function dumpYaml(value: Value, options: YamlDumpOptions = {}): string {
  const indent = options.indent ?? 2;
  const best = indent < 2 || indent > 9 ? 2 : indent;
  const width = options.width ?? 80;
  const emitter = new Emitter({
    indent: best,
    width: width < 0 ? Infinity : width <= best * 2 ? 80 : width,
    allowUnicode: options.allowUnicode ?? true,
  });
  const builder = new NodeBuilder(options, findAnchors(value, options));
  if (options.explicitStart) emitter.startMarker();
  emitter.root(builder.node(value));
  if (options.explicitEnd) emitter.endMarker();
  return emitter.text();
}

type Shared = Value[] | Dict | PyDatetime;

function isShared(value: Value): value is Shared {
  return Array.isArray(value) || value instanceof Map || value instanceof PyDatetime;
}

function entriesOf(map: Dict, options: YamlDumpOptions): Iterable<[Value, Value]> {
  if (options.sortKeys === false || (options.sortKeys === undefined && map instanceof OrderedDict))
    return map;
  try {
    return sortedEntries(map);
  } catch (error) {
    if (error instanceof UnorderableError) return map;
    throw error;
  }
}

/** The names of all objects that occur more than once, numbered in the order in which they occur again. */
function findAnchors(root: Value, options: YamlDumpOptions): ReadonlyMap<Shared, string> {
  const anchors = new Map<Shared, string>();
  // most data shares nothing, which can be seen without sorting
  if (
    !visitShared(
      root,
      (map) => map,
      () => true,
    )
  )
    return anchors;
  visitShared(
    root,
    (map) => entriesOf(map, options),
    (value) => {
      if (!anchors.has(value)) anchors.set(value, `id${String(anchors.size + 1).padStart(3, '0')}`);
      return false;
    },
  );
  return anchors;
}

/** Walks over all objects, telling `again` of those met before. @returns true when `again` ended the walk */
function visitShared(
  root: Value,
  entries: (map: Dict) => Iterable<[Value, Value]>,
  again: (value: Shared) => boolean,
): boolean {
  const seen = new Set<Shared>();
  const visit = (value: Value): boolean => {
    if (!isShared(value)) return false;
    if (seen.has(value)) return again(value);
    seen.add(value);
    if (Array.isArray(value)) return value.some(visit);
    if (!(value instanceof Map)) return false;
    for (const [key, item] of entries(value)) if (visit(key) || visit(item)) return true;
    return false;
  };
  return visit(root);
}

class NodeBuilder {
  readonly #options: YamlDumpOptions;
  readonly #anchors: ReadonlyMap<Shared, string>;
  readonly #written = new Set<Shared>();

  constructor(options: YamlDumpOptions, anchors: ReadonlyMap<Shared, string>) {
    this.#options = options;
    this.#anchors = anchors;
  }

  node(value: Value): Node {
    if (!isShared(value)) return scalarNode(value);
    const name = this.#anchors.get(value);
    if (name !== undefined && this.#written.has(value)) return { kind: 'alias', anchor: name };
    if (name !== undefined) this.#written.add(value);
    const anchor = name === undefined ? {} : { anchor: name };
    if (value instanceof PyDatetime) return { ...typed(value.toString(), 'timestamp'), ...anchor };
    if (Array.isArray(value)) {
      const items = value.map((item) => this.node(item));
      return { kind: 'sequence', items, flow: this.#flow(value), ...anchor };
    }
    const entries = [...entriesOf(value, this.#options)].map(([key, item]): [Node, Node] => [
      this.node(key),
      this.node(item),
    ]);
    return { kind: 'mapping', entries, flow: this.#flow(value), ...anchor };
  }

  #flow(value: Value[] | Dict): boolean {
    const flow = this.#options.defaultFlowStyle;
    if (flow !== null) return flow ?? false;
    const children = Array.isArray(value) ? value : [...value.keys(), ...value.values()];
    return children.every(isPlainLeaf);
  }
}

/** Scalars that have no style forced upon them (bytes do). */
function isPlainLeaf(value: Value): boolean {
  return !Array.isArray(value) && !(value instanceof Map) && !isBytes(value);
}

function scalarNode(value: Exclude<Value, Shared>): ScalarNode {
  if (value === null) return typed('null', 'null');
  // what it cannot represent (salt/utils/yamldumper.py `represent_undefined`, 3006.16)
  if (value instanceof PyObject)
    return value.title.startsWith('datetime.date') ? typed(value.str, 'timestamp') : typed('NULL', 'null');
  if (typeof value === 'boolean') return typed(String(value), 'bool');
  if (typeof value === 'string') return typed(value, 'str');
  if (isFloat(value)) return typed(floatText(value instanceof PyFloat ? value.value : value), 'float');
  if (isBytes(value))
    return {
      kind: 'scalar',
      text: base64Lines(value),
      quoted: true,
      isText: false,
      tag: '!!binary',
      literal: true,
    };
  return typed(pyRepr(value), 'int');
}

/** A scalar; text that would be read as something else must be quoted. */
function typed(text: string, tag: ReturnType<typeof plainTag>): ScalarNode {
  return { kind: 'scalar', text, quoted: plainTag(text) !== tag, isText: tag === 'str' };
}

/** A float as YAML 1.1 can read it: with a point even before an exponent. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const text = floatRepr(value);
  return text.includes('.') ? text : text.replace('e', '.0e');
}

/** Base64 in lines of 76 characters, the last one ended too. */
function base64Lines(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return text.replace(/.{1,76}/g, '$&\n');
}
