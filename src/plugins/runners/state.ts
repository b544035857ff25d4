/** `state.*`: orchestrations, halting them, and watching the event bus (salt/runners/state.py, 3006.16). */
import { controlRunners } from './state/control.ts';
import { event } from './state/event.ts';
import { givenDataRunners } from './state/given-data.ts';
import { orchestrateRunners } from './state/orchestrate.ts';
import { defineRunners } from './runner.ts';

/** The state runner. */
export const stateRunners = defineRunners({
  name: 'state',
  doc: 'Orchestrations: states of the whole fleet, and the event bus.',
  functions: { ...orchestrateRunners, ...givenDataRunners, ...controlRunners, event },
});
