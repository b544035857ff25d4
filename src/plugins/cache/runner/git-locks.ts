/** `cache.clear_git_lock`: locks of repositories of the file server and of pillar (salt/runners/cache.py, 3006.16). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { createGitfs, GITFS } from '../../../storage/fileserver/gitfs.ts';
import { configuredPillarRemotes } from '../../../storage/git/pillar-remote.ts';
import { repositoriesFolder } from '../../../storage/git/repository.ts';
import type { RunnerContext } from '../../shared/runner/runner.ts';

/** What holds a lock. */
interface Lockable {
  readonly id: string;
  readonly repository: { unlock(): boolean };
}

/** Whose locks are meant. */
export interface GitLocks {
  readonly role: string;
  readonly remote: string | undefined;
  readonly type: Value;
}

type Deps = Pick<RunnerContext, 'opts' | 'clock' | 'random' | 'log'>;

/** The kinds of locks that Salt has. */
const TYPES: readonly string[] = ['update', 'checkout', 'mountpoint'];

/**
 * Removes them. @returns `{cleared: […]}`, or that there were none
 * @throws SaltInvocationError for a role or a kind that there is not
 */
export function clearGitLocks(deps: Deps, { role, remote, type }: GitLocks): Value {
  const types = typesOf(type);
  const strange = types.filter((one) => !TYPES.includes(one));
  // Salt compat: Salt takes any kind, and then there is no such lock
  if (strange.length > 0)
    throw new SaltInvocationError(
      `There are no locks of the type '${strange.join("', '")}', only ${TYPES.join(', ')}.`,
    );
  const remotes = remotesOf(role, deps).filter(({ id }) => remote === undefined || id.includes(remote));
  const cleared = types.includes('update')
    ? remotes
        .filter(({ repository }) => repository.unlock())
        .map(({ id }) => `Removed update lock for ${role} remote '${id}'`)
    : [];
  return cleared.length === 0 ? 'No locks were removed' : dict({ cleared });
}

function typesOf(type: Value): string[] {
  if (type === null) return [...TYPES];
  return (Array.isArray(type) ? type.map(pyStr) : pyStr(type).split(',')).map((one) => one.trim());
}

function remotesOf(role: string, { opts, clock, random, log }: Deps): readonly Lockable[] {
  const all: Dict = opts.toDict();
  const parts = { opts: all, folder: repositoriesFolder(opts.get('cachedir')), clock, random };
  if (role === GITFS) return createGitfs({ ...parts, log }).remotes;
  if (role === 'git_pillar') return configuredPillarRemotes(opts.get('ext_pillar'), parts);
  if (role === 'winrepo') return [];
  throw new SaltInvocationError(`Invalid role '${role}'`);
}
