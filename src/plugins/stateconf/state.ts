/** `stateconf`: chunks that only carry settings for other SLS files (3006.16 salt/states/stateconf.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

const NOTHING = defineState({
  doc: 'Does nothing: the renderer stateconf has taken the arguments as settings of the SLS file.',
  params: { name: param.text({ doc: 'The name.' }) },
  kwargs: 'kwargs',
  run: (_ctx, { name }) => outcomeResultFirst(name, true, ''),
});

/** The states of `stateconf`. */
export const stateconfStates = defineModule({
  name: 'stateconf',
  file: 'stateconf',
  doc: 'Settings of an SLS file, for the renderer stateconf.',
  functions: { set: NOTHING, context: NOTHING },
});
