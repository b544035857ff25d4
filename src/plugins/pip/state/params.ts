/** The parameters of `pip.installed`, in Salt's order. */
import { param } from '../../../runtime/loader/params.ts';
import {
  BIN_ENV,
  CACHE,
  CONNECTION,
  CWD,
  ENV_VARS,
  EXTRA_ARGS,
  GLOBAL_OPTIONS,
  INSTALL_OPTIONS,
  REQUIREMENTS,
  SOURCES,
  TRUST,
  TRUSTED_HOST,
  USER,
  USE_VT,
  WHEELS,
} from '../module/params.ts';

/** All of `pip.installed`. */
export const INSTALLED = {
  name: param.text({ doc: 'The package, with versions: `django>=1.6,<=1.7`; an address or a path.' }),
  pkgs: param.valueIfGiven({
    default: null,
    type: 'list',
    doc: 'Several packages, in place of the name.',
  }),
  pip_bin: param.value({ default: null, type: 'str', doc: 'Older name of `bin_env`.' }),
  ...REQUIREMENTS,
  ...BIN_ENV,
  ...WHEELS,
  ...CONNECTION,
  repo: param.value({
    default: null,
    type: 'str',
    doc: 'Takes no effect, as in Salt: `editable` names a repository.',
  }),
  ...SOURCES,
  ...INSTALL_OPTIONS,
  ...GLOBAL_OPTIONS,
  ...USER,
  ...CWD,
  ...TRUST,
  ...ENV_VARS,
  ...USE_VT,
  ...TRUSTED_HOST,
  ...CACHE,
  ...EXTRA_ARGS,
} as const;
