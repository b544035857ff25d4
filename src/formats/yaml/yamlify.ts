/** How words of a command line become values. */
import { strip } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { loadYaml } from './load.ts';
import { YamlError } from './error.ts';

/**
 * The value of one word of a command line (3006.16 salt/utils/args.py yamlify_arg): YAML where the result is clearly
 * meant, else the word itself. Lists and mappings count only when the word starts with their bracket.
 */
export function yamlifyArgument(text: string): Value {
  const stripped = strip(text);
  if (stripped === '' || stripped === '---' || stripped === '...') return text;
  if (text.includes('_') && /^[0-9_]*$/.test(stripped)) return text;
  if (/[\t\r\n]/.test(text)) return text;
  if (text === 'None') return null;
  const parsed = parsedOrSame(text);
  if (text.includes('#')) return typeof parsed === 'string' || parsed === null ? text : parsed;
  if (parsed instanceof Map) return text.startsWith('{') ? parsed : text;
  if (Array.isArray(parsed)) return text.startsWith('[') ? parsed : text;
  if (parsed instanceof Uint8Array) return text;
  if (text === '|' && parsed === '') return text;
  if (text === '!' && (parsed === '' || parsed === null)) return text;
  return parsed;
}

function parsedOrSame(text: string): Value {
  try {
    return loadYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return text;
    throw error;
  }
}
