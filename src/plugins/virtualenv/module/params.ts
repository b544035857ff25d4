/** What a virtual environment is made of: the parameters that `virtualenv.create` and the state share. */
import { param } from '../../../runtime/loader/params.ts';

/** The program. */
export const VENV_BIN = {
  venv_bin: param.textIfGiven({
    default: null,
    doc: 'The program: `virtualenv`, its path, or `venv` for the module of Python. Without it the pillar and the configuration are asked for `venv_bin`, then virtualenv is taken where it is installed, else venv.',
  }),
} as const;

/** How it is made. */
export const SHAPE = {
  system_site_packages: param.value({
    default: false,
    type: 'bool',
    doc: 'Let the environment use the packages of the system.',
  }),
  distribute: param.flag({ default: false, doc: 'Takes effect for virtualenv before 1.10 only.' }),
} as const;

/** Begins anew. */
export const CLEAR = {
  clear: param.value({ default: false, type: 'bool', doc: 'Empty the environment first.' }),
} as const;

/** Options of virtualenv only. */
export const VIRTUALENV_ONLY = {
  python: param.textOrNone({ default: null, doc: 'The Python of the environment (virtualenv only).' }),
  extra_search_dir: param.value({
    default: null,
    type: 'str or list',
    doc: 'Folders in which virtualenv looks for wheels of pip and its kin.',
  }),
  never_download: param.value({ default: null, type: 'bool', doc: 'Let virtualenv download nothing.' }),
  prompt: param.textOrNone({
    default: null,
    doc: 'What the shell shows in the environment (virtualenv only).',
  }),
} as const;

/** All of `virtualenv.create`. */
export const CREATE = {
  path: param.text({ doc: 'The folder of the environment.' }),
  ...VENV_BIN,
  ...SHAPE,
  ...CLEAR,
  ...VIRTUALENV_ONLY,
  pip: param.flag({ default: false, doc: 'Fetch and run get-pip.py where the environment has no pip.' }),
  symlinks: param.value({ default: null, type: 'bool', doc: 'Links in place of copies (venv only).' }),
  upgrade: param.value({
    default: null,
    type: 'bool',
    doc: 'Bring an environment to the Python of today (venv only).',
  }),
  user: param.value({ default: null, type: 'str', doc: 'Whose the environment is.' }),
  use_vt: param.flag({ default: false, doc: 'Run on a terminal of its own.' }),
  saltenv: param.value({
    default: 'base',
    type: 'str',
    doc: 'The environment that get-pip.py is fetched in.',
  }),
} as const;
