/** Renderers that few files use, loaded with the first of them; and what is said of those that there are not. */
import {
  PYTHON_RENDERERS,
  RENDERERS,
  SALTS_RENDERERS,
  STATE_RENDERERS,
} from '../../config/renderer-names.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import type { JinjaRendererDeps } from './jinja.ts';
import type { Renderer } from './renderer.ts';

const DATA_FORMATS: ReadonlySet<string> = new Set(['hjson', 'json5', 'msgpack', 'toml', 'yamlex']);

/**
 * One of the renderers of this file.
 * @param find gives another by its name, also a custom one
 */
export async function furtherRenderer(
  name: string,
  deps: Pick<JinjaRendererDeps, 'clock' | 'log'>,
  find: (name: string) => Promise<Renderer | undefined>,
): Promise<Renderer | undefined> {
  if (DATA_FORMATS.has(name)) {
    const { dataRenderers } = await import('./data-formats.ts');
    return dataRenderers.find((renderer) => renderer.name === name);
  }
  if (name === 'stateconf') return (await import('./stateconf.ts')).stateconfRenderer(find);
  if (name === 'nacl') return (await import('./nacl.ts')).naclRenderer;
  if (name === 'pass') return (await import('./pass.ts')).passRenderer(deps);
  return undefined;
}

/** Why a renderer cannot be used. */
export function unknownRenderer(name: string): string {
  if (SALTS_RENDERERS.includes(name))
    return `The renderer "${name}" is not available: it is Salt's own Python; where a Salt is installed it is there with salt_python: True.`;
  const all = [...RENDERERS, ...PYTHON_RENDERERS, ...STATE_RENDERERS].sort();
  return `The renderer "${name}" is not available.${didYouMean(name, all)} There are: ${all.join(', ')}, those of a site in _renderers, and with salt_python: True those of an installed Salt.`;
}
