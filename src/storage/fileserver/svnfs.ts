/**
 * The backend `svn`: trunk, branches and tags of Subversion repositories as environments (3006.16
 * salt/fileserver/svnfs.py).
 */
import { readdirSync, statSync } from 'node:fs';
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import { isListed } from '../../python/text/expression-match.ts';
import type { Dict } from '../../python/values/value.ts';
import { cleanFolder, masked, RemoteOptions } from '../git/remote-options.ts';
import { SvnCheckout } from '../remotes/svn-checkout.ts';
import { firstFetches, type FetchedRemote } from '../remotes/update-remotes.ts';
import type { FetchedBackend } from './fetched.ts';
import type { Layer } from './layer.ts';
import { namesOption, remoteEntries } from './remote-entries.ts';

/** The backend's name in answers, events and options. */
const SVNFS = 'svnfs';
const PARAMETERS = ['mountpoint', 'root', 'trunk', 'branches', 'tags'];
/** Subversion's own folder in a working copy. */
const OWN_FOLDER = '.svn';

/** What the backend needs. */
export interface SvnfsDeps {
  readonly opts: Dict;
  /** Where copies of repositories lie. */
  readonly folder: string;
  readonly clock: Clock;
}

interface SvnRemote extends FetchedRemote {
  readonly repository: SvnCheckout;
  readonly trunk: string;
  /** Folders whose folders are environments, in the order in which they are searched. */
  readonly groups: readonly string[];
  readonly root: string;
  readonly mountpoint: string;
}

/** Makes the backend. @throws ConfigError for remotes that cannot be understood */
export function createSvnfs({ opts, folder, clock }: SvnfsDeps): FetchedBackend {
  const remotes = remoteEntries(opts, 'svnfs_remotes').map((entry): SvnRemote => {
    const options = new RemoteOptions(entry, SVNFS, { opts, known: PARAMETERS, common: [] });
    const id = masked(options.id);
    return {
      id,
      repository: new SvnCheckout({ folder, clock, ...accessOf(options.id, id) }),
      updateIntervalMs: options.updateIntervalMs,
      trunk: relativeFolder(options, 'trunk', id),
      groups: [relativeFolder(options, 'branches', id), relativeFolder(options, 'tags', id)],
      root: options.folder('root'),
      mountpoint: options.folder('mountpoint'),
    };
  });
  const whitelist = namesOption(opts, 'svnfs_saltenv_whitelist');
  const blacklist = namesOption(opts, 'svnfs_saltenv_blacklist');
  const environments = (): string[] =>
    [...new Set(remotes.flatMap(environmentsOf))].filter((name) => isListed(name, { whitelist, blacklist }));
  return {
    name: SVNFS,
    remotes,
    environments,
    layers: async (saltenv) => {
      await firstFetches(remotes, clock);
      return environments().includes(saltenv) ? remotes.flatMap((remote) => layersOf(remote, saltenv)) : [];
    },
  };
}

function environmentsOf(remote: SvnRemote): string[] {
  const { files } = remote.repository;
  if (remote.repository.state().fetchedAtMs === undefined) return [];
  const trunk = isFolder(folderIn(files, remote.trunk)) ? ['base'] : [];
  return [...trunk, ...remote.groups.flatMap((group) => namesIn(folderIn(files, group)))];
}

function layersOf(remote: SvnRemote, saltenv: string): Layer[] {
  const { repository, trunk, groups, root, mountpoint } = remote;
  const { refs } = repository.state();
  const place =
    saltenv === 'base'
      ? trunk
      : groups
          .filter((group) => namesIn(folderIn(repository.files, group)).includes(saltenv))
          .map((group) => (group === '' ? saltenv : `${group}/${saltenv}`))[0];
  if (place === undefined || refs.size === 0) return [];
  const folder = folderIn(folderIn(repository.files, place), root);
  if (!isFolder(folder)) return [];
  return [
    {
      backend: SVNFS,
      folder,
      mountpoint,
      isConfined: true,
      isFixed: false,
      version: refs.get('revision') ?? '',
      hides: (path) => path === OWN_FOLDER || path.startsWith(`${OWN_FOLDER}/`),
    },
  ];
}

/** A folder of the repository; '' is the repository itself. */
const folderIn = (files: string, folder: string): string => (folder === '' ? files : safeJoin(files, folder));

/** The names of environments in a folder. Salt compat: what is no folder is none; Salt lists it. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== OWN_FOLDER)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** @throws ConfigError for a folder outside of the repository */
function relativeFolder(options: RemoteOptions, name: string, id: string): string {
  const given = options.text(name, name);
  if (given.startsWith('/') || given.split('/').includes('..'))
    throw new ConfigError(
      `The remote ${id} of svnfs has ${name}: ${given}, which must be a folder of the repository, and relative.`,
    );
  return cleanFolder(given).replace(/^\.$/, '');
}

/** The address, and who asks. @throws ConfigError for what svn would not take as an address */
function accessOf(address: string, id: string): { url: string; user: string; password: Secret } {
  if (address.startsWith('-') || address.includes('\0'))
    throw new ConfigError(`The remote ${id} of svnfs has an address that svn would not take as one.`);
  const [, scheme = '', user = '', password = '', rest = ''] =
    /^((?:https?|svn):\/\/)([^/@:]*)(?::([^/@]*))?@(.*)$/i.exec(address) ?? [];
  if (scheme === '') return { url: address, user: '', password: new Secret('') };
  return {
    url: `${scheme}${rest}`,
    user: decodeURIComponent(user),
    password: new Secret(decodeURIComponent(password)),
  };
}
