/** `cli-round-trip`, `call-local` and `ping-all`: the whole process of a command, from its start to its end. */
import { dirname, join } from 'node:path';
import { sampled, single, type Figure } from '../figure.ts';
import { REAL_MINION } from '../fleet.ts';
import { cpuSeconds } from '../processes.ts';
import {
  repeat,
  withSwarm,
  SWARM_PREFIX,
  SWARM_SIZE,
  type Scenario,
  type ScenarioContext,
} from './scenario.ts';

/** `salt one test.ping` with one real minion of the same kind. */
export const cliRoundTrip: Scenario = {
  name: 'cli-round-trip',
  run: async (context) => {
    const { fleet } = context;
    await fleet.minion();
    const samples: number[] = [];
    await repeat(context, { brine: 20, salt: 8, budgetMs: 12_000 }, '', async (isWarmUp) => {
      const { elapsedMs, stdout, stderr, code } = await fleet.salt([REAL_MINION, 'test.ping']);
      if (!stdout.includes('True')) throw new Error(`salt ended with ${code}: ${stdout}${stderr}`);
      if (!isWarmUp) samples.push(elapsedMs / 1000);
    });
    return [sampled({ scenario: 'cli-round-trip', name: 'time', unit: 's', better: 'lower' }, samples)];
  },
};

/** `salt-call --local test.ping`: no master is asked. */
export const callLocal: Scenario = {
  name: 'call-local',
  run: async (context) => {
    const { fleet } = context;
    await fleet.minion();
    const program = join(dirname(fleet.kind.minion[0] as string), 'salt-call');
    const argv = [program, '-c', join(fleet.folder, REAL_MINION), '--local', 'test.ping'];
    const samples: number[] = [];
    await repeat(context, { brine: 20, salt: 8, budgetMs: 12_000 }, '', async (isWarmUp) => {
      const { elapsedMs, stdout, stderr } = await fleet.groups.run(argv, 60_000);
      if (!stdout.includes('True')) throw new Error(`salt-call: ${stdout}${stderr}`);
      if (!isWarmUp) samples.push(elapsedMs / 1000);
    });
    return [sampled({ scenario: 'call-local', name: 'time', unit: 's', better: 'lower' }, samples)];
  },
};

/** `salt '*' test.ping` with a thousand simulated minions. */
export const pingAll: Scenario = {
  name: 'ping-all',
  run: async (context) => {
    await context.fleet.stopMinion();
    return withSwarm(context, SWARM_SIZE, async (joinMs) => {
      const row = { scenario: 'ping-all', name: 'join of all', unit: 's', better: 'lower' } as const;
      return [...(await pingRounds(context)), single(row, joinMs / 1000)];
    });
  },
};

async function pingRounds(context: ScenarioContext): Promise<Figure[]> {
  const { fleet } = context;
  const times: number[] = [];
  const cpu: number[] = [];
  let lost = 0;
  let duplicates = 0;
  await repeat(context, { brine: 9, salt: 3, budgetMs: 15_000 }, '', async (isWarmUp) => {
    const cpuBefore = cpuSeconds(fleet.master);
    const { elapsedMs, stdout } = await fleet.salt(['*', 'test.ping']);
    if (isWarmUp) return;
    times.push(elapsedMs / 1000);
    cpu.push(cpuSeconds(fleet.master) - cpuBefore);
    const answers = countAnswers(stdout);
    lost += SWARM_SIZE - answers.size;
    for (const count of answers.values()) duplicates += count - 1;
  });
  const scenario = 'ping-all';
  return [
    sampled({ scenario, name: 'time', unit: 's', better: 'lower' }, times),
    sampled({ scenario, name: 'master CPU', unit: 'CPU s', better: 'lower' }, cpu),
    single({ scenario, name: 'lost', unit: 'count', better: 'lower' }, lost),
    single({ scenario, name: 'duplicates', unit: 'count', better: 'lower' }, duplicates),
  ];
}

/** How often each simulated minion is printed with `True`. */
export function countAnswers(stdout: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, id = ''] of stdout.matchAll(new RegExp(`^(${SWARM_PREFIX}\\d+):\\n {4}True$`, 'gm')))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
