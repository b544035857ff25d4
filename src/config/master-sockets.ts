/** The local sockets of a master, by the names Salt's programs look for. */
import { join } from 'node:path';
import type { LocalPlace } from '../host/local-place.ts';
import { isClustered } from './cluster.ts';
import type { MasterOptions } from './master-options.ts';
import { isDict } from '../python/values/value.ts';

/** Paths below `sock_dir`; with `ipc_mode: tcp` the event bus has ports of this host. */
export interface MasterSockets {
  readonly eventPub: LocalPlace;
  readonly eventPull: LocalPlace;
  /** Where publications are handed in; `salt` looks whether it is there. */
  readonly publishPull: string;
  readonly workers: string;
  /** Where the job cache is written. Ours. */
  readonly jobCache: string;
  /** Where its owner answers; in a cluster `jobCache` stands before it. */
  readonly jobCacheOwner: string;
  /** Where the publisher answers; in a cluster `publishPull` stands before it. */
  readonly publishOwner: string;
  /** Where the part answers that ties a master to the others of its cluster. Ours. */
  readonly cluster: string;
  /** Where users who may not read the event bus hear the events of their own jobs. Ours. */
  readonly eventDoor: string;
  /** Where the reactor reads events. Ours. */
  readonly reactorFeed: string;
}

/**
 * True when the event bus is open to the group of the master's user, because users who are not root may publish jobs
 * and have to hear their returns (salt/utils/event.py `EventPublisher.run`, 3006.16).
 */
export function sharesEventBus(opts: MasterOptions): boolean {
  return ['publisher_acl', 'external_auth'].some((name) => {
    const rules = opts.raw(name);
    return isDict(rules) && rules.size > 0;
  });
}

/** Where Salt's programs look for the ports of an event bus. */
export const LOOPBACK = '127.0.0.1';

/** @returns the paths for these options */
export function masterSockets(opts: MasterOptions): MasterSockets {
  const at = (name: string): string => join(opts.get('sock_dir'), name);
  const usesPorts = opts.get('ipc_mode') === 'tcp';
  const port = (name: 'tcp_master_pub_port' | 'tcp_master_pull_port'): LocalPlace => ({
    host: LOOPBACK,
    port: opts.get(name),
  });
  const owner = (name: string): string => (isClustered(opts) ? at(`local_${name}`) : at(name));
  return {
    eventPub: usesPorts ? port('tcp_master_pub_port') : at('master_event_pub.ipc'),
    eventPull: usesPorts ? port('tcp_master_pull_port') : at('master_event_pull.ipc'),
    publishPull: at('publish_pull.ipc'),
    workers: at('workers.ipc'),
    jobCache: at('job_cache.ipc'),
    jobCacheOwner: owner('job_cache.ipc'),
    publishOwner: owner('publish_pull.ipc'),
    cluster: at('cluster.ipc'),
    eventDoor: at('event_door.ipc'),
    reactorFeed: at('reactor_events.ipc'),
  };
}
