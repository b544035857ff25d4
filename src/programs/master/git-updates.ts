/** The regular fetches of the git backend (`gitfs_update_interval`), with an event when something has changed (`fileserver_events`). */
import type { Dict } from '../../python/values/value.ts';
import { Gitfs } from '../../storage/fileserver/gitfs.ts';
import { openFileServer } from '../../storage/fileserver/open.ts';
import { GIT_UPDATE_TAG, gitUpdateEvent, updateGitfs } from '../../storage/fileserver/update-git.ts';
import type { RoleContext } from './roles/role.ts';

const SHORTEST_MS = 1000;

/** Fetches each remote when its interval has passed, one round at a time. */
export class GitUpdates {
  readonly periodMs: number;
  readonly #gitfs: Gitfs;
  readonly #context: RoleContext;
  readonly #fire: (tag: string, data: Dict) => void;
  #isRunning = false;

  private constructor(gitfs: Gitfs, context: RoleContext, fire: (tag: string, data: Dict) => void) {
    this.#gitfs = gitfs;
    this.#context = context;
    this.#fire = fire;
    const intervals = gitfs.remotes.map(({ updateIntervalMs }) => updateIntervalMs);
    this.periodMs = Math.max(SHORTEST_MS, Math.min(...intervals));
  }

  /** Undefined for a master without remotes. */
  static create(context: RoleContext, fire: (tag: string, data: Dict) => void): GitUpdates | undefined {
    const { opts, clock, random, log } = context;
    const { backends } = openFileServer({ opts: opts.toDict(), clock, random, log });
    const gitfs = backends.find((backend) => backend instanceof Gitfs);
    return gitfs === undefined || gitfs.remotes.length === 0
      ? undefined
      : new GitUpdates(gitfs, context, fire);
  }

  /** One round; none while the one before it still runs. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      // a timer may be early by a little
      const choice = {
        olderThanMs: ({ updateIntervalMs }: { updateIntervalMs: number }) => updateIntervalMs * 0.9,
      };
      const { isChanged } = await updateGitfs(this.#gitfs, this.#context, choice);
      if (isChanged && this.#context.opts.get('fileserver_events'))
        this.#fire(GIT_UPDATE_TAG, gitUpdateEvent(isChanged));
    } catch (error) {
      this.#context.log.error(
        'The remotes of gitfs could not be fetched; the next round tries again.',
        error,
      );
    } finally {
      this.#isRunning = false;
    }
  }
}
