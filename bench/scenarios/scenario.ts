/** What every scenario is handed. */
import type { Figure } from '../figure.ts';
import type { Fleet } from '../fleet.ts';
import type { LoadClient } from '../load/client.ts';
import type { LoadTarget } from '../load/messages.ts';

/** Simulated minions that a master knows, and of which scenarios use some. */
export const SWARM_SIZE = 1000;
/** Before the number in each simulated minion's id. */
export const SWARM_PREFIX = 'sim-';

/** The world of a scenario. */
export interface ScenarioContext {
  readonly fleet: Fleet;
  readonly load: LoadClient;
  readonly keysDir: string;
  /** `--rounds` */
  readonly rounds: number | undefined;
  /** Tells the user. */
  readonly step: (text: string) => void;
}

/** A scenario: measures one kind and gives its figures. */
export interface Scenario {
  /** As `--only` names it; several steps of one scenario share it. */
  readonly name: string;
  /** Takes minutes: run only when it is named. */
  readonly isLong?: boolean;
  /** A real Salt cannot do it in a time that anybody would wait: it stands alone in the table. */
  readonly isOursOnly?: boolean;
  readonly run: (context: ScenarioContext) => Promise<readonly Figure[]>;
}

/** The first so many simulated minions, as a target of load. */
export function loadTarget({ fleet, keysDir }: ScenarioContext, count: number): LoadTarget {
  return { ...fleet.address, keysDir, prefix: SWARM_PREFIX, count };
}

/** Has so many simulated minions join, measures, and has them leave. @param measure told how long they took to join */
export async function withSwarm<T>(
  context: ScenarioContext,
  count: number,
  measure: (joinMs: number) => Promise<T>,
): Promise<T> {
  const { load, step } = context;
  step(`${count} simulated minions join`);
  const { joinMs = NaN } = await load.order({ type: 'join', ...loadTarget(context, count) });
  try {
    return await measure(joinMs);
  } finally {
    await load.order({ type: 'leave' });
  }
}

/** How many rounds a scenario does. */
export interface Rounds {
  /** Unless `--rounds` says otherwise. */
  readonly brine: number;
  readonly salt: number;
  /** No round begins after so long, but two are done whatever they take. */
  readonly budgetMs: number;
}

const ROUNDS_MIN = 2;

/**
 * Does round after round.
 * @param round told whether it only warms up: with ours the first does, because a JIT compiler learns, and its figures
 *   do not count. Python has nothing to learn.
 */
export async function repeat(
  { fleet, rounds, step }: ScenarioContext,
  { budgetMs, ...usual }: Rounds,
  title: string,
  round: (isWarmUp: boolean) => Promise<void>,
): Promise<void> {
  const count = rounds ?? usual[fleet.kind.name];
  const startedMs = performance.now();
  for (let done = fleet.kind.name === 'brine' ? 0 : 1; done <= count; done++) {
    if (done > Math.min(ROUNDS_MIN, count) && performance.now() - startedMs > budgetMs) return;
    step(`${title}round ${done} of ${count}`);
    await round(done === 0);
  }
}
