/** The yaml renderer (3006.16 salt/renderers/yaml.py). */
import { excerpt } from '../jinja/index.ts';
import { truthy, type Value } from '../values/value.ts';
import { loadYaml, YamlError } from '../yaml/load.ts';
import { SaltRenderError, textOf, type Renderer } from './renderer.ts';

function refuseMappingKeys(value: Value): void {
  if (Array.isArray(value)) value.forEach(refuseMappingKeys);
  if (!(value instanceof Map)) return;
  for (const [key, item] of value) {
    if (key instanceof Map) throw new SaltRenderError('Invalid YAML, possible double curly-brace');
    refuseMappingKeys(item);
  }
}

/** Salt's sentence about YAML: the reason, the line and the lines around it. */
export function yamlSentence(error: YamlError, text: string): string {
  if (error.reason.includes('mapping as key')) return 'Invalid YAML, possible double curly-brace';
  if (error.kind !== 'scanner') return error.message;
  const reason = error.reason.includes("'\\t' that cannot start") ? 'Illegal tab character' : error.reason;
  return `${reason}; line ${error.line}\n\n${excerpt(text, error.line)}`;
}

export const yamlRenderer: Renderer = {
  name: 'yaml',
  render: (input) => {
    if (typeof input !== 'string' && input !== null) return input;
    const text = textOf(input ?? '', 'yaml');
    let value: Value;
    try {
      value = loadYaml(text);
    } catch (error) {
      if (error instanceof YamlError) throw new SaltRenderError(yamlSentence(error, text), { cause: error });
      throw error;
    }
    if (!truthy(value)) return new Map();
    refuseMappingKeys(value);
    return value;
  },
};
