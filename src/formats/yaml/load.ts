/** YAML text to values, exactly as Salt reads its configuration, states and pillars. */
import type { OrderedDict, Value } from '../../python/values/value.ts';
import { constructValue, type OnDuplicateKey } from './construct.ts';
import type { YamlSource } from './cursor.ts';
import { YamlError, positionAt } from './error.ts';
import { parseDocument } from './parser.ts';

export { YamlError } from './error.ts';
export { resolvePlainScalar } from './scalar.ts';

/** Characters libyaml's reader refuses anywhere in a text. */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** How to load. */
export interface LoadYamlOptions {
  /** the text's name in errors, usually its path */
  readonly source?: string;
  /** mappings become {@link OrderedDict}, as Salt's yaml renderer makes them */
  readonly ordered?: boolean;
  /** the last of several equal keys counts, and this is told of each; without it they are an error */
  readonly onDuplicate?: OnDuplicateKey;
}

/**
 * Loads the only document of a YAML text as Salt's loader does (3006.16 salt/utils/yamlloader.py over PyYAML 6.0):
 * YAML 1.1 scalars, mappings in order, merge keys, duplicate keys refused unless `onDuplicate` is given.
 * @returns the value; null for an empty text
 * @throws YamlError naming line and column
 */
export function loadYaml(text: string, options: LoadYamlOptions = {}): Value {
  // a byte order mark is no part of the text
  const source: YamlSource = {
    text: text.replace(/^\ufeff/, ''),
    name: options.source ?? '<unicode string>',
  };
  refuseForbidden(source);
  const root = parseDocument(source);
  return root === undefined ? null : constructValue(root, source, options.ordered, options.onDuplicate);
}

function refuseForbidden(source: YamlSource): void {
  const forbidden = FORBIDDEN.exec(source.text);
  if (!forbidden) return;
  const code = (forbidden[0].codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  throw new YamlError({
    kind: 'reader',
    reason: `unacceptable character #x${code}: control characters are not allowed`,
    at: positionAt(source.text, forbidden.index),
    source: source.name,
  });
}
