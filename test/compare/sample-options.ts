/** The options of a sample configuration of Salt's (`conf/master`, `conf/minion`), each taken out of its comment. */
import { isAbsolute, join } from 'node:path';
import type { OptionSpec, OptionTable } from '../../src/config/option.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { copyValue, isDict, PyFloat, valuesEqual, type Value } from '../../src/python/values/value.ts';

/** One option with one value. */
export interface OptionCase {
  readonly name: string;
  readonly value: Value;
}

const HEAD = /^#( ?)([a-z_][a-z0-9_.]*):(?:\s+(\S.*))?$/;

/**
 * The options of a sample, as written there. A line is an option when it begins with a name in small letters and a
 * colon; what is indented below one without a value belongs to it, as far as it is YAML.
 */
export function sampleOptions(text: string): OptionCase[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at): OptionCase[] => {
    const [found, indent = '', name = '', written] = HEAD.exec(line) ?? [];
    if (found === undefined) return [];
    const value = written === undefined ? blockBelow(lines.slice(at + 1), indent) : readLine(written);
    return value === undefined ? [] : [{ name, value }];
  });
}

function readLine(text: string): Value | undefined {
  try {
    return loadYaml(text, { source: 'sample' });
  } catch {
    return undefined;
  }
}

/** What is indented, or a list; null for nothing. */
function blockBelow(lines: readonly string[], indent: string): Value | undefined {
  const belongs = new RegExp(`^#${indent}(?:  +\\S| *- )`);
  const end = lines.findIndex((line) => !belongs.test(line));
  const block = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.slice(1 + indent.length));
  for (let length = block.length; length > 0; length--) {
    const value = readLine(block.slice(0, length).join('\n'));
    if (isDict(value) || Array.isArray(value)) return value;
  }
  return null;
}

/**
 * A case whose value is not the default, and in whose value no path leads out of a folder.
 * @param port one that nobody listens on
 */
export function unlikeDefault(
  { name, value }: OptionCase,
  table: OptionTable,
  folder: string,
  port: number,
): OptionCase {
  const spec = Object.hasOwn(table, name) ? table[name] : undefined;
  const inside = intoFolder(value, folder);
  if (name.endsWith('_port')) return { name, value: port };
  const isSame = inside === null || (spec !== undefined && valuesEqual(inside, spec.default));
  return { name, value: isSame ? another(inside, spec) : inside };
}

function intoFolder(value: Value, folder: string): Value {
  if (typeof value === 'string') return isAbsolute(value) ? join(folder, value) : value;
  if (Array.isArray(value)) return value.map((item) => intoFolder(item, folder));
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, intoFolder(item, folder)]));
  return value;
}

/** Another value of the same type. */
function another(value: Value, spec: OptionSpec | undefined): Value {
  if (value === null) return spec === undefined ? 'something' : ANOTHER_OF_KIND[spec.kind];
  if (typeof value === 'boolean') return !value;
  if (value instanceof PyFloat) return new PyFloat(value.value + 1);
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  const more = copyValue(value);
  if (Array.isArray(more)) more.push('something');
  else if (isDict(more)) more.set('something', 'else');
  return more;
}

const ANOTHER_OF_KIND: Readonly<Record<OptionSpec['kind'], Value>> = {
  str: 'something',
  'str?': 'something',
  int: 7,
  'int?': 7,
  num: 7,
  bool: true,
  'bool?': true,
  list: ['something'],
  dict: new Map([['something', 'else']]),
  any: 'something',
};
