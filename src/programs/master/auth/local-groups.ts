/**
 * The groups that this system puts the users of `publisher_acl` in, for roles that are given to groups. Not Salt's, but
 * ours.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { groupsOf } from '../../../plugins/pam/auth.ts';
import { isDict } from '../../../python/values/value.ts';

/** Somebody who leaves a group has its roles no longer than this. */
const REFRESH_MS = 60_000;

/** What is needed to ask. */
export interface LocalGroupsDeps {
  /** The users that have a key. */
  readonly users: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  /** The groups of a user. Default: the system's. */
  readonly ask?: (user: string) => Promise<readonly string[]>;
}

/** The groups, asked for again each minute. */
export class LocalGroups {
  readonly #deps: LocalGroupsDeps;
  #known: ReadonlyMap<string, readonly string[]> = new Map();
  #timer: { cancel(): void } | undefined;

  constructor(deps: LocalGroupsDeps) {
    this.#deps = deps;
  }

  /** Asks for them, and goes on doing so; nothing is asked where no role is for a group. */
  async start(opts: MasterOptions): Promise<void> {
    if (!hasGroupRoles(opts)) return;
    await this.refresh();
    this.#timer = this.#deps.clock.every(REFRESH_MS, () => void this.refresh(), { background: true });
  }

  /** The groups of a user, as they were last found out. */
  of(user: string): readonly string[] {
    return this.#known.get(user) ?? [];
  }

  /** Somebody whose groups cannot be found out has none. */
  async refresh(): Promise<void> {
    const { users, log, ask = groupsOf } = this.#deps;
    const found = new Map<string, readonly string[]>();
    for (const user of users) {
      try {
        found.set(user, await ask(user));
      } catch (error) {
        log.warning(
          `The groups of ${user} could not be found, and roles of groups are not for him: ${messageOf(error)}`,
        );
      }
    }
    this.#known = found;
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

function hasGroupRoles(opts: MasterOptions): boolean {
  return [...opts.get('roles').values()].some((role) => isDict(role) && role.has('groups'));
}
