/** The wheel functions there are, described as runners are. Each file is imported when it is first needed. */
import type { RunnerModule } from '../runners/runner.ts';

/** Name to the import of its file; the paths are literal, so that a bundler finds them. */
export const WHEEL_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['config', async () => (await import('./config.ts')).configWheel],
  ['error', async () => (await import('./error.ts')).errorWheel],
  ['file_roots', async () => (await import('./file-roots.ts')).fileRootsWheel],
  ['key', async () => (await import('./key.ts')).keyWheel],
  ['minions', async () => (await import('./minions.ts')).minionsWheel],
  ['pillar_roots', async () => (await import('./pillar-roots.ts')).pillarRootsWheel],
]);
