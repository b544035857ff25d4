/** `pkg`: packages (3006.16 salt/states/pkg.py). */
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { writeRefreshTag } from './module/refresh-tag.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Value } from '../../python/values/value.ts';
import { aggregate } from './state/aggregate.ts';
import { downloadedState, patchState } from './state/downloaded.ts';
import { heldState, unheldState } from './state/held.ts';
import { packageList } from './state/packages.ts';
import { installedState } from './state/installed.ts';
import { latestState } from './state/latest.ts';
import { removedState } from './state/removed.ts';
import { groupInstalledState, textList, uptodateState } from './state/uptodate.ts';
import { defineState } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const NAME = param.textOrEmpty({ doc: 'The package; any text when `pkgs` or `sources` is given.' });
const VERSION = param.textIfGiven({
  default: null,
  doc: 'Its version, also conditions such as `>=1.2,<2`, a glob, or `latest`.',
});
const PKGS = param.by(packageList, {
  default: null,
  type: 'list',
  doc: 'Packages, also as `{name: version}`.',
});
const REFRESH = param.value({
  default: null,
  type: 'bool',
  doc: 'Fetch the lists of packages first; without it once in each run.',
});
const FROMREPO = param.value({
  default: null,
  type: 'str',
  doc: 'The repository or release to take packages from.',
});
const SKIP_VERIFY = param.flag({ default: false, doc: 'Do not check signatures.' });
const NORMALIZE = param.flag({
  default: true,
  doc: 'Leave out an architecture that goes without saying.',
});
const IGNORE_EPOCH = param.value({
  default: null,
  type: 'bool',
  doc: 'Compare versions without their epoch; by itself where only a version is given.',
});
const flag = (doc: string) => param.flag({ default: false, doc });

const installed = defineState({
  doc: 'Makes sure that packages are installed, in the given version. Keyword `hold` keeps them at it or sets them free; others go to `pkg.install`.',
  params: {
    name: NAME,
    version: VERSION,
    refresh: REFRESH,
    fromrepo: FROMREPO,
    skip_verify: SKIP_VERIFY,
    skip_suggestions: flag('Do not look for packages with names like it.'),
    pkgs: PKGS,
    sources: param.valueIfGiven({ default: null, type: 'list', doc: 'Package files as `{name: address}`.' }),
    allow_updates: flag('A newer version than the one asked for will do.'),
    pkg_verify: param.by((value) => (Array.isArray(value) ? value : value === true), {
      default: false,
      type: 'bool',
      doc: 'Install packages again whose files have changed (rpm); also a list of `ignore_types` and `verify_options`.',
    }),
    normalize: NORMALIZE,
    ignore_epoch: IGNORE_EPOCH,
    reinstall: flag('Install again what is there.'),
    update_holds: flag('Also what is held.'),
  },
  kwargs: 'kwargs',
  run: (ctx, args, kwargs) => installedState(ctx, args, kwargs),
});

const latest = defineState({
  doc: 'Makes sure that packages are installed in their latest version. Keywords go to `pkg.install`.',
  params: {
    name: NAME,
    refresh: REFRESH,
    fromrepo: FROMREPO,
    skip_verify: SKIP_VERIFY,
    pkgs: PKGS,
    watch_flags: param.value({ default: true, type: 'bool', doc: 'For Gentoo only.' }),
  },
  kwargs: 'kwargs',
  run: (ctx, args, kwargs) => latestState(ctx, args, kwargs),
});

const removal = (doc: string, action: 'remove' | 'purge') =>
  defineState({
    doc,
    params: { name: NAME, version: VERSION, pkgs: PKGS, normalize: NORMALIZE, ignore_epoch: IGNORE_EPOCH },
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => removedState(ctx, action, args, kwargs),
  });

const removed = removal('Makes sure that packages are not installed.', 'remove');
const purged = removal(
  'Makes sure that packages are not installed, and that nothing of their configuration is left.',
  'purge',
);
const WATCHING: readonly Value[] = ['purged', 'latest', 'removed', 'installed'];

const ADVISORIES = param.by(packageList, {
  default: null,
  type: 'list',
  doc: 'Advisories; without them the name is one.',
});

/** Has a beacon watch packages. */
const modBeacon = defineState({
  doc: 'Has a beacon watch the packages of a state.',
  params: { name: NAME },
  kwargs: 'kwargs',
  run: async (ctx, { name }, kwargs) => {
    const ended = (result: boolean, comment: string) => ({ name, changes: dict(), comment, result });
    const sfun = kwargs.get('sfun') ?? null;
    if (sfun !== 'installed' && sfun !== 'removed')
      return ended(false, `pkg.${pyStr(sfun)} does not work with the mod_beacon state function`);
    if (!truthy(kwargs.get('beacon'))) return ended(true, 'Not adding beacon.');
    const words = dict({
      name: `beacon_pkg_${name}`,
      pkgs: kwargs.get('pkgs') ?? [name],
      interval: 60,
      beacon_module: 'pkg',
    });
    const result = await ctx.state.call('beacon.present', words);
    return Object.fromEntries(isDict(result) ? result : []);
  },
});

/** The states of `pkg`. */
export const pkgStates = defineModule({
  name: 'pkg',
  file: 'pkg',
  doc: 'Packages, with the system of packages that is here.',
  needs: { fun: 'pkg.install', otherwise: 'pkg module could not be loaded' },
  functions: {
    installed,
    latest,
    removed,
    purged,
    downloaded: defineState({
      doc: 'Makes sure that packages are in the cache. Keywords go to `pkg.install`.',
      params: { name: NAME, version: VERSION, pkgs: PKGS, fromrepo: FROMREPO, ignore_epoch: IGNORE_EPOCH },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => downloadedState(ctx, args, kwargs),
    }),
    patch_installed: defineState({
      doc: 'Makes sure that what advisories ask for is installed (dnf).',
      params: {
        name: NAME,
        advisory_ids: ADVISORIES,
        downloadonly: param.flag({ default: null, doc: 'Only fetch.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => patchState(ctx, args, kwargs, false),
    }),
    patch_downloaded: defineState({
      doc: 'Makes sure that what advisories ask for is in the cache (dnf).',
      params: { name: NAME, advisory_ids: ADVISORIES },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => patchState(ctx, { ...args, downloadonly: true }, kwargs, true),
    }),
    uptodate: defineState({
      doc: 'Upgrades all packages, or those named. Keywords go to `pkg.upgrade`.',
      params: {
        name: NAME,
        refresh: { ...REFRESH, default: false, doc: 'Fetch the lists of packages first.' },
        pkgs: PKGS,
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => uptodateState(ctx, args, kwargs),
    }),
    group_installed: defineState({
      doc: 'Makes sure that a group of packages is installed (dnf).',
      params: {
        name: param.text({ doc: 'The group.' }),
        skip: param.by(textList, { default: null, type: 'list', doc: 'Default packages not to install.' }),
        include: param.by(textList, { default: null, type: 'list', doc: 'Further packages to install.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => groupInstalledState(ctx, args, kwargs),
    }),
    held: defineState({
      doc: 'Makes sure that packages are kept at their version.',
      params: {
        name: NAME,
        version: VERSION,
        pkgs: PKGS,
        replace: flag('Keep no others at their version.'),
      },
      kwargs: 'kwargs',
      run: (ctx, args) => heldState(ctx, args),
    }),
    unheld: defineState({
      doc: 'Makes sure that packages are not kept at their version.',
      params: { name: NAME, version: VERSION, pkgs: PKGS, all: flag('None of those that are.') },
      kwargs: 'kwargs',
      run: (ctx, args) => unheldState(ctx, args),
    }),
    mod_init: defineFunction({
      doc: 'Has the lists of packages fetched once in a run.',
      params: { low: param.mapping({ doc: 'The first chunk of `pkg`.' }) },
      returns: 'true when that is done for the run',
      run: (ctx, { low }) => {
        const fun = low.get('fun');
        if (fun !== 'installed' && fun !== 'latest') return false;
        writeRefreshTag(ctx);
        return true;
      },
    }),
    mod_aggregate: defineFunction({
      doc: 'Joins the packages of several states into one transaction.',
      params: {
        low: param.mapping({ doc: 'The chunk that runs.' }),
        chunks: param.list({ doc: 'All chunks.' }),
        running: param.mapping({ doc: 'The results so far.' }),
      },
      returns: 'the chunk',
      run: (_ctx, { low, chunks, running }) => aggregate(low, chunks.filter(isDict), running),
    }),
    mod_watch: defineState({
      doc: 'Does again what the state does that watches.',
      params: { name: NAME },
      kwargs: 'kwargs',
      run: async (ctx, { name }, kwargs) => {
        const sfun = kwargs.get('sfun') ?? null;
        if (!WATCHING.includes(sfun)) {
          const comment = `pkg.${pyStr(sfun)} does not work with the watch requisite`;
          return { name, changes: dict(), comment, result: false };
        }
        const words = new Map([...kwargs, ['name', name]] as [Value, Value][]);
        words.delete('sfun');
        const result = await ctx.state.call(`pkg.${pyStr(sfun)}`, words);
        return Object.fromEntries(isDict(result) ? result : []);
      },
    }),
    mod_beacon: modBeacon,
  },
});
