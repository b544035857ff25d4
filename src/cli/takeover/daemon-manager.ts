/** What starts and stops daemons: systemd, or this program by itself. */
import type { Role } from './daemons-here.ts';
import type { RecordedDaemon } from './record.ts';

/** Starts and stops the daemons of one folder of configuration; everything may be asked for again. */
export interface DaemonManager {
  /** Files that running Brine takes, which are recorded before they are made. */
  filesOf(daemon: RecordedDaemon): string[];
  /** Ends whatever runs as this daemon, Salt's and Brine's. @throws TakeoverError when it does not end */
  stop(daemon: RecordedDaemon): Promise<void>;
  /** Starts Brine's. @throws TakeoverError with what it said */
  startBrine(daemon: RecordedDaemon): Promise<void>;
  /** Starts Salt's as it ran before. @throws TakeoverError with what it said */
  startSalt(daemon: RecordedDaemon): Promise<void>;
}

/** What both kinds need. */
export interface ManagerPlace {
  readonly configDir: string;
  /** The words that start a program of Brine. */
  readonly command: (name: string) => string[];
}

/** The name of a daemon's program. */
export function programOf(role: Role): string {
  return `salt-${role}`;
}

/** The options with which a daemon of Brine starts on the folder. */
export function optionsOn(configDir: string, { options }: Pick<RecordedDaemon, 'options'>): string[] {
  return [...(configDir === '/etc/salt' ? [] : ['-c', configDir]), ...options];
}
