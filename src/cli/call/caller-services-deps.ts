/** What the services of a salt-call are made of. */
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { MasterLink } from './master-link.ts';

/** What the services work on. */
export interface CallerServiceDeps {
  readonly opts: MinionOptions;
  /** Undefined without a master. */
  readonly link: MasterLink | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the command is. */
  readonly signal?: AbortSignal;
  /** Shows what the function does just now. */
  readonly showStep?: (text: string) => void;
  /** Writes a line to the terminal. */
  readonly print?: (line: string) => void;
}
