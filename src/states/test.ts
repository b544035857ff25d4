/** `test`: states that do nothing, or fail on purpose (3006.16 salt/states/test.py). */
import { defineModule } from '../loader/module.ts';
import { dict } from '../values/value.ts';
import { defineState } from './state-function.ts';

const name = { type: 'str', doc: 'Any text that tells the states apart.' } as const;
const PRETENDED = { testing: { old: 'Unchanged', new: 'Something pretended to change' } };

/** A state that always gives one of two results. */
function always(doc: string, outcome: { result: boolean; comment: string; inTest?: string }) {
  const { result, comment, inTest } = outcome;
  return defineState({
    doc,
    params: { name },
    kwargs: 'kwargs',
    run: ({ state }, args) => ({
      name: args.name,
      changes: inTest === undefined ? dict() : dict(PRETENDED),
      result: inTest !== undefined && state.test ? null : result,
      comment: inTest !== undefined && state.test ? inTest : comment,
    }),
  });
}

const succeedWithoutChanges = always('Succeeds and changes nothing.', { result: true, comment: 'Success!' });

/** The states of `test`. */
export const testStates = defineModule({
  name: 'test',
  file: 'test',
  doc: 'States that do nothing, or fail on purpose, for trying out.',
  functions: {
    nop: succeedWithoutChanges,
    succeed_without_changes: succeedWithoutChanges,
    fail_without_changes: always('Fails and changes nothing.', { result: false, comment: 'Failure!' }),
    succeed_with_changes: always('Succeeds and pretends to have changed something.', {
      result: true,
      comment: 'Success!',
      inTest: "If we weren't testing, this would be successful with changes",
    }),
    fail_with_changes: always('Fails and pretends to have changed something.', {
      result: false,
      comment: 'Failure!',
      inTest: "If we weren't testing, this would be failed with changes",
    }),
  },
});
