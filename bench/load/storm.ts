/** Runs one action over and over, so many at a time, for so long. */
import { messageOf } from '../../src/errors/errors.ts';
import { median, percentile } from '../statistics.ts';
import type { Storm, StormResult } from './messages.ts';

const ERRORS_KEPT = 3;

/**
 * @param act does number `n`; numbers are given out in order, each once
 * @param failed told the numbers that threw
 */
export async function runStorm(
  storm: Storm,
  act: (n: number) => Promise<void>,
  failed: (n: number) => void = () => undefined,
): Promise<StormResult & { readonly sent: number }> {
  const latencies: number[] = [];
  const errors: string[] = [];
  let sent = 0;
  let failures = 0;
  const startedMs = performance.now();
  const one = async (): Promise<void> => {
    while (performance.now() - startedMs < storm.durationMs) {
      const n = sent++;
      const beganMs = performance.now();
      try {
        await act(n);
        latencies.push(performance.now() - beganMs);
      } catch (error) {
        failures++;
        failed(n);
        if (errors.length < ERRORS_KEPT) errors.push(messageOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: storm.inFlight }, one));
  return {
    sent,
    done: latencies.length,
    failed: failures,
    elapsedMs: performance.now() - startedMs,
    latencyMedianMs: median(latencies),
    latencyP99Ms: percentile(latencies, 0.99),
    errors,
  };
}
