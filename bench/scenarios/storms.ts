/** `auth` and `return-storm`: what a master sustains. */
import { sampled, single, type Figure } from '../figure.ts';
import { checkReturns, registerJobs } from '../job-cache.ts';
import type { ReturnsResult, StormResult } from '../load/messages.ts';
import { cpuSeconds } from '../processes.ts';
import {
  loadTarget,
  repeat,
  withSwarm,
  SWARM_PREFIX,
  SWARM_SIZE,
  type Scenario,
  type ScenarioContext,
} from './scenario.ts';

const AUTHS_IN_FLIGHT = 128;
const AUTH_MS = 2_500;
const RETURNS_IN_FLIGHT = 256;
const RETURN_MS = 4_000;
const WARM_UP_MS = 1_500;
/** More jobs than a storm on a real Salt gets to. */
const JOBS_REGISTERED = 100;
/** Minions that send returns. */
const SENDERS = 200;

/** Authentications per second, of minions that come for the first time and of those that come again. */
export const auth: Scenario = {
  name: 'auth',
  run: async (context) => [
    ...(await authRounds(context, 'again, with token', true)),
    ...(await authRounds(context, 'first, no token', false)),
  ],
};

async function authRounds(context: ScenarioContext, name: string, again: boolean): Promise<Figure[]> {
  const { fleet, load } = context;
  const results: StormResult[] = [];
  const cpu: number[] = [];
  await repeat(context, { brine: 3, salt: 2, budgetMs: 9_000 }, `${name}: `, async (isWarmUp) => {
    const cpuBefore = cpuSeconds(fleet.master);
    const storm = { durationMs: isWarmUp ? WARM_UP_MS : AUTH_MS, inFlight: AUTHS_IN_FLIGHT };
    const { storm: result } = await load.order({
      type: 'auth',
      again,
      ...loadTarget(context, SWARM_SIZE),
      ...storm,
    });
    if (result === undefined) throw new Error('The load process gave no result.');
    if (result.failed > 0)
      throw new Error(`${result.failed} authentications failed: ${result.errors.join('; ')}`);
    if (isWarmUp) return;
    results.push(result);
    cpu.push(((cpuSeconds(fleet.master) - cpuBefore) / result.done) * 1000);
  });
  const scenario = 'auth';
  return [
    sampled({ scenario, name, unit: '/s', better: 'higher' }, results.map(rate)),
    latencyFigure(scenario, `${name}: latency`, results),
    sampled({ scenario, name: `${name}: master CPU per 1,000`, unit: 'CPU s', better: 'lower' }, cpu),
  ];
}

/** Returns per second; afterwards every acknowledged one is looked for in the job cache. */
export const returnStorm: Scenario = {
  name: 'return-storm',
  run: (context) => withSwarm(context, SENDERS, () => returnRounds(context)),
};

async function returnRounds(context: ScenarioContext): Promise<Figure[]> {
  const { fleet } = context;
  const results: ReturnsResult[] = [];
  const cpu: number[] = [];
  let lost = 0;
  let duplicates = 0;
  await repeat(context, { brine: 5, salt: 2, budgetMs: 22_000 }, '', async (isWarmUp) => {
    const cpuBefore = cpuSeconds(fleet.master);
    const { baseMs, result } = await storm(context, isWarmUp ? WARM_UP_MS : RETURN_MS);
    const cpuUsed = cpuSeconds(fleet.master) - cpuBefore;
    context.step(`looks for ${result.done} returns in the job cache`);
    const check = await checkReturns(fleet, result, { prefix: SWARM_PREFIX, count: SENDERS, baseMs });
    lost += check.lost;
    duplicates += check.duplicates;
    if (isWarmUp) return;
    results.push(result);
    cpu.push((cpuUsed / result.done) * 1000);
  });
  const scenario = 'return-storm';
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return [
    sampled({ scenario, name: 'rate', unit: '/s', better: 'higher' }, results.map(rate)),
    latencyFigure(scenario, 'latency', results),
    sampled({ scenario, name: 'master CPU per 1,000', unit: 'CPU s', better: 'lower' }, cpu),
    single({ scenario, name: 'not acknowledged', unit: 'count', better: 'none' }, failed),
    single({ scenario, name: 'lost', unit: 'count', better: 'lower' }, lost),
    single({ scenario, name: 'duplicates', unit: 'count', better: 'lower' }, duplicates),
  ];
}

async function storm(
  { fleet, load }: ScenarioContext,
  durationMs: number,
): Promise<{ baseMs: number; result: ReturnsResult }> {
  const baseMs = Date.now();
  registerJobs(fleet, baseMs, JOBS_REGISTERED);
  const order = { type: 'returns', durationMs, inFlight: RETURNS_IN_FLIGHT, baseMs } as const;
  const { returns } = await load.order(order);
  if (returns === undefined) throw new Error('The load process gave no result.');
  return { baseMs, result: returns };
}

/** Loads the master a little, for figures that want a master that has worked. */
export async function shortLoad(context: ScenarioContext): Promise<void> {
  await withSwarm(context, SENDERS, () => storm(context, WARM_UP_MS));
}

function rate({ done, elapsedMs }: StormResult): number {
  return done / (elapsedMs / 1000);
}

/** The median round's median and p99. */
function latencyFigure(scenario: string, name: string, results: readonly StormResult[]): Figure {
  const row = { scenario, name, unit: 'ms', better: 'lower' } as const;
  const { median, values } = sampled(
    row,
    results.map((result) => result.latencyMedianMs),
  );
  const p99 = sampled(
    row,
    results.map((result) => result.latencyP99Ms),
  ).median;
  return { ...row, median, p99, samples: results.reduce((sum, result) => sum + result.done, 0), values };
}
