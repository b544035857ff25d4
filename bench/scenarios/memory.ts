/** `memory`: proportional memory (PSS) over all processes of a master and of a minion. */
import { single, type Figure } from '../figure.ts';
import { pause, processCount, pssBytes, type Daemon } from '../processes.ts';
import type { Scenario } from './scenario.ts';
import { shortLoad } from './storms.ts';

/** After a start, before it counts as idle. */
const SETTLE_MS = 3_000;

/** Before anything else has run. */
export const idleMemory: Scenario = {
  name: 'memory',
  run: async (context) => {
    const { fleet } = context;
    context.step('the master comes to rest');
    await pause(SETTLE_MS);
    const master = memoryFigures('master idle', fleet.master);
    context.step('the minion comes to rest');
    const minion = await fleet.minion();
    await pause(SETTLE_MS);
    return [...master, ...memoryFigures('minion idle', minion)];
  },
};

/** After all other scenarios. */
export const loadedMemory: Scenario = {
  name: 'memory',
  run: async (context) => {
    const { fleet } = context;
    await shortLoad(context);
    context.step('the master comes to rest');
    await pause(SETTLE_MS);
    return memoryFigures('master after load', fleet.master);
  },
};

function memoryFigures(name: string, daemon: Daemon): Figure[] {
  const bytes = pssBytes(daemon) ?? NaN;
  const scenario = 'memory';
  return [
    single({ scenario, name, unit: 'MB', better: 'lower' }, bytes / 1e6),
    single({ scenario, name: `${name}: processes`, unit: 'count', better: 'none' }, processCount(daemon)),
  ];
}
