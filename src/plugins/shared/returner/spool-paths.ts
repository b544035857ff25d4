/** Where the master keeps what waits for databases, below `cachedir`. */
import { join } from 'node:path';
import { safeJoin } from '../../../host/files.ts';

/** Events that wait. */
export function spoolPath(cachedir: string): string {
  return join(cachedir, 'returners', 'events.sqlite');
}

/** How far a database has got. @param name of the returner, out of the configuration */
export function positionPath(cachedir: string, name: string, what: 'jobs' | 'events'): string {
  return safeJoin(join(cachedir, 'returners'), `${name}.${what}.json`);
}
