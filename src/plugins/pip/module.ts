/** `pip`: packages of Python. Follows 3006.16 salt/modules/pip.py. */
import { pyStr } from '../../python/values/repr.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { install, uninstall } from './module/install.ts';
import { allVersions, freeze, frozenPackages, packages, upgradeAll, upgrades } from './module/lists.ts';
import { BIN_ENV, CONNECTION, CWD, ENV_VARS, INSTALL, REQUIREMENTS, USER, USE_VT } from './module/params.ts';
import { pipVersion } from './module/run.ts';

const WHERE = { ...BIN_ENV, ...USER, ...CWD } as const;
const PREFIX = {
  prefix: param.value({ default: null, type: 'str', doc: 'Only packages whose names begin with this.' }),
} as const;
const PKG = { pkg: param.value({ type: 'str', doc: 'The name of the package.' }) } as const;
const INDEX = {
  index_url: param.valueIfGiven({ default: null, type: 'str', doc: 'The address of the index of packages.' }),
  extra_index_url: param.valueIfGiven({ default: null, type: 'str', doc: 'The address of a further index.' }),
} as const;

const changing = {
  install: defineFunction({
    doc: 'Installs packages, or what files of requirements name. Further keywords are those of cmd.run_all.',
    params: INSTALL,
    kwargs: 'kwargs',
    returns: 'as cmd.run_all; a mapping of result and comment where a file of requirements is missing',
    examples: [
      "salt '*' pip.install markdown,django",
      "salt '*' pip.install requirements=salt://app/requirements.txt bin_env=/srv/app/venv user=app",
    ],
    run: (ctx, args, _rest, kwargs) => install(ctx, args, kwargs),
  }),
  uninstall: defineFunction({
    doc: 'Removes packages, or what files of requirements name.',
    params: {
      pkgs: param.value({
        default: null,
        type: 'list or str',
        doc: 'The packages: a list, or a text with commas.',
      }),
      ...REQUIREMENTS,
      ...BIN_ENV,
      ...CONNECTION,
      ...USER,
      ...CWD,
      saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of `salt://…`.' }),
      ...USE_VT,
    },
    returns: 'as cmd.run_all; a mapping of result and comment where a file of requirements is missing',
    examples: ["salt '*' pip.uninstall markdown bin_env=/srv/app/venv"],
    run: (ctx, args) => uninstall(ctx, args),
  }),
  upgrade: defineFunction({
    doc: 'Upgrades all packages of which there is a newer version.',
    params: { ...WHERE, ...USE_VT },
    returns: 'a mapping of changes, result and comment',
    examples: ["salt '*' pip.upgrade bin_env=/srv/app/venv"],
    run: (ctx, { use_vt, ...run }) => upgradeAll(ctx, run, use_vt ? { use_vt: true } : {}),
  }),
};

const asking = {
  freeze: defineFunction({
    doc: 'Returns the lines of `pip freeze`.',
    params: { ...WHERE, ...USE_VT, ...ENV_VARS },
    kwargs: 'kwargs',
    returns: 'a list of lines',
    examples: ["salt '*' pip.freeze bin_env=/srv/app/venv"],
    run: (ctx, { use_vt, ...run }, _rest, kwargs) => {
      const further = new Map(kwargs);
      if (use_vt) further.set('use_vt', true);
      return freeze(ctx, { ...run, further });
    },
  }),
  list_freeze_parse: defineFunction({
    doc: 'Lists the packages as `pip freeze` has them.',
    params: { ...PREFIX, ...WHERE, ...ENV_VARS },
    kwargs: 'kwargs',
    returns: 'a mapping of name to version',
    examples: ["salt '*' pip.list_freeze_parse salt"],
    run: (ctx, { prefix, ...run }, _rest, further) => frozenPackages(ctx, prefix, { ...run, further }),
  }),
  list: defineFunction({
    doc: 'Lists the installed packages.',
    params: { ...PREFIX, ...WHERE, ...ENV_VARS },
    kwargs: 'kwargs',
    pythonName: 'list_',
    returns: 'a mapping of name to version',
    examples: ["salt '*' pip.list salt"],
    run: (ctx, { prefix, ...run }, _rest, further) => packages(ctx, prefix, { ...run, further }),
  }),
  version: defineFunction({
    doc: 'Returns the version of pip.',
    params: { ...BIN_ENV, ...CWD, ...USER },
    returns: 'the version',
    examples: ["salt '*' pip.version"],
    run: async (ctx, run) => (await pipVersion(ctx, run)) ?? null,
  }),
  list_upgrades: defineFunction({
    doc: 'Lists the packages of which there is a newer version.',
    params: WHERE,
    returns: 'a mapping of name to version and kind',
    examples: ["salt '*' pip.list_upgrades"],
    run: (ctx, run) => upgrades(ctx, run),
  }),
  is_installed: defineFunction({
    doc: 'Returns whether a package is installed.',
    params: { pkgname: param.text({ doc: 'The name of the package.' }), ...WHERE },
    returns: 'true or false',
    examples: ["salt '*' pip.is_installed salt"],
    run: async (ctx, { pkgname, ...run }) => {
      const wanted = pkgname.toLowerCase();
      return [...(await packages(ctx, pkgname, run)).keys()].some(
        (name) => pyStr(name).toLowerCase() === wanted,
      );
    },
  }),
  upgrade_available: defineFunction({
    doc: 'Returns whether there is a newer version of a package.',
    params: { ...PKG, ...WHERE },
    returns: 'true or false',
    examples: ["salt '*' pip.upgrade_available salt"],
    run: async (ctx, { pkg, ...run }) => (await upgrades(ctx, run)).has(pkg),
  }),
  list_all_versions: defineFunction({
    doc: 'Lists all versions of a package that an index has.',
    params: {
      ...PKG,
      ...BIN_ENV,
      include_alpha: param.flag({ default: false, doc: 'Alpha versions, too.' }),
      include_beta: param.flag({ default: false, doc: 'Beta versions, too.' }),
      include_rc: param.flag({ default: false, doc: 'Release candidates, too.' }),
      ...USER,
      ...CWD,
      ...INDEX,
    },
    returns: 'a list of versions, the oldest first; nothing where there is none',
    examples: ["salt '*' pip.list_all_versions salt"],
    run: (ctx, args) => allVersions(ctx, args),
  }),
};

/** The module. */
export const pipModule = defineModule({
  name: 'pip',
  file: 'pip',
  doc: 'Packages of Python, in the system or in virtual environments.',
  words: { lines: ['env_vars'], dashes: ['extra_args', 'global_options', 'install_options', 'env_vars'] },
  functions: { ...changing, ...asking },
});
