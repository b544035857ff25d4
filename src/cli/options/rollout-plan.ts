/** The texts of `--canary` and `--abort-on`: numbers of minions and shares of them. */
import { UsageError } from '../../errors/errors.ts';
import type { Value } from '../../python/values/value.ts';
import { amountOf, parseAmount, type Amount } from '../../runtime/client/amount.ts';

/** The steps of `--canary 1,10%,100%`. @throws UsageError */
export function parseSteps(text: string): Amount[] {
  const steps = text.split(',').map(parseAmount);
  if (steps.includes(undefined)) {
    throw new UsageError(
      `option --canary: ${JSON.stringify(text)} is no list of steps; write numbers of minions or percentages, such as 1,10%,100%`,
    );
  }
  return steps as Amount[];
}

/** How many minions have been reached after each step, growing; steps that add nobody are left out. */
export function planSteps(steps: readonly Amount[], total: number): number[] {
  const out: number[] = [];
  for (const step of steps) {
    const reached = amountOf(step, total);
    if (reached > (out.at(-1) ?? 0)) out.push(reached);
  }
  return out;
}

/** The limit of `--abort-on`. @throws UsageError */
export function parseLimit(text: string): Amount {
  const limit = parseAmount(text);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `option --abort-on: ${JSON.stringify(text)} is neither a number of minions nor a percentage such as 5%`,
  );
}

/** True when so many failures among so many minions reach the limit. */
export function reachesLimit({ kind, value }: Amount, failures: number, ran: number): boolean {
  if (failures === 0) return false;
  return kind === 'count' ? failures >= value : (failures / ran) * 100 >= value;
}

/** For the option table: refuses a text that is no list of steps. */
export function checkSteps(value: Value): Value {
  parseSteps(String(value));
  return value;
}

/** For the option table: refuses a text that is no limit. */
export function checkLimit(value: Value): Value {
  parseLimit(String(value));
  return value;
}
