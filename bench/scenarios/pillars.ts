/** `pillar`: pillar of 30 files, for one minion and for a thousand that ask at the same time. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sampled, single } from '../figure.ts';
import { cpuSeconds } from '../processes.ts';
import { percentile } from '../statistics.ts';
import { repeat, withSwarm, SWARM_SIZE, type Scenario, type ScenarioContext } from './scenario.ts';
import { pillarTree, writeTree } from './state-trees.ts';

const NAME = 'pillar';
const GRAINS = { os: 'Debian', os_family: 'Debian', role: 'db' };

const ROW = { scenario: NAME, better: 'lower' } as const;

/** One minion asks again and again. */
export const pillarOfOne: Scenario = {
  name: NAME,
  run: (context) =>
    withTree(context, async () => {
      const { slowest } = await withSwarm(context, 1, () => ask(context, { brine: 20, salt: 8 }));
      return [sampled({ ...ROW, name: 'one minion', unit: 'ms' }, slowest)];
    }),
};

/** A thousand ask at once. A real Salt may not have answered all of them after the 30 s that minions wait. */
export const pillarOfMany: Scenario = {
  name: NAME,
  run: (context) =>
    withTree(context, async () => {
      const { slowest, cpu, middle } = await withSwarm(context, SWARM_SIZE, () =>
        ask(context, { brine: 3, salt: 1 }),
      );
      const slowestS = slowest.map((ms) => ms / 1000);
      return [
        sampled({ ...ROW, name: 'slowest of 1,000', unit: 's' }, slowestS),
        sampled({ ...ROW, name: 'master CPU for 1,000', unit: 'CPU s' }, cpu),
        single({ ...ROW, name: 'half of 1,000 have it', unit: 's' }, percentile(middle, 0.5) / 1000),
      ];
    }),
};

async function withTree<T>({ fleet }: ScenarioContext, measure: () => Promise<T>): Promise<T> {
  const roots = join(fleet.folder, 'pillar');
  writeTree(roots, pillarTree());
  try {
    return await measure();
  } finally {
    rmSync(roots, { recursive: true });
  }
}

async function ask(
  context: ScenarioContext,
  rounds: { readonly brine: number; readonly salt: number },
): Promise<{ slowest: number[]; middle: number[]; cpu: number[] }> {
  const found = { slowest: [] as number[], middle: [] as number[], cpu: [] as number[] };
  await repeat(context, { ...rounds, budgetMs: 15_000 }, '', async (isWarmUp) => {
    const before = cpuSeconds(context.fleet.master);
    const { timesMs = [] } = await context.load.order({ type: 'pillars', grains: GRAINS });
    if (isWarmUp) return;
    found.cpu.push(cpuSeconds(context.fleet.master) - before);
    found.slowest.push(Math.max(...timesMs));
    found.middle.push(percentile(timesMs, 0.5));
  });
  return found;
}
