/** The event bus of the master, as it happens. */
import { compileGlob } from '../../../../python/text/fnmatch.ts';
import type { RingEvent } from '../event-ring.ts';
import { streamRoute, type Route } from '../route.ts';
import { anything, list, nullable, object, optional, text } from '../schema.ts';

const TAGS_MAX = 50;
const AT_ONCE = 100;
/** Events that wait until those before are sent. */
const EARLY_MAX = 10_000;

/** The routes. */
export const eventRoutes: readonly Route[] = [
  streamRoute({
    id: 'events',
    method: 'GET',
    path: '/events',
    summary: 'Events as they happen.',
    doc: 'A reader that comes back with the id of the last event that it has seen, in `Last-Event-ID` or `last_event_id`, is sent what it has missed; where that is not kept any more, it is told by an event `gap`.',
    needs: { client: 'runner', fun: 'state.event' },
    query: {
      tag: optional(
        list(text({ maxLength: 500 }), {
          maxItems: TAGS_MAX,
          description: 'globs of tags; may be given several times',
        }),
      ),
    },
    events: {
      event: object({ tag: text(), data: anything(), stamp: nullable(text()) }),
      gap: object({ reason: text() }),
    },
    faults: ['master-down'],
    run: async ({ deps, query }, stream) => {
      const globs = (query.tag ?? []).map(compileGlob);
      const wants = ({ tag }: RingEvent): boolean =>
        globs.length === 0 || globs.some((glob) => glob.matches(tag));
      const early: RingEvent[] = [];
      let [isLive, hasMissed] = [false, false];
      const { missed, isWhole, stop } = await deps.ring.listen(
        {
          take: (event) => {
            if (!wants(event)) return;
            if (isLive) stream.sendBytes(event.bytes);
            else if (early.length < EARLY_MAX) early.push(event);
            else hasMissed = true;
          },
          gap: (reason) => stream.send('gap', { reason }),
        },
        stream.lastEventId,
      );
      stream.over.addEventListener('abort', stop, { once: true });
      if (stream.isOver) return stop();
      stream.open();
      if (!isWhole) stream.send('gap', { reason: 'the events since then are not kept any more' });
      for (const [index, event] of missed.filter(wants).entries()) {
        stream.sendBytes(event.bytes);
        if (index % AT_ONCE === 0) await stream.drained();
      }
      isLive = true;
      if (hasMissed) stream.send('gap', { reason: 'more happened meanwhile than is kept' });
      for (const event of early) stream.sendBytes(event.bytes);
    },
  }),
];
