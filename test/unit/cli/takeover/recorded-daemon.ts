/** A daemon as a takeover records it. */
import type { Role } from '../../../../src/cli/takeover/daemons-here.ts';
import type { RecordedDaemon } from '../../../../src/cli/takeover/record.ts';

/** One of Salt's that ran as root. */
export function recordedDaemon(role: Role, more: Partial<RecordedDaemon> = {}): RecordedDaemon {
  return {
    ...{ role, command: ['/usr/bin/python3', `/usr/bin/salt-${role}`], options: [], isInBackground: true },
    ...{ uid: 0, gid: 0, groups: [], cwd: '/', env: { PATH: '/usr/bin' }, ports: [], hadSession: false },
    ...{ files: [], links: [], isTaken: false },
    ...more,
  };
}
