/**
 * Simulated minions of a cluster under faults: each is on one master for good, writes down what it ran, and keeps
 * nothing that no master took.
 */
import type { TestContext } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { systemRandom } from '../../../src/host/random.ts';
import type { Job } from '../../../src/programs/minion/job.ts';
import { simulatedAnswer } from '../../../src/programs/swarm/answers.ts';
import { swarmKeys } from '../../../src/programs/swarm/key-pairs.ts';
import { Swarm } from '../../../src/programs/swarm/swarm.ts';
import type { MemberMaster } from './stage.ts';

const TOKEN = /^echo (\S+)/;
const OTHERWISE = simulatedAnswer(0);

/** All simulated minions of a cluster. */
export class Crowd {
  static readonly prefix = 'sim-';
  /** Tokens of jobs, by minion, in order. */
  readonly ran = new Map<string, string[]>();
  readonly acknowledged = new Map<string, string[]>();

  /** The masters accept the keys by `autosign_file`. @param count on each master */
  static async join(t: TestContext, members: readonly MemberMaster[], count: number): Promise<Crowd> {
    const crowd = new Crowd();
    const keys = await swarmKeys(2);
    for (const { name, fleet } of members) {
      const swarm = new Swarm({
        master: { host: '127.0.0.1', port: fleet.retPort },
        count,
        prefix: `${Crowd.prefix}${name}`,
        keys,
        answer: (job, id) => crowd.#answer(job, id),
        onReturned: (id, job) => crowd.#note(crowd.acknowledged, id, job),
        clock: systemClock,
        random: systemRandom,
      });
      t.after(() => swarm.close());
      for (const { id } of swarm.minions) {
        crowd.ran.set(id, []);
        crowd.acknowledged.set(id, []);
      }
      await swarm.join();
    }
    return crowd;
  }

  #answer(job: Job, id: string): ReturnType<typeof OTHERWISE> {
    if (!this.#note(this.ran, id, job)) return OTHERWISE(job, id);
    return { return: '', retcode: 0, success: true };
  }

  #note(into: Map<string, string[]>, id: string, { funs, args }: Job): boolean {
    const token = funs[0] === 'cmd.run' ? TOKEN.exec(String(args[0]?.[0]))?.[1] : undefined;
    if (token !== undefined) into.get(id)?.push(token);
    return token !== undefined;
  }
}
