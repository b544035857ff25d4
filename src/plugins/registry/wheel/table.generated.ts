/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { RunnerModule } from '../../shared/runner/runner.ts';

/** Every module of wheel functions, which are described as runners are. */
export const WHEEL_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['config', async () => (await import('../../config/wheel.ts')).configWheel],
  ['error', async () => (await import('../../error/wheel.ts')).errorWheel],
  ['file_roots', async () => (await import('../../file-roots/wheel.ts')).fileRootsWheel],
  ['key', async () => (await import('../../key/wheel.ts')).keyWheel],
  ['minions', async () => (await import('../../minions/wheel.ts')).minionsWheel],
  ['pillar_roots', async () => (await import('../../pillar-roots/wheel.ts')).pillarRootsWheel],
]);
