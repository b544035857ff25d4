/** Listening to returns on the event bus, for minions that wait for those of a job that they have published. */
import type { LocalPlace } from '../../../host/local-place.ts';
import { EventBusReader } from '../../../network/events/bus-client.ts';
import { readReturnTag } from '../../../network/events/tags.ts';
import type { HearReturns } from './peer.ts';

/** Listens on a bus. @param path of its socket @throws UnreachableError, when listening begins and there is no bus */
export function returnsOnBus(path: LocalPlace): HearReturns {
  return (tell) =>
    EventBusReader.connect(
      path,
      (tag) => readReturnTag(tag) !== undefined,
      ({ tag, data }) => {
        const { jid, id } = readReturnTag(tag) ?? {};
        if (jid !== undefined && id !== undefined) tell(jid, id, data);
      },
    );
}
