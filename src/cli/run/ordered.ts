/** A run that a master has ordered for somebody: nothing is printed, who asked for it hears its events. */
import type { ClientProgram } from '../program/client-program.ts';
import type { CommandIo } from '../terminal/io.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { ownFunctions } from '../../programs/runner/own-functions.ts';
import { runLow } from '../../programs/runner/run-low.ts';
import { decodeOrder, ORDER_MARK } from '../../programs/runner/run-order.ts';
import { openRunnerContext } from '../../programs/runner/runner-context.ts';

/** True in a process that finds its order on standard input. */
export function isOrdered(env: NodeJS.ProcessEnv): boolean {
  return env[ORDER_MARK] === '1';
}

/**
 * Runs what is ordered.
 * @returns the exit code: 1 when it was interrupted, else 0, since its events say how it ended
 */
export async function runOrdered({ opts, merged, logging }: ClientProgram, io: CommandIo): Promise<number> {
  delete process.env[ORDER_MARK]; // what it starts is no such run
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  const { fun, low, jid, user, eauth } = decodeOrder(Buffer.concat(chunks));
  const log = logging.logger;
  const own = ownFunctions(merged, log);
  const abort = new AbortController();
  const onSignal = (): void => abort.abort();
  process.on('SIGINT', onSignal);
  const context = openRunnerContext({
    opts,
    settings: merged,
    jid,
    user,
    eauth,
    env: io.env,
    clock: systemClock,
    random: systemRandom,
    log,
    signal: abort.signal,
    print: (text) => log.debug(text),
    show: () => Promise.resolve(),
    own,
  });
  try {
    return (await runLow(context, { kind: 'runner', fun, low, own })) === undefined ? 1 : 0;
  } finally {
    process.removeListener('SIGINT', onSignal);
    await context.close();
  }
}
