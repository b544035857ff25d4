/** The graph of nodes between the text and the values. */
import type { Mark } from './cursor.ts';

/** Prefix of the tags that YAML itself defines. */
export const YAML_TAG = 'tag:yaml.org,2002:';

/** Tags a scalar or collection gets without being told. */
export const TAGS = {
  null: `${YAML_TAG}null`,
  bool: `${YAML_TAG}bool`,
  int: `${YAML_TAG}int`,
  float: `${YAML_TAG}float`,
  merge: `${YAML_TAG}merge`,
  value: `${YAML_TAG}value`,
  str: `${YAML_TAG}str`,
  seq: `${YAML_TAG}seq`,
  map: `${YAML_TAG}map`,
} as const;

interface NodeBase {
  /** full tag, `tag:yaml.org,2002:int` */
  tag: string;
  /** the node's first character, its properties included */
  readonly start: Mark;
  /** how many nodes it has when every alias is written out */
  size: number;
  /** an alias stands for it somewhere, or for the mapping that it is a value of */
  shared?: boolean;
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

/** Any node. Aliases share the node they stand for. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;
