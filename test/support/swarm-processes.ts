/** Simulated minions in processes of their own: one process may not have the files for ten thousand, nor the time. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Daemon, type Fleet } from './fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** Two files each; and on a busy machine a process with more does not get round to its heartbeats in time. */
const PER_PROCESS = 2_500;

/**
 * Joins so many to the master of a fleet, whose keys it accepts; they end with the test.
 * @returns when all have joined
 */
export async function joinSwarm(t: TestContext, fleet: Fleet, count: number): Promise<void> {
  const parts = Array.from({ length: Math.ceil(count / PER_PROCESS) }, (_, nth) => ({
    prefix: `sim-${String.fromCharCode(97 + nth)}-`,
    count: Math.min(PER_PROCESS, count - nth * PER_PROCESS),
  }));
  await Promise.all(
    parts.map(async ({ prefix, count: own }) => {
      const words = ['--master', `127.0.0.1:${fleet.retPort}`, '--count', String(own), '--prefix', prefix];
      const daemon = new Daemon(`swarm ${prefix}`, process.execPath, [
        join(ROOT, 'scripts/run-ts.mjs'),
        join(ROOT, 'bench/swarm.ts'),
        ...words,
        ...['--pki-dir', fleet.path('m', 'pki')],
      ]);
      t.after(() => daemon.stop());
      // each hundred that joins has its own time to do so
      for (let joined = 100; joined < own; joined += 100)
        await daemon.logged(`${joined} of ${own} have joined`);
      await daemon.logged(`${own} of ${own} have joined`);
    }),
  );
}
