/** The load process: simulated minions live here, apart from the process that measures. */
import { messageOf } from '../../src/errors/errors.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { handleDebugSignals } from '../../src/programs/daemon/debug-signals.ts';
import { simulatedAnswer } from '../../src/programs/swarm/answers.ts';
import { swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import { Swarm } from '../../src/programs/swarm/swarm.ts';
import { authStorm } from './auth-storm.ts';
import { echoAtOnce, serveEcho } from './echo.ts';
import type { LoadAnswer, LoadOrder } from './messages.ts';
import { askPillars, fetchFiles } from './requests.ts';
import { returnsStorm } from './returns-storm.ts';

/** Key pairs shared by all simulated minions. */
export const SHARED_KEYS = 4;
const PAYLOAD_BYTES = 300;

/** Serves orders until the measuring process is gone. */
export function runLoadProcess(): void {
  handleDebugSignals({ clock: systemClock, log: () => undefined });
  let swarm: Swarm | undefined;
  const serve = async (order: LoadOrder): Promise<LoadAnswer> => {
    switch (order.type) {
      case 'join': {
        swarm?.close();
        const startedMs = performance.now();
        swarm = await joinSwarm(order);
        return { ok: true, joinMs: performance.now() - startedMs };
      }
      case 'leave':
        swarm?.close();
        swarm = undefined;
        return { ok: true };
      case 'auth':
        return {
          ok: true,
          storm: await authStorm(order, await swarmKeys(SHARED_KEYS, order.keysDir), order.again),
        };
      case 'returns':
        return { ok: true, returns: await returnsStorm(joined(swarm), order, order.baseMs) };
      case 'reconnects':
        return { ok: true, reconnects: joined(swarm).counters.reconnects };
      case 'pillars':
        return { ok: true, timesMs: await askPillars(joined(swarm), order.grains) };
      case 'fetch':
        return { ok: true, fetched: await fetchFiles(joined(swarm).minions.slice(0, order.minions)) };
      case 'echo-server':
        return { ok: true, port: await serveEcho() };
      case 'echo':
        return { ok: true, timesMs: await echoAtOnce(order) };
    }
  };
  process.on('message', (order: LoadOrder) => {
    serve(order).then(
      (answer) => process.send?.(answer),
      (error: unknown) => process.send?.({ ok: false, error: messageOf(error) } satisfies LoadAnswer),
    );
  });
  process.on('disconnect', () => process.exit(0));
  // the measuring process decides when we end: a terminal's Ctrl-C goes to it too
  process.on('SIGINT', () => undefined);
}

function joined(swarm: Swarm | undefined): Swarm {
  if (swarm === undefined) throw new Error('no minion has joined');
  return swarm;
}

async function joinSwarm({
  host,
  port,
  keysDir,
  prefix,
  count,
  payloadBytes = PAYLOAD_BYTES,
}: Extract<LoadOrder, { type: 'join' }>): Promise<Swarm> {
  const swarm = new Swarm({
    master: { host, port },
    count,
    prefix,
    keys: await swarmKeys(SHARED_KEYS, keysDir),
    answer: simulatedAnswer(payloadBytes),
    clock: systemClock,
    random: systemRandom,
  });
  try {
    await swarm.join();
  } catch (error) {
    swarm.close();
    throw error;
  }
  return swarm;
}
