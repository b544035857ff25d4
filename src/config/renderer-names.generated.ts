/** Written by scripts/generate-plugins.mjs, of the definitions in `src/runtime/renderers/further`. */

/** Their names. */
export const FURTHER_RENDERER_NAMES: readonly string[] = [
  'hjson',
  'json5',
  'msgpack',
  'nacl',
  'pass',
  'stateconf',
  'toml',
  'yamlex',
];
