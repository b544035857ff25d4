/** YAML text to values, exactly as Salt reads its configuration, states and pillars. */
import { YAMLException, parseEvents } from 'js-yaml';
import type { Value } from '../values/value.ts';
import { composeNodes, yamlErrorAt, type YamlSource } from './compose.ts';
import { constructValue } from './construct.ts';
import { YamlError } from './error.ts';
import { syntaxReason } from './syntax.ts';

export { YamlError } from './error.ts';
export { resolvePlainScalar } from './scalar.ts';

/** Deepest nesting; Python's recursion limit lies near it. */
const MAX_DEPTH = 1000;

/** Characters libyaml's reader refuses anywhere in a text. */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** How to load. */
export interface LoadYamlOptions {
  /** the text's name in errors, usually its path */
  readonly source?: string;
}

/**
 * Loads the only document of a YAML text as Salt's loader does (3006.16 salt/utils/yamlloader.py over PyYAML 6.0):
 * YAML 1.1 scalars, mappings in order, merge keys, duplicate keys refused.
 * @returns the value; null for an empty text
 * @throws YamlError naming line and column
 */
export function loadYaml(text: string, options: LoadYamlOptions = {}): Value {
  const source: YamlSource = { text, name: options.source ?? '<unicode string>' };
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden) {
    const code = (forbidden[0].codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    const reason = `unacceptable character #x${code}: control characters are not allowed`;
    throw yamlErrorAt(source, 'reader', reason, forbidden.index);
  }
  const root = composeNodes(events(source), source);
  return root === undefined ? null : constructValue(root, source);
}

function events(source: YamlSource): ReturnType<typeof parseEvents> {
  try {
    return parseEvents(source.text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { kind, reason, context } = syntaxReason(error.reason);
    const at = { line: (error.mark?.line ?? 0) + 1, column: (error.mark?.column ?? 0) + 1 };
    throw new YamlError(
      { kind, reason, at, source: source.name, ...(context !== undefined && { context }) },
      { cause: error },
    );
  }
}
