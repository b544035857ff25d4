/** A scheduler on a clock that only tests move. */
import { createLogger, LOG_LEVELS } from '../../src/host/log.ts';
import type { Clock } from '../../src/host/clock.ts';
import type { Random } from '../../src/host/random.ts';
import { Scheduler, type ScheduledRun } from '../../src/runtime/scheduler/scheduler.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { fakeClock, leastRandom } from './module-context.ts';
import { zoneNamed } from './zone.ts';

/** What a virtual scheduler is made of. */
export interface VirtualOptions {
  /** An instant, ISO with its zone. */
  readonly from: string;
  readonly zone?: string;
  readonly schedule: Dict;
  readonly pillar?: Dict;
  readonly grains?: Dict;
  readonly random?: Random;
  readonly loopMs?: number;
  /** Runs of each job that count as alive. */
  readonly alive?: Map<string, number>;
}

const MINUTE_MS = 60_000;
const FIRST_SECONDS_MS = 8000;

/** A virtual scheduler. */
export interface VirtualSchedule {
  readonly scheduler: Scheduler;
  /** The instants at which each job was run. */
  readonly runs: Map<string, number[]>;
  readonly started: ScheduledRun[];
  readonly errors: string[];
  readonly warnings: string[];
  /** The jobs that were looked at for the first time, in their order. */
  readonly seen: string[];
  readonly persisted: Dict[];
  readonly clock: Clock;
  /** Replaces the pillar. */
  setPillar(pillar: Dict): void;
  /** Evaluates each second for a span, beginning now. */
  pass(spanMs: number, stepMs?: number): void;
  /**
   * The same with the first seconds of each minute only; what should run at another second shows at the next minute.
   */
  passMinutes(spanMs: number): void;
  nowMs(): number;
}

/** Makes one. */
export function virtualSchedule(options: VirtualOptions): VirtualSchedule {
  let now = Date.parse(options.from);
  let pillar = options.pillar;
  const runs = new Map<string, number[]>();
  const started: ScheduledRun[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const seen: string[] = [];
  const persisted: Dict[] = [];
  const clock: Clock = { ...fakeClock(now), nowMs: () => now };
  const log = createLogger('test', [
    { level: LOG_LEVELS.error, write: (record) => void errors.push(record.message) },
    {
      level: LOG_LEVELS.warning,
      write: ({ level, message }) => void (level === 'warning' && warnings.push(message)),
    },
  ]);
  const scheduler = new Scheduler({
    clock,
    zone: zoneNamed(options.zone ?? 'UTC'),
    random: options.random ?? leastRandom,
    log,
    loopMs: options.loopMs ?? 1000,
    configured: options.schedule,
    pillar: () => pillar?.get('schedule'),
    whens: () => [...named('pillar', pillar), ...named('grain', options.grains)],
    running: (name) => options.alive?.get(name) ?? 0,
    run: (run) => {
      started.push(run);
      runs.set(run.name, [...(runs.get(run.name) ?? []), now]);
    },
    seen: (name) => void seen.push(name),
    persist: (schedule) => void persisted.push(schedule),
  });
  return {
    scheduler,
    runs,
    started,
    errors,
    warnings,
    seen,
    persisted,
    clock,
    setPillar: (value) => {
      pillar = value;
    },
    pass: (spanMs, stepMs = 1000) => {
      for (const end = now + spanMs; now < end; now += stepMs) scheduler.tick();
      scheduler.tick();
    },
    passMinutes: (spanMs) => {
      for (const end = now + spanMs; now < end;) {
        scheduler.tick();
        now += now % MINUTE_MS < FIRST_SECONDS_MS ? 1000 : MINUTE_MS - (now % MINUTE_MS);
      }
    },
    nowMs: () => now,
  };
}

function named(
  source: 'pillar' | 'grain',
  holder: Dict | undefined,
): { source: typeof source; value: Value }[] {
  const value = isDict(holder) ? holder.get('whens') : undefined;
  return value === undefined ? [] : [{ source, value }];
}
