/** The wheel functions there are, described as runners are. Each file is imported when it is first needed. */
import type { RunnerModule } from '../runners/runner.ts';

/** Name to the import of its file; the paths are literal, so that a bundler finds them. */
export const WHEEL_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['key', async () => (await import('./key.ts')).keyWheel],
]);
