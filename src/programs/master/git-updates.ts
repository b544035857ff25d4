/**
 * The regular fetches of remote sources (`gitfs_update_interval`, `git_pillar_update_interval` and the like), with an
 * event when files of the file server have changed (`fileserver_events`).
 */
import type { Dict } from '../../python/values/value.ts';
import { fetchedEvent, fetchedTag, isFetched } from '../../storage/fileserver/fetched.ts';
import { openFileServer } from '../../storage/fileserver/open.ts';
import { configuredPillarRemotes } from '../../storage/git/pillar-remote.ts';
import { repositoriesFolder } from '../../storage/git/repository.ts';
import { updateRemotes, type FetchedRemote } from '../../storage/remotes/update-remotes.ts';
import type { RoleContext } from './roles/role.ts';

const SHORTEST_MS = 1000;

interface Group {
  /** A backend, or `git_pillar`. */
  readonly role: string;
  readonly isBackend: boolean;
  readonly remotes: readonly FetchedRemote[];
}

/** The remotes of the configuration. @throws ConfigError for what it says wrongly */
export function configuredRemotes({
  opts,
  clock,
  random,
  log,
}: Pick<RoleContext, 'opts' | 'clock' | 'random' | 'log'>): Group[] {
  const all = opts.toDict();
  const { backends } = openFileServer({ opts: all, clock, random, log });
  const folder = repositoriesFolder(opts.get('cachedir'));
  const pillar = configuredPillarRemotes(opts.get('ext_pillar'), { opts: all, folder, clock, random });
  return [
    ...backends.filter(isFetched).map(({ name, remotes }) => ({ role: name, isBackend: true, remotes })),
    { role: 'git_pillar', isBackend: false, remotes: pillar },
  ].filter(({ remotes }) => remotes.length > 0);
}

/** Fetches each remote when its interval has passed, one round at a time. */
export class GitUpdates {
  readonly periodMs: number;
  readonly #groups: readonly Group[];
  readonly #context: RoleContext;
  readonly #fire: (tag: string, data: Dict) => void;
  #isRunning = false;

  private constructor(
    groups: readonly Group[],
    context: RoleContext,
    fire: (tag: string, data: Dict) => void,
  ) {
    this.#groups = groups;
    this.#context = context;
    this.#fire = fire;
    const intervals = groups
      .flatMap(({ remotes }) => remotes)
      .map(({ updateIntervalMs }) => updateIntervalMs);
    this.periodMs = Math.max(SHORTEST_MS, Math.min(...intervals));
  }

  /** Undefined for a master without remotes. */
  static create(context: RoleContext, fire: (tag: string, data: Dict) => void): GitUpdates | undefined {
    const groups = configuredRemotes(context);
    return groups.length === 0 ? undefined : new GitUpdates(groups, context, fire);
  }

  /** One round; none while the one before it still runs. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const group of this.#groups) await this.#update(group);
    } catch (error) {
      this.#context.log.error('Repositories could not be fetched; the next round tries again.', error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #update({ role, isBackend, remotes }: Group): Promise<void> {
    // a timer may be early by a little
    const olderThanMs = ({ updateIntervalMs }: FetchedRemote): number => updateIntervalMs * 0.9;
    const { isChanged } = await updateRemotes(remotes, this.#context, { role, olderThanMs });
    if (isChanged && isBackend && this.#context.opts.get('fileserver_events'))
      this.#fire(fetchedTag(role), fetchedEvent(role, isChanged));
  }
}
