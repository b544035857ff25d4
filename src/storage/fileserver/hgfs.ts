/**
 * The backend `hg`: branches, bookmarks and tags of Mercurial repositories as environments (3006.16
 * salt/fileserver/hgfs.py).
 */
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { isListed } from '../../python/text/expression-match.ts';
import type { Dict } from '../../python/values/value.ts';
import { masked, RemoteOptions } from '../git/remote-options.ts';
import { HgRepository } from '../remotes/hg-repository.ts';
import { firstFetches, type FetchedRemote } from '../remotes/update-remotes.ts';
import type { FetchedBackend } from './fetched.ts';
import type { Layer } from './layer.ts';
import { RecentLayers } from './recent-layers.ts';
import { namesOption, remoteEntries } from './remote-entries.ts';

/** The backend's name in answers, events and options. */
const HGFS = 'hgfs';
const PARAMETERS = ['base', 'branch_method', 'mountpoint', 'root'];

/** What makes environments beside tags, by `branch_method`; the first that has a name gives it. */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  ['branches', ['branches']],
  ['bookmarks', ['bookmarks']],
  ['mixed', ['branches', 'bookmarks']],
]);

/** What the backend needs. */
export interface HgfsDeps {
  readonly opts: Dict;
  /** Where copies of repositories lie. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

interface HgRemote extends FetchedRemote {
  readonly repository: HgRepository;
  readonly base: string;
  readonly kinds: readonly string[];
  readonly root: string;
  readonly mountpoint: string;
}

/** Makes the backend. @throws ConfigError for remotes that cannot be understood */
export function createHgfs({ opts, folder, clock, random, log }: HgfsDeps): FetchedBackend {
  const remotes = remoteEntries(opts, 'hgfs_remotes').map((entry): HgRemote => {
    const options = new RemoteOptions(entry, HGFS, { opts, known: PARAMETERS, common: [] });
    const id = masked(options.id);
    return {
      id,
      repository: new HgRepository({ folder, url: addressOf(options.id, id), clock, random }),
      updateIntervalMs: options.updateIntervalMs,
      base: options.text('base', 'default'),
      kinds: kindsOf(options.text('branch_method', 'branches'), id),
      root: options.folder('root'),
      mountpoint: options.folder('mountpoint'),
    };
  });
  const whitelist = namesOption(opts, 'hgfs_saltenv_whitelist');
  const blacklist = namesOption(opts, 'hgfs_saltenv_blacklist');
  const environments = (): string[] =>
    [...new Set(remotes.flatMap(environmentsOf))].filter((name) => isListed(name, { whitelist, blacklist }));
  const layerOf = async (remote: HgRemote, saltenv: string): Promise<Layer[]> => {
    const node = nodeOf(remote, saltenv);
    if (node === undefined) return [];
    try {
      const tree = await remote.repository.tree(node, remote.root);
      const { mountpoint } = remote;
      return tree === undefined
        ? []
        : [{ backend: HGFS, folder: tree, mountpoint, isConfined: true, isFixed: true }];
    } catch (error) {
      log.error(`The files of ${saltenv} in ${remote.id} cannot be had`, error);
      return [];
    }
  };
  const recent = new RecentLayers(clock, async (saltenv) => {
    await firstFetches(remotes, clock);
    if (!environments().includes(saltenv)) return [];
    return (await Promise.all(remotes.map((remote) => layerOf(remote, saltenv)))).flat();
  });
  return {
    name: HGFS,
    remotes,
    environments,
    layers: (saltenv) => recent.of(saltenv),
  };
}

/** The environments that branches, bookmarks and tags of one repository make. */
function environmentsOf({ repository, base, kinds }: HgRemote): string[] {
  const out: string[] = [];
  for (const ref of repository.state().refs.keys()) {
    const [kind, name] = splitRef(ref);
    if (kinds.includes(kind)) out.push(name === base ? 'base' : name);
    else if (kind === 'tags') out.push(name);
  }
  return out;
}

function nodeOf({ repository, base, kinds }: HgRemote, saltenv: string): string | undefined {
  const { refs } = repository.state();
  const name = saltenv === 'base' ? base : saltenv;
  const found = [...kinds, 'tags'].find((kind) => refs.has(`${kind}/${name}`));
  return found === undefined ? undefined : refs.get(`${found}/${name}`);
}

function splitRef(ref: string): [kind: string, name: string] {
  const at = ref.indexOf('/');
  return [ref.slice(0, at), ref.slice(at + 1)];
}

/** @throws ConfigError */
function kindsOf(method: string, id: string): readonly string[] {
  const kinds = METHODS.get(method);
  if (kinds !== undefined) return kinds;
  throw new ConfigError(
    `The remote ${id} of hgfs has the branch_method '${method}', which does not exist. There are ${[...METHODS.keys()].join(', ')}.`,
  );
}

/** @throws ConfigError for what would be read as an option, or as another line of a file */
function addressOf(url: string, id: string): string {
  if (!url.startsWith('-') && !/[\0\r\n]/.test(url)) return url;
  throw new ConfigError(`The remote ${id} of hgfs has an address that hg would not take as one.`);
}
