/** `salt`: the steps of an orchestration (3006.16 salt/states/saltmod.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { functionState } from './state/function.ts';
import { runnerState, wheelState } from './state/master-function.ts';
import { parallelRunners } from './state/parallel-runners.ts';
import { state } from './state/state.ts';
import { waitForEvent } from './state/wait-for-event.ts';

/** The states of `salt`. */
export const saltStates = defineModule({
  name: 'salt',
  file: 'saltmod',
  doc: 'Steps of an orchestration: jobs on minions, functions of the master, waiting for events.',
  functions: {
    state,
    function: functionState,
    runner: runnerState,
    wheel: wheelState,
    wait_for_event: waitForEvent,
    parallel_runners: parallelRunners,
  },
});
