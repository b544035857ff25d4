/** `state.*`: compiling and running states (3006.16 salt/modules/state.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { applyFunctions } from './module/apply.ts';
import { controlFunctions } from './module/control.ts';
import { orchestrateFunctions } from './module/orchestrate.ts';
import { packageFunctions } from './module/package.ts';
import { requestFunctions } from './module/requests.ts';
import { showFunctions } from './module/show.ts';

/** The module `state`. */
export const stateModule = defineModule({
  name: 'state',
  file: 'state',
  doc: 'States: what this minion is to be like, shown and brought about.',
  failsWith: { false: ['clear_request'], empty: ['pkg'], error: ['enable', 'disable'] },
  functions: {
    ...applyFunctions,
    ...controlFunctions,
    ...orchestrateFunctions,
    ...packageFunctions,
    ...requestFunctions,
    ...showFunctions,
  },
});
