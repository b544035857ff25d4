/** `git`: repositories and checkouts (3006.16 salt/states/git.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { detached, DETACHED } from './state/detached.ts';
import { LATEST } from './state/latest-run.ts';
import { latest } from './state/latest.ts';
import { cloned, CLONED, present, PRESENT, presentRefusal } from './state/other-checkouts.ts';
import { configSet, configUnset, CONFIG_SET, CONFIG_UNSET } from './state/settings.ts';
import { defineState } from '../shared/state-function.ts';

/** The states of `git`. */
export const gitStates = defineModule({
  name: 'git',
  file: 'git',
  doc: 'Repositories and checkouts of git.',
  needs: { fun: 'git.version', otherwise: 'git module could not be loaded' },
  functions: {
    latest: defineState({
      doc: 'Makes sure that a repository is checked out, and is as its remote is.',
      params: LATEST,
      kwargs: 'kwargs',
      run: latest,
    }),
    present: defineState({
      doc: 'Makes sure that there is a repository in a folder; bare unless `bare: False`.',
      params: PRESENT,
      refuses: presentRefusal,
      run: present,
    }),
    detached: defineState({
      doc: 'Makes sure that a commit is checked out, on no branch.',
      params: DETACHED,
      kwargs: 'kwargs',
      run: detached,
    }),
    cloned: defineState({
      doc: 'Makes sure that a repository is cloned. It is not updated afterwards.',
      params: CLONED,
      run: cloned,
    }),
    config_set: defineState({
      doc: 'Makes sure that a setting has a value. Keyword: `global`, the setting of the user.',
      params: CONFIG_SET,
      kwargs: 'kwargs',
      run: configSet,
    }),
    config_unset: defineState({
      doc: 'Makes sure that settings are not set. Keywords: `global`, those of the user; `all`, several values of one.',
      params: CONFIG_UNSET,
      kwargs: 'kwargs',
      run: configUnset,
    }),
  },
});
