/** What a minion is started with. */
import type { Installation } from '../../runtime/upgrade/installation.ts';
import type { MinionStateDeps } from './state.ts';
import type { StartLine } from './upgrade/new-minion.ts';

/** What a minion is started with. */
export interface MinionStart extends MinionStateDeps {
  readonly env: NodeJS.ProcessEnv;
  /** The program of a worker process. */
  readonly workerScript: string;
  /** The program of an engine. */
  readonly engineScript: string;
  /** Undefined where versions do not lie side by side. */
  readonly installation: Installation | undefined;
  /** How this process was started. */
  readonly line: StartLine;
}
