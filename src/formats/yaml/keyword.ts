/** `key=value` texts, as Salt finds them on command lines and, for publishes of old clients, on the minion. */
import type { Value } from '../../python/values/value.ts';
import { splitKeyword } from './split-keyword.ts';
import { yamlifyArgument } from './yamlify.ts';

/** Splits `key=value` and reads the value as YAML; undefined when the text is no keyword. */
export function parseKeyword(text: string): { name: string; value: Value } | undefined {
  const split = splitKeyword(text);
  return split && { name: split.name, value: yamlifyArgument(split.text) };
}
