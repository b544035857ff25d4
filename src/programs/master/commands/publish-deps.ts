/** What publishing needs of its worker. */
import type { MasterOptions } from '../../../config/master-options.ts';
import type { PublisherClient } from '../../../network/ipc/contracts/publisher.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { JidSource } from '../../../storage/jobs/jid.ts';
import type { JobReader, JobWriter } from '../../../storage/jobs/job-store.ts';
import type { LoadMirror } from '../../../storage/jobs/load-mirror.ts';
import type { Fleet } from '../../../runtime/targeting/target.ts';
import type { Dict } from '../../../python/values/value.ts';
import type { Tracer } from '../../../runtime/tracing/tracer.ts';
import type { SyndicRegistry } from '../syndics.ts';
import { keyFleet } from '../../runner/key-fleet.ts';
import type { Access } from '../auth/access.ts';
import type { MasterServices } from '../master-services.ts';

/** What sending a publication needs, whoever it is for. */
export interface PublicationDeps {
  readonly opts: MasterOptions;
  readonly fleet: Fleet;
  readonly jobs: Pick<JobReader, 'job' | 'returns'> & Pick<JobWriter, 'saveJob' | 'addMinions' | 'note'>;
  /** Undefined where no `salt` command can be waiting for the job. */
  readonly mirror?: LoadMirror;
  readonly jids: JidSource;
  readonly fireEvent: (tag: string, data: Dict) => void;
  /**
   * Hands a publication to the publisher.
   * @returns when it has been sent: which of the expected minions are not there
   */
  readonly send: PublisherClient['publish'];
  /** The state of a minion's key; undefined when there is none. */
  readonly keyState: (id: string) => string | undefined;
  /** Whether a minion has authenticated since its key was accepted. */
  readonly hasAuthenticated: (id: string) => boolean;
  /** With `order_masters`: the syndics, each of which gets every job. */
  readonly syndics?: () => Promise<SyndicRegistry>;
  /** Undefined when nobody wants to know. */
  readonly tracer?: Tracer | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What serving requests to publish needs. */
export interface PublishDeps extends PublicationDeps {
  readonly access: Access;
  /** Told of each job that could not be published. */
  readonly notPublished: (text: string, error: unknown) => void;
}

/** Out of what a part of the master works with. */
export function publicationDeps(services: MasterServices): PublicationDeps {
  const { context, keys, sessions, cache, facts, jobs, jids, publisher, fireEvent, syndics, tracer } =
    services;
  const { opts, clock, log } = context;
  return {
    opts,
    fleet: keyFleet(keys, cache, facts),
    jobs,
    jids,
    keyState: (id) => keys.state(id),
    hasAuthenticated: (id) => sessions.has(id),
    ...(syndics === undefined ? {} : { syndics }),
    clock,
    fireEvent,
    tracer,
    send: publisher.publish,
    log,
  };
}
