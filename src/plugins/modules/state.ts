/** `state.*`: compiling and running states (3006.16 salt/modules/state.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { applyFunctions } from './state/apply.ts';
import { controlFunctions } from './state/control.ts';
import { orchestrateFunctions } from './state/orchestrate.ts';
import { packageFunctions } from './state/package.ts';
import { requestFunctions } from './state/requests.ts';
import { showFunctions } from './state/show.ts';

/** The module `state`. */
export const stateModule = defineModule({
  name: 'state',
  file: 'state',
  doc: 'States: what this minion is to be like, shown and brought about.',
  failsWith: { false: ['clear_request'], empty: ['pkg', 'run_request'], error: ['enable', 'disable'] },
  functions: {
    ...applyFunctions,
    ...controlFunctions,
    ...orchestrateFunctions,
    ...packageFunctions,
    ...requestFunctions,
    ...showFunctions,
  },
});
