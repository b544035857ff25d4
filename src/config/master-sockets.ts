/** The local sockets of a master, by the names Salt's programs look for. */
import { join } from 'node:path';
import type { LocalPlace } from '../host/local-place.ts';
import type { MasterOptions } from './master-options.ts';

/** Paths below `sock_dir`; with `ipc_mode: tcp` the event bus has ports of this host. */
export interface MasterSockets {
  readonly eventPub: LocalPlace;
  readonly eventPull: LocalPlace;
  /** Where publications are handed in; `salt` looks whether it is there. */
  readonly publishPull: string;
  readonly workers: string;
  /** Where the job cache is written. Ours. */
  readonly jobCache: string;
  /** Where the reactor reads events. Ours. */
  readonly reactorFeed: string;
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
  return {
    eventPub: usesPorts ? port('tcp_master_pub_port') : at('master_event_pub.ipc'),
    eventPull: usesPorts ? port('tcp_master_pull_port') : at('master_event_pull.ipc'),
    publishPull: at('publish_pull.ipc'),
    workers: at('workers.ipc'),
    jobCache: at('job_cache.ipc'),
    reactorFeed: at('reactor_events.ipc'),
  };
}
