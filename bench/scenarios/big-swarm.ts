/** Ten thousand simulated minions, in two processes because one may not have the files for all. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { preseedKeys, swarmId, swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import { LoadClient } from '../load/client.ts';
import { SHARED_KEYS } from '../load/process.ts';
import type { ScenarioContext } from './scenario.ts';

export const BIG_COUNT = 10_000;
const PREFIXES = ['big-a-', 'big-b-'];
const EACH = BIG_COUNT / PREFIXES.length;

/** The ids of all. */
export function bigIds(): string[] {
  return PREFIXES.flatMap((prefix) => Array.from({ length: EACH }, (_, at) => swarmId(prefix, at)));
}

/** Has all join, measures, and removes them and their keys. @param measure told the processes that they live in */
export async function withBigSwarm<T>(
  { fleet, keysDir, step }: ScenarioContext,
  measure: (loads: readonly LoadClient[], join: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const keys = await swarmKeys(SHARED_KEYS, keysDir);
  for (const prefix of PREFIXES) preseedKeys(fleet.pkiDir, prefix, EACH, keys);
  const loads = PREFIXES.map(() => new LoadClient(process.argv[1] as string));
  const joinAll = (): Promise<unknown> => {
    step(`${BIG_COUNT} simulated minions join`);
    const orders = loads.map((load, at) =>
      load.order({ type: 'join', ...fleet.address, keysDir, prefix: PREFIXES[at] as string, count: EACH }),
    );
    return Promise.all(orders);
  };
  try {
    return await measure(loads, joinAll);
  } finally {
    for (const load of loads) load.close();
    for (const id of bigIds()) rmSync(join(fleet.pkiDir, 'minions', id), { force: true });
  }
}
