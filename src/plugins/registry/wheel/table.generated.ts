/** The wheel functions there are, described as runners are. Each file is imported when it is first needed. */
import type { RunnerModule } from '../../shared/runner/runner.ts';

/** Name to the import of its file; the paths are literal, so that a bundler finds them. */
export const WHEEL_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['config', async () => (await import('../../config/wheel.ts')).configWheel],
  ['error', async () => (await import('../../error/wheel.ts')).errorWheel],
  ['file_roots', async () => (await import('../../file-roots/wheel.ts')).fileRootsWheel],
  ['key', async () => (await import('../../key/wheel.ts')).keyWheel],
  ['minions', async () => (await import('../../minions/wheel.ts')).minionsWheel],
  ['pillar_roots', async () => (await import('../../pillar-roots/wheel.ts')).pillarRootsWheel],
]);
