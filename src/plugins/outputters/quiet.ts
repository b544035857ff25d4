/** `quiet`: prints nothing (3006.16 salt/output/no_out_quiet.py). */
import type { Outputter } from './outputter.ts';

/** The `quiet` outputter. */
export const outputter: Outputter = { name: 'quiet', render: () => '' };
