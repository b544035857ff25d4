/** `chained`, `highstate` and `file-managed`: the whole `salt one state.apply` process with one real minion. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sampled, single } from '../figure.ts';
import { REAL_MINION, type Fleet } from '../fleet.ts';
import { pause, pssBytes } from '../processes.ts';
import { repeat, type Scenario, type ScenarioContext } from './scenario.ts';
import {
  CHAIN,
  FILES,
  FORMULA_STATES,
  FORMULAS,
  chain,
  formulas,
  managedFiles,
  writeTree,
} from './state-trees.ts';

const TIMEOUT_MS = 120_000;
const POLL_MS = 50;
/** After states, before a minion counts as idle again. */
const SETTLE_MS = 3_000;

/** 1,001 states, each of which requires the one before. */
export const chained: Scenario = {
  name: 'chained',
  run: async (context) => {
    writeTree(join(context.fleet.folder, 'srv'), chain());
    const times = await timed(context, { brine: 5, salt: 2 }, ['state.apply', 'chain'], CHAIN);
    return [sampled({ scenario: 'chained', name: 'time', unit: 's', better: 'lower' }, times)];
  },
};

/** 40 SLS of formulas, compiled, with nothing to change. */
export const highstate: Scenario = {
  name: 'highstate',
  run: async (context) => {
    const { fleet } = context;
    writeTree(join(fleet.folder, 'srv'), formulas(join(fleet.folder, 'formulas')));
    await fleet.minion();
    await apply(fleet, ['state.highstate'], FORMULAS * FORMULA_STATES);
    const words = ['state.highstate'];
    const times = await timed(context, { brine: 5, salt: 2 }, words, FORMULAS * FORMULA_STATES);
    return [sampled({ scenario: 'highstate', name: 'time', unit: 's', better: 'lower' }, times)];
  },
};

/** 500 files with Jinja from the master: where there is none, and again. */
export const fileManaged: Scenario = {
  name: 'file-managed',
  run: async (context) => {
    const { fleet } = context;
    const target = join(fleet.folder, 'managed');
    writeTree(join(fleet.folder, 'srv'), managedFiles(target));
    const minion = await fleet.minion();
    const first: number[] = [];
    const again: number[] = [];
    await repeat(context, { brine: 3, salt: 1, budgetMs: 60_000 }, '', async (isWarmUp) => {
      rmSync(target, { recursive: true, force: true });
      rmSync(join(fleet.folder, REAL_MINION, 'cache', 'files'), { recursive: true, force: true });
      const times = [await apply(fleet, ['state.apply', 'many'], FILES)];
      times.push(await apply(fleet, ['state.apply', 'many'], FILES));
      if (isWarmUp) return;
      first.push((times[0] as number) / 1000);
      again.push((times[1] as number) / 1000);
    });
    context.step('looks at the memory of the minion');
    let most = 0;
    const poll = setInterval(() => (most = Math.max(most, pssBytes(minion) ?? NaN)), POLL_MS);
    await apply(fleet, ['state.apply', 'many'], FILES).finally(() => clearInterval(poll));
    await pause(SETTLE_MS);
    const time = { scenario: 'file-managed', unit: 's', better: 'lower' } as const;
    const memory = { scenario: 'memory', unit: 'MB', better: 'lower' } as const;
    return [
      sampled({ ...time, name: 'first' }, first),
      sampled({ ...time, name: 'again' }, again),
      single({ ...memory, name: 'minion while it applies 500 states' }, most / 1e6),
      single({ ...memory, name: 'minion after them' }, (pssBytes(minion) ?? NaN) / 1e6),
    ];
  },
};

async function timed(
  context: ScenarioContext,
  rounds: { readonly brine: number; readonly salt: number },
  words: readonly string[],
  states: number,
): Promise<number[]> {
  await context.fleet.minion();
  const times: number[] = [];
  await repeat(context, { ...rounds, budgetMs: 30_000 }, '', async (isWarmUp) => {
    const elapsedMs = await apply(context.fleet, words, states);
    if (!isWarmUp) times.push(elapsedMs / 1000);
  });
  return times;
}

/** @returns how long `salt` took @throws Error unless so many states succeeded and none failed */
async function apply(fleet: Fleet, words: readonly string[], states: number): Promise<number> {
  const argv = ['-t', '60', '--no-color', REAL_MINION, ...words];
  const { elapsedMs, stdout, stderr } = await fleet.salt(argv, TIMEOUT_MS);
  const succeeded = Number(/^Succeeded:\s+(\d+)/m.exec(stdout)?.[1] ?? NaN);
  if (succeeded !== states || !/^Failed:\s+0$/m.test(stdout))
    throw new Error(`${words.join(' ')}: ${stdout.slice(-500)}${stderr}`);
  return elapsedMs;
}
