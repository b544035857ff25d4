/** `pkg` with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { isTrue } from '../loader/coerce.ts';
import { defineFunction, defineModule, type ModuleContext } from '../loader/module.ts';
import { pyStr } from '../values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../values/value.ts';
import { holdTargets, packageName, versionOf, versionsDict } from './pkg/packages.ts';
import { hasRpm, installedRpms, normalRpmName, rpmOwner, splitArchitecture } from './pkg/rpm.ts';
import { compareRpm, withoutEpoch } from './pkg/versions.ts';
import {
  callYum,
  installYum,
  latestYum,
  lockedPackages,
  refreshYum,
  removeYum,
  upgradableYum,
  upgradeYum,
  yumProgram,
} from './pkg/yum.ts';

const FAMILIES: readonly Value[] = ['RedHat', 'Mandriva'];
const KEYWORDS = 'Keywords: `fromrepo`, `enablerepo`, `disablerepo`, `disableexcludes`, `branch`, `setopt`.';
const CHANGES = '`{package: {old, new}}` of what has changed';
const name = { default: null, type: 'str', doc: 'The package, or several separated by commas.' } as const;
const pkgs = { default: null, type: 'list', doc: 'Packages, also as `{name: version}`.' } as const;
const refresh = { default: true, type: 'bool', doc: 'Fetch the lists of packages first.' } as const;
const off = (doc: string) => ({ default: false, type: 'bool', doc }) as const;
const NAMES = { varargs: 'names', kwargs: 'kwargs' } as const;

/** `pkg.hold` and `pkg.unhold` with the plugin `versionlock`. */
async function setHold(ctx: ModuleContext, names: readonly string[], isHeld: boolean): Promise<Dict> {
  const out: Dict = new Map();
  const locked = await lockedPackages(ctx, false);
  for (const target of names) {
    const entry = dict({ name: target, changes: {}, result: false, comment: '' });
    out.set(target, entry);
    const not = isHeld ? '' : 'not ';
    if (locked.includes(target) === isHeld) {
      entry.set('result', true).set('comment', `Package ${target} is already set ${not}to be held.`);
      continue;
    }
    if (truthy(ctx.opts.get('test'))) {
      entry.set('result', null).set('comment', `Package ${target} is set ${not}to be held.`);
      continue;
    }
    const verb = isHeld ? [] : ['delete'];
    const { retcode } = await callYum(ctx, ['versionlock', ...verb, packageName(target)]);
    if (retcode !== 0) {
      entry.set('comment', `Package ${target} was unable to be ${isHeld ? 'held' : 'unheld'}.`);
      continue;
    }
    const [old, now] = isHeld ? ['', 'hold'] : ['hold', ''];
    entry.set('changes', dict({ old, new: now })).set('result', true);
    entry.set('comment', `Package ${target} is ${isHeld ? 'now' : 'no longer'} being held.`);
  }
  return out;
}

const latest = defineFunction({
  doc: `Tells the version that would be installed where it is newer than the installed one. ${KEYWORDS}`,
  ...NAMES,
  returns: 'text for one name, else mapping; empty where there is nothing newer',
  examples: ["salt '*' pkg.latest_version <package name>"],
  run: (ctx, _args, rest, kwargs) => latestYum(ctx, rest, kwargs),
});

const upgrades = defineFunction({
  doc: `Lists packages that could be upgraded. ${KEYWORDS}`,
  params: { refresh },
  kwargs: 'kwargs',
  returns: 'mapping of package to version',
  examples: ["salt '*' pkg.list_upgrades"],
  run: (ctx, args, _rest, kwargs) => upgradableYum(ctx, isTrue(args.refresh), kwargs),
});

const removal = (verb: 'remove' | 'purge') =>
  defineFunction({
    doc:
      verb === 'remove'
        ? 'Removes packages.'
        : 'Removes packages; there is nothing more to take away than with remove.',
    params: { name, pkgs },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args) => removeYum(ctx, args.name, args.pkgs),
  });

const holding = (isHeld: boolean) =>
  defineFunction({
    doc: isHeld
      ? 'Keeps packages at their version (`versionlock`).'
      : 'No longer keeps packages at their version.',
    params: { name, pkgs, sources: { default: null, type: 'list', doc: 'Packages as `{name: file}`.' } },
    kwargs: 'kwargs',
    returns: '`{package: {name, changes, result, comment}}`',
    examples: [`salt '*' pkg.${isHeld ? 'hold' : 'unhold'} <package name>`],
    run: (ctx, args) => setHold(ctx, holdTargets(args.name, args.pkgs, args.sources), isHeld),
  });

/** The module. */
export const yumModule = defineModule({
  name: 'pkg',
  file: 'yumpkg',
  doc: 'Installs, removes and looks at packages with dnf or yum.',
  unavailable: ({ grains }) =>
    FAMILIES.includes(grains.get('os_family') ?? '') && hasRpm() && yumProgram() !== undefined
      ? undefined
      : 'Module yumpkg: no yum based system detected',
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages.',
      params: { versions_as_list: off('Versions as lists.') },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_pkgs"],
      run: async (ctx, { versions_as_list }, _rest, kwargs) =>
        isTrue(kwargs.get('removed')) || isTrue(kwargs.get('purge_desired'))
          ? new Map<Value, Value>()
          : versionsDict(await installedRpms(ctx), isTrue(versions_as_list)),
    }),
    version: defineFunction({
      doc: 'Tells the version of installed packages.',
      ...NAMES,
      returns: 'text for one name, else mapping; empty where it is not installed',
      examples: ["salt '*' pkg.version <package name>"],
      run: async (ctx, _args, rest, kwargs) =>
        versionOf(await installedRpms(ctx), rest, isTrue(kwargs.get('versions_as_list'))),
    }),
    version_cmp: defineFunction({
      doc: 'Compares two versions.',
      params: {
        pkg1: { type: 'str', doc: 'One.' },
        pkg2: { type: 'str', doc: 'The other.' },
        ignore_epoch: off('Leave out epochs.'),
      },
      kwargs: 'kwargs',
      returns: '-1, 0 or 1',
      examples: ["salt '*' pkg.version_cmp '0.2-001' '0.2.0.1-002'"],
      run: (_ctx, { pkg1, pkg2, ignore_epoch }) => {
        const shown = (text: Value): string =>
          isTrue(ignore_epoch) ? withoutEpoch(pyStr(text)) : pyStr(text);
        return compareRpm(shown(pkg1), shown(pkg2));
      },
    }),
    latest_version: latest,
    available_version: latest,
    upgrade_available: defineFunction({
      doc: 'Tells whether there is a newer version of a package.',
      params: { name: { type: 'str', doc: 'The package.' } },
      kwargs: 'kwargs',
      returns: 'bool',
      examples: ["salt '*' pkg.upgrade_available <package name>"],
      run: async (ctx, args, _rest, kwargs) => (await latestYum(ctx, [args.name], kwargs)) !== '',
    }),
    list_upgrades: upgrades,
    list_updates: upgrades,
    refresh_db: defineFunction({
      doc: `Fetches the lists of packages. ${KEYWORDS}`,
      kwargs: 'kwargs',
      returns: 'true when there are upgrades, None when there are none, false when it fails',
      examples: ["salt '*' pkg.refresh_db"],
      run: (ctx, _args, _rest, kwargs) => refreshYum(ctx, kwargs, truthy(kwargs.get('check_update') ?? true)),
    }),
    clean_metadata: defineFunction({
      doc: 'Fetches the lists of packages anew.',
      kwargs: 'kwargs',
      returns: 'as of refresh_db',
      run: (ctx, _args, _rest, kwargs) => refreshYum(ctx, kwargs),
    }),
    install: defineFunction({
      doc: `Installs packages. ${KEYWORDS} \`version\`.`,
      params: {
        name,
        refresh: { ...refresh, default: false },
        skip_verify: off('Do not check signatures.'),
        pkgs,
        sources: { default: null, type: 'list', doc: 'Package files as `{name: address}`.' },
        downloadonly: off('Only fetch.'),
        reinstall: off('Also what is installed in that version.'),
        ignore_epoch: off('Compare versions without their epoch.'),
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: [
        "salt '*' pkg.install <package name>",
        `salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-4.el9"}]'`,
      ],
      run: (ctx, args, _rest, kwargs) => installYum(ctx, args, kwargs),
    }),
    remove: removal('remove'),
    purge: removal('purge'),
    upgrade: defineFunction({
      doc: `Upgrades all packages, or those named. ${KEYWORDS}`,
      params: {
        name,
        pkgs,
        refresh,
        skip_verify: off('Do not check signatures.'),
        minimal: off('Only what mends a fault.'),
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: ["salt '*' pkg.upgrade"],
      run: (ctx, args, _rest, kwargs) => upgradeYum(ctx, args, kwargs),
    }),
    hold: holding(true),
    unhold: holding(false),
    list_holds: defineFunction({
      doc: 'Lists the packages that are kept at their version.',
      params: {
        pattern: { default: null, type: 'str', doc: 'Is not looked at.' },
        full: { default: true, type: 'bool', doc: 'With version and architecture.' },
      },
      returns: 'list',
      examples: ["salt '*' pkg.list_holds", "salt '*' pkg.list_holds full=False"],
      run: (ctx, { full }) => lockedPackages(ctx, isTrue(full)),
    }),
    normalize_name: defineFunction({
      doc: 'Leaves out an architecture that goes without saying.',
      params: { name: { type: 'str', doc: 'The name.' } },
      returns: 'the name',
      examples: ["salt '*' pkg.normalize_name zsh.x86_64"],
      run: (ctx, args) => normalRpmName(ctx, pyStr(args.name)),
    }),
    parse_arch: defineFunction({
      doc: "Parts a package's name from its architecture.",
      params: { name: { type: 'str', doc: 'The name.' } },
      returns: '`{name, arch}`',
      examples: ["salt '*' pkg.parse_arch zsh.x86_64"],
      run: (_ctx, args) => {
        const parts = splitArchitecture(pyStr(args.name));
        return dict({ name: parts.name, arch: parts.arch ?? null });
      },
    }),
    owner: defineFunction({
      doc: 'Tells the packages that files belong to.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'text for one path, else mapping; empty where none has it',
      examples: ["salt '*' pkg.owner /usr/bin/apachectl /etc/httpd/conf/httpd.conf"],
      run: async (ctx, _args, rest) => {
        if (rest.length === 0) return '';
        const out: Dict = new Map();
        for (const path of rest) out.set(path, await rpmOwner(ctx, pyStr(path)));
        return rest.length === 1 ? ([...out.values()][0] ?? '') : out;
      },
    }),
  },
});
