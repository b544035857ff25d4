/** The yaml renderer (3006.16 salt/renderers/yaml.py). */
import { truthy, type Value } from '../../python/values/value.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import type { ParsedTexts } from './parsed-texts.ts';
import { SaltRenderError, textOf, type Renderer } from './renderer.ts';

function refuseMappingKeys(value: Value): void {
  if (Array.isArray(value)) value.forEach(refuseMappingKeys);
  if (!(value instanceof Map)) return;
  for (const [key, item] of value) {
    if (key instanceof Map) throw new SaltRenderError('Invalid YAML, possible double curly-brace');
    refuseMappingKeys(item);
  }
}

/** Salt's sentence about YAML: what libyaml's scanner refuses comes without its place. */
function yamlSentence(error: YamlError): string {
  if (error.reason.includes('mapping as key')) return 'Invalid YAML, possible double curly-brace';
  return error.kind === 'scanner' ? error.reason : error.message;
}

function readYaml(text: string): Value {
  let value: Value;
  try {
    value = loadYaml(text, { ordered: true });
  } catch (error) {
    if (!(error instanceof YamlError) || error.kind === 'composer') throw error;
    throw new SaltRenderError(yamlSentence(error), { cause: error });
  }
  if (!truthy(value)) return new Map(); // a plain one in Salt, too
  refuseMappingKeys(value);
  return value;
}

/** Makes the yaml renderer. @param texts remembers what texts say, where the same ones come again and again */
export function yamlRenderer(texts?: ParsedTexts): Renderer {
  return {
    name: 'yaml',
    render: (input) => {
      if (typeof input !== 'string' && input !== null) return input;
      const text = textOf(input ?? '', 'yaml');
      return texts === undefined ? readYaml(text) : texts.read(text, readYaml);
    },
  };
}
