/** The external pillar git: SLS of remote repositories (3006.16 salt/pillar/git_pillar.py). */
import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { BoundedMap } from '../../../host/bounded-map.ts';
import { safeJoin } from '../../../host/files.ts';
import type { Random } from '../../../host/random.ts';
import { pyRepr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import {
  pillarRemotes,
  type AskedEnvironment,
  type PillarRemote,
} from '../../../storage/git/pillar-remote.ts';
import { repositoriesFolder } from '../../../storage/git/repository.ts';
import type { ExtPillar, ExtPillarContext } from './ext-pillar.ts';

/** Without a master nobody else fetches; the parts of one job do it once. */
const FETCHED_BY_JOB_MS = 5_000;
/** Sources whose remotes are remembered; more than a configuration has, with those that are asked for on demand. */
const KNOWN_MAX = 64;
const OTHER_FETCH_MS = 15_000;
const OTHER_FETCH_LOOK_MS = 100;

/** What the external pillar works with. */
export interface GitPillarDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the pillar of folders: environment to folders. */
  readonly compile: (context: ExtPillarContext, roots: Dict, environment: string) => Promise<Dict>;
  readonly merge: (opts: Dict, base: Dict, over: Dict) => Dict;
}

interface Folder {
  readonly path: string;
  readonly environment: string;
  readonly isMounted: boolean;
}

/**
 * Makes the external pillar.
 *
 * Salt compat: a branch that does not exist, or a repository that was never fetched, fails the pillar; Salt leaves it
 * out. A branch that `__env__` stands for may be missing.
 */
export function gitPillar(deps: GitPillarDeps): ExtPillar {
  // by what the settings say: each compilation has a copy of them
  const known = new BoundedMap<string, readonly PillarRemote[]>(KNOWN_MAX);
  return async (settings, context) => {
    const { opts } = context;
    const key = pyRepr(settings);
    let remotes = known.get(key);
    if (remotes === undefined) {
      const folder = repositoriesFolder(String(opts.get('cachedir') ?? ''));
      remotes = pillarRemotes(settings, { opts, folder, clock: deps.clock, random: deps.random });
      known.set(key, remotes);
    }
    const asked = { pillarenv: text(opts, 'pillarenv'), saltenv: text(opts, 'saltenv') };
    const folders: Folder[] = [];
    for (const remote of remotes) {
      await fetched(remote, opts, deps.clock);
      const folder = await folderOf(remote, asked);
      if (folder !== undefined && !folders.some(({ path }) => path === folder.path)) folders.push(folder);
    }
    return pillarOf(folders, context, asked, deps);
  };
}

async function pillarOf(
  folders: readonly Folder[],
  context: ExtPillarContext,
  { pillarenv }: AskedEnvironment,
  { compile, merge }: GitPillarDeps,
): Promise<Dict> {
  const includes = context.opts.get('git_pillar_includes') !== false;
  let out: Dict = new Map();
  for (const { path, environment, isMounted } of folders) {
    if (isMounted || (pillarenv !== undefined && environment !== pillarenv)) continue;
    const others = folders.filter(
      (other) => includes && other.environment === environment && other.path !== path,
    );
    const roots: Value[] = [path, ...others.map((other) => other.path)];
    out = merge(context.opts, out, await compile(context, new Map([[environment, roots]]), environment));
  }
  return out;
}

/** Fetches what was never tried, and, without a master, what nobody else fetches. */
async function fetched({ repository, id }: PillarRemote, opts: Dict, clock: Clock): Promise<void> {
  const isAlone = opts.get('__role') === 'minion';
  const { triedAtMs } = repository.state();
  if (triedAtMs === 0 || (isAlone && clock.nowMs() - triedAtMs > FETCHED_BY_JOB_MS)) await repository.fetch();
  const untilMs = clock.monotonicMs() + OTHER_FETCH_MS;
  while (repository.state().triedAtMs === 0 && clock.monotonicMs() < untilMs)
    await clock.sleep(OTHER_FETCH_LOOK_MS);
  const { fetchedAtMs, fault } = repository.state();
  if (fetchedAtMs === undefined)
    throw new CommandExecutionError(
      `The remote ${id} of git_pillar has never been fetched: ${fault ?? 'not yet'}`,
    );
}

async function folderOf(remote: PillarRemote, asked: AskedEnvironment): Promise<Folder | undefined> {
  const commit = await remote.commit(asked);
  const path = commit === undefined ? undefined : await remote.repository.tree(commit, remote.root);
  if (commit === undefined || path === undefined) {
    if (remote.isOfAnyEnvironment && commit === undefined) return undefined;
    const what =
      commit === undefined ? `branch, tag or commit ${remote.target(asked)}` : `folder ${remote.root}`;
    throw new CommandExecutionError(`The remote ${remote.id} of git_pillar has no ${what}.`);
  }
  const environment = remote.environment(asked);
  if (remote.mountpoint === '') return { path, environment, isMounted: false };
  return { path: mounted(remote, path), environment, isMounted: true };
}

/** A folder in which the files lie below the mountpoint. */
function mounted({ repository, mountpoint }: PillarRemote, tree: string): string {
  const name = createHash('sha256').update(`${tree}\0${mountpoint}`).digest('hex').slice(0, 32);
  const folder = safeJoin(repository.folder, 'links', name);
  const link = safeJoin(folder, mountpoint);
  if (statSync(link, { throwIfNoEntry: false }) !== undefined) return folder;
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
  try {
    symlinkSync(join(tree), link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return folder;
}

function text(opts: Dict, name: string): string | undefined {
  const value = opts.get(name);
  return typeof value === 'string' && truthy(value) ? value : undefined;
}
