/** What a plain YAML scalar would be read as: PyYAML 6.0's implicit resolvers, timestamps included. */

/** The kinds of plain scalar that PyYAML tells apart. */
export type PlainTag = 'null' | 'bool' | 'int' | 'float' | 'merge' | 'value' | 'timestamp' | 'yaml' | 'str';

const RULES: readonly (readonly [tag: PlainTag, firstChars: string, pattern: RegExp])[] = [
  [
    'bool',
    'yYnNtTfFoO',
    /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)\n?$/,
  ],
  [
    'float',
    '-+0123456789.',
    /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\n?$/,
  ],
  [
    'int',
    '-+0123456789',
    /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)\n?$/,
  ],
  ['merge', '<', /^<<\n?$/],
  ['null', '~nN', /^(?:~|null|Null|NULL)\n?$/],
  [
    'timestamp',
    '0123456789',
    /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)\n?$/,
  ],
  ['value', '=', /^=\n?$/],
  ['yaml', '!&*', /^[!&*]\n?$/],
];

/** The tag a plain scalar of this text would get. */
export function plainTag(text: string): PlainTag {
  if (text === '') return 'null';
  const first = text.charAt(0);
  for (const [tag, chars, pattern] of RULES) {
    if (chars.includes(first) && pattern.test(text)) return tag;
  }
  return 'str';
}
