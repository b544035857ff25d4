/** `state.*`: orchestrations, halting them, and watching the event bus (salt/runners/state.py, 3006.16). */
import { controlRunners } from './runner/control.ts';
import { event } from './runner/event.ts';
import { givenDataRunners } from './runner/given-data.ts';
import { orchestrateRunners } from './runner/orchestrate.ts';
import { defineRunners } from '../shared/runner/runner.ts';

/** The state runner. */
export const stateRunners = defineRunners({
  name: 'state',
  doc: 'Orchestrations: states of the whole fleet, and the event bus.',
  functions: { ...orchestrateRunners, ...givenDataRunners, ...controlRunners, event },
});
