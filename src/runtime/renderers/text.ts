/** The text renderer: what comes in goes out, without the line that names the renderers. Salt has none of this name. */
import { withoutShebang } from './json.ts';
import type { Renderer } from './renderer.ts';

export const textRenderer: Renderer = {
  name: 'text',
  render: (input) => (typeof input === 'string' ? withoutShebang(input) : input),
};
