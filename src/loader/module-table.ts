/**
 * The table of execution modules. Each entry imports its file on first use, so a minion pays only for the modules it
 * is asked for; the import paths are literal, so that a bundler finds them.
 */
import type { ModuleSpec } from './module.ts';

/** One module file, before it is imported. */
export interface ModuleEntry {
  /** The virtual name, `cmd`. Several files may share one; the first that is available here has it. */
  readonly name: string;
  /** The name of Salt's file, `cmdmod`. */
  readonly file: string;
  load(): Promise<ModuleSpec>;
}

/** Every execution module, in the order in which files of one virtual name are tried. */
export const MODULE_TABLE: readonly ModuleEntry[] = [
  { name: 'test', file: 'test', load: async () => (await import('../modules/test.ts')).testModule },
];
