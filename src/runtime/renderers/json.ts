/** The json renderer (3006.16 salt/renderers/json.py). */
import { JsonSyntaxError, parseJson } from '../../formats/json/text.ts';
import { SaltRenderError, textOf, type Renderer } from './renderer.ts';

/** The text without the line that names the renderers. */
export function withoutShebang(text: string): string {
  return text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text;
}

export const jsonRenderer: Renderer = {
  name: 'json',
  render: (input) => {
    const text = withoutShebang(textOf(input, 'json'));
    if (text.trim() === '') return new Map();
    try {
      return parseJson(text);
    } catch (error) {
      if (error instanceof JsonSyntaxError) throw new SaltRenderError(error.message, { cause: error });
      throw error;
    }
  },
};
