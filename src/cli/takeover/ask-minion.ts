/** Asks Brine's minion on this machine whether it would do jobs. */
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Clock } from '../../host/clock.ts';
import { mayListen } from '../../host/local-place.ts';
import type { Random } from '../../host/random.ts';
import { UnreachableError } from '../../errors/errors.ts';
import { EventBusReader, EventBusWriter } from '../../network/events/bus-client.ts';
import { minionSockets } from '../../programs/minion/event-bus.ts';
import { SELF_TEST, SELF_TEST_ANSWER } from '../../programs/minion/self-test.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict } from '../../python/values/value.ts';

/** Longer than a minion waits for its masters. */
const ANSWER_MS = 15_000;
const QUEUE_BYTES_MAX = 1024 * 1024;

/** Asks once. @returns undefined when all is well, else what is not, without a full stop */
export async function askMinion(
  opts: MinionOptions,
  needsMaster: boolean,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<string | undefined> {
  const answer = await answerOf(opts, clock, random.bytes(12).toString('hex'));
  if (answer === undefined) return 'it does not answer on its own bus';
  if (answer.get('ping') !== true) return 'it does not run test.ping';
  const listed = answer.get('masters');
  const masters = Array.isArray(listed) ? listed.filter(isDict) : [];
  if (!needsMaster || masters.some((master) => master.get('answers') === true)) return undefined;
  if (masters.length === 0) return 'no master has let it in';
  const [{ why, name } = { why: '', name: '' }] = masters.map((master) => ({
    why: pyStr(master.get('why') ?? ''),
    name: pyStr(master.get('master') ?? ''),
  }));
  return `its master ${name} does not answer: ${why.replace(/\.$/, '')}`;
}

async function answerOf(opts: MinionOptions, clock: Clock, token: string): Promise<Dict | undefined> {
  const { pub, pull } = minionSockets(opts);
  if (!mayListen(pull)) return undefined;
  const give = new AbortController();
  let answer: Dict | undefined;
  let reader: EventBusReader | undefined;
  const writer = new EventBusWriter({
    path: pull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: QUEUE_BYTES_MAX,
  });
  try {
    reader = await EventBusReader.connect(
      pub,
      (tag) => tag === `${SELF_TEST_ANSWER}${token}`,
      (event) => {
        answer = event.data;
        give.abort();
      },
      () => give.abort(),
    );
    writer.fire(SELF_TEST, dict({ token }));
    await writer.flush();
    await clock.sleep(ANSWER_MS, give.signal);
    return answer;
  } catch (error) {
    if (error instanceof UnreachableError) return undefined; // not up yet
    throw error;
  } finally {
    reader?.close();
    writer.close();
  }
}
