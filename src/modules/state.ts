/** `state.*`: compiling and running states (3006.16 salt/modules/state.py). */
import { defineModule } from '../loader/module.ts';
import { showFunctions } from './state/show.ts';

/** The module `state`. */
export const stateModule = defineModule({
  name: 'state',
  file: 'state',
  doc: 'States: what this minion is to be like, shown and brought about.',
  functions: { ...showFunctions },
});
