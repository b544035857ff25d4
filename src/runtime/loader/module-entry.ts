/** What tables of modules hold: a name, a file, and how it is imported when it is first asked for. */
import type { ModuleSpec } from './module.ts';

/** One module file, before it is imported. */
export interface ModuleEntry {
  /** The virtual name, `cmd`. Several files may share one; the first that is available here has it. */
  readonly name: string;
  /** The name of Salt's file, `cmdmod`. */
  readonly file: string;
  /**
   * Those of its functions that run in a process of their own (`isolation` of their specifications), where that is to
   * be known before the file is imported.
   */
  readonly isolated?: readonly string[];
  load(): Promise<ModuleSpec>;
}
