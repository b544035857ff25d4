/** Merge keys (`<<`) of mappings, as PyYAML's SafeConstructor resolves them. */
import { TAGS, type MappingNode, type NodePair, type YamlNode } from './node.ts';

/** Makes the error of a node that cannot be merged into a mapping. */
export type MergeFault = (reason: string, node: YamlNode, mapping: MappingNode) => Error;

/** Resolves merge keys in place: what is merged comes first, own keys win. @throws what `fault` makes */
export function flattenMerges(node: MappingNode, fault: MergeFault): void {
  if (!node.pairs.some(([key]) => key.tag === TAGS.merge || key.tag === TAGS.value)) return;
  const merged: NodePair[] = [];
  const own: NodePair[] = [];
  for (const pair of node.pairs) {
    const [key, value] = pair;
    if (key.tag === TAGS.merge) merged.push(...mergedPairs(node, value, fault));
    else own.push(pair);
    if (key.tag === TAGS.value) key.tag = TAGS.str;
  }
  if (merged.length === 0) {
    node.pairs = own;
    return;
  }
  const names = new Set(own.map(([key]) => (key.kind === 'scalar' ? key.text : key)));
  node.pairs = [...merged.filter(([key]) => !names.has(key.kind === 'scalar' ? key.text : key)), ...own];
}

function mergedPairs(node: MappingNode, value: YamlNode, fault: MergeFault): NodePair[] {
  if (value.kind === 'mapping') {
    flattenMerges(value, fault);
    return value.pairs;
  }
  if (value.kind === 'scalar')
    throw fault('expected a mapping or list of mappings for merging, but found scalar', value, node);
  const parts: NodePair[][] = [];
  for (const item of value.items) {
    if (item.kind !== 'mapping')
      throw fault(`expected a mapping for merging, but found ${item.kind}`, item, node);
    flattenMerges(item, fault);
    parts.push(item.pairs);
  }
  return parts.reverse().flat();
}
