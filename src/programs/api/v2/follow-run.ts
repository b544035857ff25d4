/** A function of the master as it runs: what it says on the way, and what it returns. */
import type { BusEvent } from '../../../network/events/framing.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import type { Deps } from './deps.ts';
import type { EventStream } from './event-stream.ts';
import { ofMaster } from './job-views.ts';

/** How often the job cache is asked whether it has ended, in case its event did not reach us. */
const LOOK_MS = 2_000;

/** How a run has ended. */
interface RunEnd {
  readonly return: Value;
  readonly success: boolean;
}

/** Sends a run until it has ended or the client has gone. */
export async function followRun(deps: Deps, jid: string, stream: EventStream): Promise<void> {
  const tag = `salt/run/${jid}/`;
  const hear = (event: BusEvent): void => {
    if (event.tag === `${tag}ret`)
      stream.end({
        return: event.data.get('return') ?? null,
        success: truthy(event.data.get('success') ?? true),
      });
    else stream.send('progress', { tag: event.tag, data: event.data });
  };
  const { stop } = await deps.ring.listen({
    take: ({ event }) => {
      if (event.tag.startsWith(tag)) hear(event);
    },
    gap: () => undefined,
  });
  stream.over.addEventListener('abort', stop, { once: true });
  if (stream.isOver) return stop();
  stream.open();
  while (!stream.isOver) {
    const ended = await endOf(deps, jid);
    if (ended !== undefined) return stream.end(ended);
    await deps.clock.sleep(LOOK_MS, stream.over);
  }
}

async function endOf({ files }: Deps, jid: string): Promise<RunEnd | undefined> {
  const [ret] = await files.jobs((archive) => archive.returns(jid));
  if (ret === undefined) return undefined;
  const { value, success } = ofMaster(ret);
  return { return: value, success };
}
