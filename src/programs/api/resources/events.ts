/** `/events`: the event bus as server-sent events (salt/netapi/rest_cherrypy/app.py `Events`, 3006.16). */
import type { Clock } from '../../../host/clock.ts';
import type { EventStreams } from '../event-streams.ts';
import { HttpFault } from '../http-fault.ts';
import type { Call, ActionAnswer, Resource } from '../resource.ts';
import type { Sessions } from '../sessions.ts';
import type { TokenChecks } from '../token-checks.ts';

/** What listening needs. */
export interface EventsDeps {
  readonly sessions: Sessions;
  readonly checks: TokenChecks;
  readonly streams: EventStreams;
  readonly clock: Clock;
}

/** `/events`. */
export function eventsResource(deps: EventsDeps): Resource {
  return {
    sessions: true,
    auth: false,
    readsBody: false,
    checksAddress: true,
    get: { params: ['token', 'salt_token'], run: (call) => listen(deps, call) },
  };
}

/** A right to listen. */
export interface ListeningRight {
  /** What the master knows whoever listens by. */
  readonly token: string;
  /** Whose it is. */
  readonly user: string;
  /** False when it is over. */
  readonly holds: () => boolean;
}

/** A verdict counts for so long for one reader. */
const LOOK_MS = 1000;

/**
 * Finds out whether a token gives a right to listen: one of a session, or of external authentication.
 * @throws HttpFault 401
 */
export async function rightToListen(
  { sessions, checks, clock }: Pick<EventsDeps, 'sessions' | 'checks' | 'clock'>,
  given: string | undefined,
): Promise<ListeningRight> {
  if (given === undefined || !/^[0-9a-f]+$/i.test(given)) throw new HttpFault(401);
  const session = sessions.find(given);
  const token = session?.token.reveal() ?? given;
  const user = await checks.ask(token);
  if (user === undefined) throw new HttpFault(401);
  let [lookedMs, isGood] = [clock.monotonicMs(), true];
  return {
    token,
    user,
    holds: () => {
      if (session?.isOver === true) return false;
      if (clock.monotonicMs() - lookedMs > LOOK_MS) {
        lookedMs = clock.monotonicMs();
        if (session !== undefined) session.lastMs = lookedMs;
        isGood = checks.isGood(token);
      }
      return isGood;
    },
  };
}

async function listen(deps: EventsDeps, call: Call): Promise<ActionAnswer> {
  const { exchange, params } = call;
  const ofSession = call.session === undefined ? undefined : call.sessionId;
  const right = await rightToListen(deps, params.get('token') ?? params.get('salt_token') ?? ofSession);
  const headers: [string, string][] = [
    ['Content-Type', 'text/event-stream;charset=utf-8'],
    ['Cache-Control', 'no-cache'],
    ['Connection', 'keep-alive'],
  ];
  if (exchange.method !== 'HEAD') await begin(deps, call, right);
  return { stream: 'retry: 400\n', headers };
}

async function begin(
  { streams }: EventsDeps,
  { exchange, signal }: Call,
  right: ListeningRight,
): Promise<void> {
  const { response } = exchange;
  const stop = await streams.add({
    name: `The reader of events at ${exchange.address}`,
    user: right.user,
    mayListen: right.holds,
    send: ({ bytes }) => void response.write(bytes),
    // once its head has gone, what is the same for all goes past the answer, which would put each chunk together anew
    sendBytes: (bytes, chunk) => {
      const { socket, headersSent, chunkedEncoding } = response;
      if (socket !== null && headersSent && chunkedEncoding) socket.write(chunk);
      else response.write(bytes);
    },
    waitingBytes: () => Math.max(response.writableLength, response.socket?.writableLength ?? 0),
    end: (isTooSlow) => void (isTooSlow ? response.destroy() : response.end()),
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
}
