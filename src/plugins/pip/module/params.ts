/** What pip is told: the parameters that `pip.install` and the state `pip.installed` share, in Salt's order. */
import { param } from '../../../runtime/loader/params.ts';

/** Which pip. */
export const BIN_ENV = {
  bin_env: param.value({
    default: null,
    type: 'str',
    doc: 'A virtual environment, or the path of a pip or of a Python. Without it the Python of the grain `pythonexecutable`.',
  }),
} as const;

/** Who runs it. */
export const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs pip.' }),
} as const;

/** Where it runs. */
export const CWD = {
  cwd: param.value({ default: null, type: 'str', doc: 'The folder in which pip runs.' }),
} as const;

/** Variables of the environment. */
export const ENV_VARS = {
  env_vars: param.value({
    default: null,
    type: 'dict',
    doc: 'Variables of the environment in which pip runs.',
  }),
} as const;

/** A terminal. */
export const USE_VT = {
  use_vt: param.flag({ default: false, doc: 'Run pip on a terminal of its own.' }),
} as const;

/** A file of requirements. */
export const REQUIREMENTS = {
  requirements: param.value({
    default: null,
    type: 'str or list',
    doc: 'Files with requirements: paths or `salt://…`, a list or a text with commas.',
  }),
} as const;

/** How pip reaches the network, and where it writes what it does. */
export const CONNECTION = {
  log: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'The file into which pip writes what it does.',
  }),
  proxy: param.value({
    default: null,
    type: 'str or bool',
    doc: 'The proxy, `user:password@host:port`; false: none, even where the configuration has `proxy_host`.',
  }),
  timeout: param.valueIfGiven({ default: null, type: 'int', doc: 'Seconds until a connection is given up.' }),
} as const;

/** What pip 1.4 to 9.0.3 was told of wheels. */
export const WHEELS = {
  use_wheel: param.flag({ default: false, doc: 'Prefer wheels (pip 1.4 to 9.0.3).' }),
  no_use_wheel: param.flag({ default: false, doc: 'Take no wheels (pip 1.4 to 9.0.3).' }),
} as const;

/** Where packages come from and where they go, and what happens to those that are there. */
export const SOURCES = {
  editable: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'What to install in editable mode: paths, or addresses of repositories with `#egg=NAME`.',
  }),
  find_links: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Addresses or folders to look for packages in.',
  }),
  index_url: param.valueIfGiven({ default: null, type: 'str', doc: 'The address of the index of packages.' }),
  extra_index_url: param.valueIfGiven({ default: null, type: 'str', doc: 'The address of a further index.' }),
  no_index: param.flag({ default: false, doc: 'Ask no index: only `find_links`.' }),
  mirrors: param.valueIfGiven({ default: null, type: 'str or list', doc: 'Mirrors (pip before 7.0).' }),
  build: param.valueIfGiven({ default: null, type: 'str', doc: 'The folder to build in.' }),
  target: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'The folder to install into; the variable VENV_PIP_TARGET without it.',
  }),
  download: param.valueIfGiven({ default: null, type: 'str', doc: 'Only download, into this folder.' }),
  download_cache: param.valueIfGiven({ default: null, type: 'str', doc: 'The folder of downloads.' }),
  source: param.valueIfGiven({ default: null, type: 'str', doc: 'The folder of editable packages.' }),
  upgrade: param.flag({ default: false, doc: 'Upgrade packages to their newest versions.' }),
  force_reinstall: param.flag({ default: false, doc: 'Install again what is there in the right version.' }),
  ignore_installed: param.flag({ default: false, doc: 'Install as if nothing was there.' }),
  exists_action: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'When a path exists: s (switch), i (ignore), w (wipe), b (back up).',
  }),
  no_deps: param.flag({ default: false, doc: 'Leave out what packages depend on.' }),
  no_install: param.flag({ default: false, doc: 'Download and unpack only (old versions of pip).' }),
  no_download: param.flag({ default: false, doc: 'Download nothing (old versions of pip).' }),
} as const;

/** Options of builds by `setup.py`. */
export const GLOBAL_OPTIONS = {
  global_options: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Options of `setup.py` that stand before its command.',
  }),
} as const;

/** Options of builds by `setup.py install`. */
export const INSTALL_OPTIONS = {
  install_options: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Options of `setup.py install`.',
  }),
} as const;

/** Which packages are taken. */
export const TRUST = {
  pre_releases: param.flag({ default: false, doc: 'Take versions before a release, too.' }),
  cert: param.valueIfGiven({ default: null, type: 'str', doc: 'The file of certificates to trust.' }),
  allow_all_external: param.flag({
    default: false,
    doc: 'Take packages from anywhere (old versions of pip).',
  }),
  allow_external: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Packages that may come from elsewhere (old versions of pip).',
  }),
  allow_unverified: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Packages that may come unverified (old versions of pip).',
  }),
  process_dependency_links: param.flag({
    default: false,
    doc: 'Follow links in packages (old versions of pip).',
  }),
} as const;

/** A host that needs no valid certificate. */
export const TRUSTED_HOST = {
  trusted_host: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'A host to trust without a valid certificate.',
  }),
  no_cache_dir: param.flag({ default: false, doc: 'Keep no downloads.' }),
} as const;

/** Further arguments. */
export const EXTRA_ARGS = {
  extra_args: param.listIfGiven({
    default: null,
    type: 'list',
    doc: 'Further arguments: options, or mappings of an option to its value.',
  }),
} as const;

/** The folder of downloads, and what is built here. */
export const CACHE = {
  cache_dir: param.valueIfGiven({ default: null, type: 'str', doc: 'The folder of downloads.' }),
  no_binary: param.valueIfGiven({
    default: null,
    type: 'str or list',
    doc: 'Packages of which no built form is taken; `:all:`, `:none:` (pip 7.0 and newer).',
  }),
} as const;

/** All of `pip.install`. */
export const INSTALL = {
  pkgs: param.value({
    default: null,
    type: 'list or str',
    doc: 'The packages: a list, or a text with commas.',
  }),
  ...REQUIREMENTS,
  ...BIN_ENV,
  ...WHEELS,
  ...CONNECTION,
  ...SOURCES,
  ...GLOBAL_OPTIONS,
  ...INSTALL_OPTIONS,
  ...USER,
  ...CWD,
  ...TRUST,
  saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of `salt://…`.' }),
  ...ENV_VARS,
  ...USE_VT,
  ...TRUSTED_HOST,
  ...EXTRA_ARGS,
  ...CACHE,
  disable_version_check: param.flag({ default: false, doc: 'Do not let pip look for a newer pip.' }),
} as const;
