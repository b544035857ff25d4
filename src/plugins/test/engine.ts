/** `test`: writes the events of the bus to the log, at debug level (salt/engines/test.py, 3006.16). */
import { eventJson } from '../shared/engine/event-json.ts';
import { defineEngine } from '../shared/engine/engine.ts';

/** The engine. */
export const testEngine = defineEngine({
  name: 'test',
  doc: 'Writes the data of each event to the log, at debug level.',
  params: {},
  start: async ({ log, events }) => {
    log.debug('test engine started');
    for await (const { data } of events()) log.debug(eventJson(data));
  },
});
