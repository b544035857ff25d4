/** Written by scripts/generate-plugins.mjs, of the definitions in `src/runtime/renderers/further`. */
import type { RendererSpec } from '../renderer.ts';

/** Every renderer that is loaded with the first file that names it. */
export const FURTHER_RENDERERS: ReadonlyMap<string, () => Promise<RendererSpec>> = new Map([
  ['hjson', async () => (await import('./data-formats.ts')).hjsonRenderer],
  ['json5', async () => (await import('./data-formats.ts')).json5Renderer],
  ['msgpack', async () => (await import('./data-formats.ts')).msgpackRenderer],
  ['nacl', async () => (await import('./nacl.ts')).naclRenderer],
  ['pass', async () => (await import('./pass.ts')).passRenderer],
  ['stateconf', async () => (await import('./stateconf.ts')).stateconfRenderer],
  ['toml', async () => (await import('./data-formats.ts')).tomlRenderer],
  ['yamlex', async () => (await import('./data-formats.ts')).yamlexRenderer],
]);
