/**
 * A master that starts before NATS does, as after a failure of power, waits for it. What no waiting mends ends the
 * start.
 */
import { messageOf, NotYetError, UnreachableError } from '../../errors/errors.ts';
import { isLeaderless, LEADERLESS } from '../../network/nats/stream.ts';
import { ClusterLink, type LinkDeps } from './link.ts';

const AGAIN_MS = 1_000;
/** Between two lines in the log. */
const SAY_MS = 60_000;
/** Nobody listens there, the host is not there, or its name cannot be had yet. */
const AWAY = new Set(
  'ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ETIMEDOUT ENOTFOUND EAI_AGAIN EPIPE'.split(' '),
);

const WAITS = 'This master waits for the cluster; until then it serves no minion and takes no job.';

/**
 * Connects, and waits until the cluster's streams can be used.
 * @throws what waiting does not mend: credentials that are refused, certificates, streams that do not exist
 */
export async function awaitLink(deps: LinkDeps): Promise<ClusterLink> {
  const { clock, log } = deps;
  let saidAtMs = -Infinity;
  for (;;) {
    try {
      return await usableLink(deps);
    } catch (error) {
      if (!mayCome(error)) throw error;
      const nowMs = clock.monotonicMs();
      if (nowMs - saidAtMs >= SAY_MS) {
        saidAtMs = nowMs;
        log.warning(`${messageOf(error)} ${WAITS}`);
      }
      await clock.sleep(AGAIN_MS);
    }
  }
}

async function usableLink(deps: LinkDeps): Promise<ClusterLink> {
  const link = await ClusterLink.open(deps);
  try {
    await link.streams.range(deps.probe);
    return link;
  } catch (error) {
    await link.close();
    throw sentence(error, deps);
  }
}

/**
 * Starts what needs the cluster's streams.
 * @throws NotYetError when NATS went away meanwhile, which has been said
 */
export async function startedWithLink<T>(
  { access, log }: Pick<LinkDeps, 'access' | 'log'>,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    // other faults, also a refused connection, may be of the parts of this master
    if (!isLeaderless(error) && (error as Error).name !== 'TimeoutError') throw error;
    const { message } = sentence(error, { access });
    log.warning(`${message} ${WAITS}`);
    throw new NotYetError(message, { cause: error });
  }
}

function sentence(error: unknown, { access }: Pick<LinkDeps, 'access'>): Error {
  if (!isLeaderless(error) && (error as Error).name !== 'TimeoutError') return error as Error;
  const where = `NATS at ${access.servers.join(', ')}`;
  return new UnreachableError(`JetStream of ${where} does not answer: ${messageOf(error)}. ${LEADERLESS}`, {
    cause: error,
  });
}

function mayCome(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as { code?: unknown };
    if (one.name === 'TimeoutError' || isLeaderless(one) || AWAY.has(String(code))) return true;
  }
  return false;
}
