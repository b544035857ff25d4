/** `big-returns`: a thousand simulated minions answer `state.apply` with 100 kB each. */
import { sampled, single } from '../figure.ts';
import { cpuSeconds } from '../processes.ts';
import { loadTarget, repeat, SWARM_PREFIX, SWARM_SIZE, type Scenario } from './scenario.ts';

const NAME = 'big-returns';
const PAYLOAD_BYTES = 100_000;
const TIMEOUT_MS = 120_000;

export const bigReturns: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const { fleet, load, step } = context;
    await fleet.stopMinion();
    step(`${SWARM_SIZE} simulated minions join`);
    await load.order({ type: 'join', payloadBytes: PAYLOAD_BYTES, ...loadTarget(context, SWARM_SIZE) });
    const rates: number[] = [];
    const cpu: number[] = [];
    let lost = 0;
    try {
      await repeat(context, { brine: 3, salt: 1, budgetMs: 60_000 }, '', async (isWarmUp) => {
        const before = cpuSeconds(fleet.master);
        const { elapsedMs, stdout } = await fleet.salt(
          ['-t', '60', '--out=raw', '*', 'state.apply'],
          TIMEOUT_MS,
        );
        const answer = new RegExp(`(${SWARM_PREFIX}\\d+) answers state\\.apply \\.{90000}`, 'g');
        const ids = new Set([...stdout.matchAll(answer)].map(([, id]) => id));
        lost += SWARM_SIZE - ids.size;
        if (isWarmUp) return;
        // what was lost was not carried
        rates.push((ids.size * PAYLOAD_BYTES) / 1e6 / (elapsedMs / 1000));
        cpu.push(cpuSeconds(fleet.master) - before);
      });
    } finally {
      await load.order({ type: 'leave' });
    }
    const row = { scenario: NAME, better: 'lower' } as const;
    return [
      sampled({ ...row, name: 'rate', unit: 'MB/s', better: 'higher' }, rates),
      sampled({ ...row, name: 'master CPU', unit: 'CPU s' }, cpu),
      single({ ...row, name: 'lost', unit: 'count' }, lost),
    ];
  },
};
