/** `restart`: ten thousand minions come back after the master has been started anew, and `salt` is used meanwhile. */
import { single } from '../figure.ts';
import { REAL_MINION } from '../fleet.ts';
import { pause } from '../processes.ts';
import { BIG_COUNT, withBigSwarm } from './big-swarm.ts';
import type { Scenario } from './scenario.ts';

const NAME = 'restart';
const POLL_MS = 200;
const BACK_MS = 120_000;

export const restart: Scenario = {
  name: NAME,
  isLong: true,
  isOursOnly: true,
  run: async (context) => {
    const { fleet, step } = context;
    await fleet.minion();
    return withBigSwarm(context, async (loads, joinAll) => {
      await joinAll();
      const back = async (): Promise<number> => {
        const answers = await Promise.all(loads.map((load) => load.order({ type: 'reconnects' })));
        return answers.reduce((sum, { reconnects = 0 }) => sum + reconnects, 0);
      };
      const before = await back();
      step('the master is started anew');
      await fleet.restartMaster();
      const startedMs = performance.now();
      const pings: number[] = [];
      let answered = 0;
      let isOver = false;
      const use = async (): Promise<void> => {
        while (!isOver) {
          const { stdout, elapsedMs } = await fleet.salt(['-t', '5', REAL_MINION, 'test.ping']);
          pings.push(elapsedMs / 1000);
          if (stdout.includes('True')) answered++;
        }
      };
      const using = use();
      let count = 0;
      while ((count = (await back()) - before) < BIG_COUNT && performance.now() - startedMs < BACK_MS)
        await pause(POLL_MS);
      const seconds = (performance.now() - startedMs) / 1000;
      isOver = true;
      await using;
      step(`salt '*' test.ping`);
      const { stdout } = await fleet.salt(['-t', '30', 'big-*', 'test.ping'], BACK_MS);
      const ids = new Set([...stdout.matchAll(/^(big-[ab]-\d+):\n {4}True$/gm)].map(([, id]) => id));
      const row = { scenario: NAME, better: 'lower' } as const;
      return [
        single({ ...row, name: 'all back', unit: 's' }, count >= BIG_COUNT ? seconds : NaN),
        single({ ...row, name: 'lost of a ping to all', unit: 'count' }, BIG_COUNT - ids.size),
        single({ ...row, name: 'slowest salt meanwhile', unit: 's' }, Math.max(...pings)),
        single({ ...row, name: 'salt answered meanwhile', unit: 'count', better: 'none' }, answered),
        single({ ...row, name: 'of', unit: 'count', better: 'none' }, pings.length),
      ];
    });
  },
};
