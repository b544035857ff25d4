/**
 * Orders from `salt-call` to the minion on the same host, over its bus (salt/modules/schedule.py,
 * salt/modules/beacons.py, 3006.16).
 */
import { mayListen } from '../../host/local-place.ts';
import { UnreachableError } from '../../errors/errors.ts';
import { EventBusReader, EventBusWriter } from '../../network/events/bus-client.ts';
import { minionSockets } from '../../programs/minion/event-bus.ts';
import type { Dict } from '../../python/values/value.ts';
import type { CallerServiceDeps } from './caller-services-deps.ts';

/** Time for the minion to answer. */
const ANSWER_MS = 30_000;
const EVENT_QUEUE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Fires the order, and waits for its answer.
 * @returns the data of the answer; empty when none is awaited; undefined when no minion runs here or it does not answer
 */
export async function manageMinion(
  { opts, clock }: CallerServiceDeps,
  part: 'schedule' | 'beacons',
  order: Dict,
  answerTag: string | undefined,
): Promise<Dict | undefined> {
  const { pub, pull } = minionSockets(opts);
  if (!mayListen(pull)) return undefined;
  const give = new AbortController();
  let answer: Dict | undefined;
  const writer = new EventBusWriter({
    path: pull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  let reader: EventBusReader | undefined;
  try {
    if (answerTag !== undefined)
      reader = await EventBusReader.connect(
        pub,
        (tag) => tag === answerTag,
        (event) => {
          answer = event.data;
          give.abort();
        },
        () => give.abort(),
      );
    writer.fire(`manage_${part}`, order);
    await writer.flush();
    if (answerTag === undefined) return new Map();
    await clock.sleep(ANSWER_MS, give.signal);
    return answer;
  } catch (error) {
    if (error instanceof UnreachableError) return undefined; // a socket file that a minion has left behind
    throw error;
  } finally {
    reader?.close();
    writer.close();
  }
}
