/** The local sockets of a master, by the names Salt's programs look for. */
import { join } from 'node:path';
import type { MasterOptions } from './master-options.ts';

/** Paths below `sock_dir`. */
export interface MasterSockets {
  readonly eventPub: string;
  readonly eventPull: string;
  /** Where publications are handed in; `salt` looks whether it is there. */
  readonly publishPull: string;
  readonly workers: string;
  /** Where the job cache is written. Ours. */
  readonly jobCache: string;
}

/** @returns the paths for these options */
export function masterSockets(opts: MasterOptions): MasterSockets {
  const at = (name: string): string => join(opts.get('sock_dir'), name);
  return {
    eventPub: at('master_event_pub.ipc'),
    eventPull: at('master_event_pull.ipc'),
    publishPull: at('publish_pull.ipc'),
    workers: at('workers.ipc'),
    jobCache: at('job_cache.ipc'),
  };
}
