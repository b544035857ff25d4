/**
 * The external pillars hg and svn: SLS of a repository of Mercurial or Subversion (3006.16 salt/pillar/hg_pillar.py,
 * salt/pillar/svn_pillar.py).
 */
import { statSync } from 'node:fs';
import { CommandExecutionError, UnsafePathError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { safeJoin } from '../../../host/files.ts';
import type { Random } from '../../../host/random.ts';
import { Secret } from '../../../host/secret.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { RemoteCopy } from '../../../storage/remotes/copy.ts';
import { HgRepository } from '../../../storage/remotes/hg-repository.ts';
import { SvnCheckout } from '../../../storage/remotes/svn-checkout.ts';
import { namedSettings, type ExtPillar, type ExtPillarContext } from './ext-pillar.ts';

/** Pillars of many minions that are made at once share a fetch. */
const FRESH_MS = 5_000;
const OTHER_FETCH_MS = 15_000;
const OTHER_FETCH_LOOK_MS = 100;

/** What the external pillars work with. */
export interface CheckoutPillarDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the pillar of folders: environment to folders. */
  readonly compile: (context: ExtPillarContext, roots: Dict, environment: string) => Promise<Dict>;
}

/**
 * `hg: [address, branch, root]`. Salt compat: a repository that was never fetched, or lacks the branch, fails the
 * pillar.
 */
export function hgPillar({ clock, random, compile }: CheckoutPillarDeps): ExtPillar {
  return async (settings, context) => {
    const given = namedSettings(settings, ['repo', 'branch', 'root']);
    const url = pyStr(given.get('repo') ?? '');
    if (url === '' || url.startsWith('-'))
      throw new CommandExecutionError('the address of the repository is missing');
    const branch = pyStr(given.get('branch') ?? 'default');
    const repository = new HgRepository({ folder: folderFor('hg_pillar', context), url, clock, random });
    await fetched(repository, masked(url), clock, context);
    const { refs } = repository.state();
    const node = ['branches', 'bookmarks', 'tags'].map((kind) => refs.get(`${kind}/${branch}`)).find(Boolean);
    const root = pyStr(given.get('root') ?? '').replace(/^\/+|\/+$/g, '');
    const path = node === undefined ? undefined : await repository.tree(node, root);
    if (path === undefined)
      throw new CommandExecutionError(
        `${masked(url)} has no ${node === undefined ? `branch, bookmark or tag ${branch}` : `folder ${root}`}`,
      );
    return pillarOf(path, branch === 'default' ? 'base' : branch, context, compile);
  };
}

/** `svn: branch address root=folder`, where the branch `trunk` is the environment base. Salt compat: as with hg. */
export function svnPillar({ clock, compile }: CheckoutPillarDeps): ExtPillar {
  return async (settings, context) => {
    const words = pyStr(namedSettings(settings, ['repo_string']).get('repo_string') ?? '')
      .trim()
      .split(/\s+/);
    const [branch = '', url = '', ...further] = words;
    if (url === '')
      throw new CommandExecutionError('it needs a branch and an address: `- svn: trunk svn://host/repo`');
    const strange = further.find((word) => !word.startsWith('root='));
    if (strange !== undefined)
      throw new CommandExecutionError(`there is no parameter ${strange}; there is root=FOLDER`);
    const root = (further.at(-1) ?? '').slice('root='.length).replace(/^\/+|\/+$/g, '');
    const [, scheme = '', user = '', password = '', rest = ''] =
      /^([a-z+]+:\/\/)(?:([^/@:]*)(?::([^/@]*))?@)?(.*)$/i.exec(url) ?? [];
    const checkout = new SvnCheckout({
      folder: folderFor('pillar_svnfs', context),
      url: scheme === '' ? url : `${scheme}${rest}`,
      user: decodeURIComponent(user),
      password: new Secret(decodeURIComponent(password)),
      clock,
    });
    await fetched(checkout, masked(url), clock, context);
    const isTrunk = branch === 'trunk' || branch === 'base';
    const places = [...(isTrunk ? ['trunk'] : []), `branches/${branch}`, `tags/${branch}`];
    const path = places
      .map((place) => folderAt(checkout.files, `${place}/${root}`))
      .find((one) => one !== undefined);
    if (path === undefined)
      throw new CommandExecutionError(
        `${masked(url)} has none of ${places.map((place) => `${place}${root === '' ? '' : `/${root}`}`).join(', ')}`,
      );
    return pillarOf(path, isTrunk ? 'base' : branch, context, compile);
  };
}

/** The folders of `pillar_roots` beside it, as in Salt, so that its top file may name environments of theirs. */
function pillarOf(
  path: string,
  environment: string,
  context: ExtPillarContext,
  compile: CheckoutPillarDeps['compile'],
): Promise<Dict> {
  const roots = context.opts.get('pillar_roots');
  const all = new Map<Value, Value>(isDict(roots) ? roots : []).set(environment, [path]);
  return compile(context, all, environment);
}

function folderFor(name: string, { opts }: ExtPillarContext): string {
  return safeJoin(pyStr(opts.get('cachedir') ?? ''), name);
}

/** Brings a copy up to date; what was fetched before is served when that fails, and said so. */
async function fetched(
  copy: RemoteCopy,
  shown: string,
  clock: Clock,
  { log }: ExtPillarContext,
): Promise<void> {
  if (clock.nowMs() - copy.state().triedAtMs > FRESH_MS) await copy.fetch();
  const untilMs = clock.monotonicMs() + OTHER_FETCH_MS;
  while (copy.state().triedAtMs === 0 && clock.monotonicMs() < untilMs)
    await clock.sleep(OTHER_FETCH_LOOK_MS);
  const { fetchedAtMs, fault } = copy.state();
  if (fetchedAtMs === undefined)
    throw new CommandExecutionError(`${shown} has never been fetched: ${fault ?? 'not yet'}`);
  if (fault !== undefined)
    log.error(
      `${shown} could not be fetched: ${fault}. Its pillar of ${new Date(fetchedAtMs).toISOString()} is used.`,
    );
}

function folderAt(files: string, path: string): string | undefined {
  try {
    const full = safeJoin(files, path.replace(/\/+$/, ''));
    return statSync(full, { throwIfNoEntry: false })?.isDirectory() === true ? full : undefined;
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined;
    throw error;
  }
}

const masked = (address: string): string => address.replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, '$1<redacted>@');
