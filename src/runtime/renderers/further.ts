/** Renderers that few files use, loaded with the first of them; and what is said of those that there are not. */
import {
  PYTHON_RENDERERS,
  RENDERERS,
  SALTS_RENDERERS,
  STATE_RENDERERS,
} from '../../config/renderer-names.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { FURTHER_RENDERERS } from './further/table.generated.ts';
import type { Renderer, RendererDeps } from './renderer.ts';

/** One of the renderers in `further/`. @returns undefined for another name */
export async function furtherRenderer(name: string, deps: RendererDeps): Promise<Renderer | undefined> {
  const spec = await FURTHER_RENDERERS.get(name)?.();
  return spec === undefined ? undefined : { name, render: spec.make(deps) };
}

/** Why a renderer cannot be used. */
export function unknownRenderer(name: string): string {
  if (SALTS_RENDERERS.includes(name))
    return `The renderer "${name}" is not available: it is Salt's own Python; where a Salt is installed it is there with salt_python: True.`;
  const all = [...RENDERERS, ...PYTHON_RENDERERS, ...STATE_RENDERERS].sort();
  return `The renderer "${name}" is not available.${didYouMean(name, all)} There are: ${all.join(', ')}, those of a site in _renderers, and with salt_python: True those of an installed Salt.`;
}
