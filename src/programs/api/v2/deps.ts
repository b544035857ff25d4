/** What the routes work with. */
import type { ApiSettings } from '../../../config/api-options.ts';
import type { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { Clients } from '../clients.ts';
import type { LoginLimits } from '../login-limits.ts';
import type { MasterCalls } from '../master-calls.ts';
import type { MasterLink } from '../master-link.ts';
import type { Sessions } from '../sessions.ts';
import type { CatalogReader } from './catalog.ts';
import type { EventRing } from './event-ring.ts';
import type { MasterFiles } from './master-files.ts';
import type { Operation } from './need.ts';
import type { OidcLogins } from './oidc-logins.ts';
import type { Rights } from './rights.ts';
import type { Runs } from './runs.ts';

/** See the file. */
export interface Deps {
  readonly settings: ApiSettings;
  readonly link: MasterLink;
  readonly rights: Rights;
  /** What is read beside the master, once it has said that the caller may. */
  readonly files: MasterFiles;
  readonly ring: EventRing;
  readonly runs: Runs;
  readonly catalog: CatalogReader;
  /** Who has started which run of a function of the master here, until it is in the job cache. */
  readonly started: BoundedMap<string, string>;
  readonly sessions: Sessions;
  readonly limits: LoginLimits;
  readonly oidc: OidcLogins;
  readonly master: MasterCalls;
  readonly clients: Clients;
  /** Every operation of the interface. */
  readonly operations: readonly Operation[];
  /** The OpenAPI document, as it is sent. */
  readonly document: () => Buffer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
