/** Renderers of further data formats: toml, json5, hjson, msgpack and yamlex (3006.16 salt/renderers/). */
import { parseHjson } from '../../../formats/json/hjson.ts';
import { parseJson5 } from '../../../formats/json/json5.ts';
import { JsonSyntaxError } from '../../../formats/json/text.ts';
import { parseToml, TomlSyntaxError } from '../../../formats/toml/read.ts';
import { decode } from '../../../formats/wire/msgpack.ts';
import { YamlError } from '../../../formats/yaml/load.ts';
import { loadYamlex } from '../../../formats/yaml/yamlex.ts';
import { messageOf } from '../../../errors/errors.ts';
import { isBytes, truthy, type Value } from '../../../python/values/value.ts';
import { withoutShebang } from '../json.ts';
import { SaltRenderError, textOf, type RendererSpec } from '../renderer.ts';

/**
 * A renderer of a format; nothing to read is an empty mapping, and data of the renderer before stay as they are in
 * none.
 */
function ofFormat(name: string, doc: string, read: (text: string) => Value): RendererSpec {
  return {
    name,
    doc,
    make: () => (input) => {
      const text = textOf(input ?? '', name);
      const value = text.trim() === '' ? new Map() : read(text);
      return truthy(value) || name.startsWith('json') || name === 'hjson' ? value : new Map();
    },
  };
}

/** Runs a reader of a text. @throws SaltRenderError with the sentence and the place of a fault of the text */
function reading(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const isFault =
      error instanceof TomlSyntaxError || error instanceof JsonSyntaxError || error instanceof YamlError;
    if (!isFault) throw error;
    throw new SaltRenderError(`${what}: ${error.message}`, { cause: error });
  }
}

/** MessagePack. */
export const msgpackRenderer: RendererSpec = {
  name: 'msgpack',
  doc: 'Reads MessagePack.',
  make: () => (input) => {
    const bytes = isBytes(input) ? Buffer.from(input) : Buffer.from(textOf(input ?? '', 'msgpack'), 'latin1');
    const start = bytes.subarray(0, 2).toString('latin1') === '#!' ? bytes.indexOf(0x0a) + 1 : 0;
    if (start >= bytes.length) return new Map();
    try {
      return decode(bytes.subarray(start), 'local');
    } catch (error) {
      throw new SaltRenderError(`msgpack: ${messageOf(error)}`, { cause: error });
    }
  },
};

/** TOML, where a first line `#!…` is a comment. */
export const tomlRenderer = ofFormat('toml', 'Reads TOML.', (text) => reading('TOML', () => parseToml(text)));

/** YAML with Salt's additions, where a first line `#!…` is a comment. */
export const yamlexRenderer = ofFormat(
  'yamlex',
  'Reads YAML in which mappings of the same key can be joined.',
  (text) => reading('YAMLEX', () => loadYamlex(text)),
);

/** JSON5. */
export const json5Renderer = ofFormat('json5', 'Reads JSON5.', (text) =>
  reading('JSON5', () => parseJson5(withoutShebang(text))),
);

/** Hjson. */
export const hjsonRenderer = ofFormat('hjson', 'Reads Hjson.', (text) =>
  reading('Hjson', () => parseHjson(withoutShebang(text))),
);
