/** Bringing the copies of remote repositories up to date. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { RemoteCopy } from './copy.ts';

/** A remote as far as fetching goes. */
export interface FetchedRemote {
  /** As the configuration names it, without a password. */
  readonly id: string;
  readonly repository: RemoteCopy;
  /** Between two fetches. */
  readonly updateIntervalMs: number;
}

/** What came of one round. */
export interface RemotesUpdate {
  readonly isChanged: boolean;
  /** Why remotes could not be fetched, one sentence each. */
  readonly faults: readonly string[];
}

/** Which remotes are fetched, and for what. */
export interface UpdateChoice {
  /** What they belong to: `gitfs`, `git_pillar`. */
  readonly role: string;
  /** Those that were tried at least this long ago; default: every one. */
  readonly olderThanMs?: (remote: FetchedRemote) => number;
  /** Those whose address holds this text. */
  readonly matching?: string;
}

/** Fetches remotes, one after the other. Files of one that cannot be fetched are served as they were. */
export async function updateRemotes(
  remotes: readonly FetchedRemote[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  { role, olderThanMs = () => 0, matching = '' }: UpdateChoice,
): Promise<RemotesUpdate> {
  const faults: string[] = [];
  let isChanged = false;
  for (const remote of remotes.filter(({ id }) => id.includes(matching))) {
    const before = remote.repository.state();
    if (clock.nowMs() - before.triedAtMs < olderThanMs(remote)) continue;
    const outcome = await remote.repository.fetch();
    if (outcome === undefined) continue; // another process does it
    isChanged ||= outcome.isChanged;
    if (outcome.fault === undefined) {
      if (before.fault !== undefined) log.info(`The remote ${remote.id} of ${role} could be fetched again.`);
      continue;
    }
    const fault = `The remote ${remote.id} of ${role} could not be fetched: ${outcome.fault}. ${servedInstead(before.fetchedAtMs)}`;
    faults.push(fault);
    // said once, not every minute
    if (before.fault !== outcome.fault) log.error(fault);
    else log.debug(fault);
  }
  return { isChanged, faults };
}

function servedInstead(fetchedAtMs: number | undefined): string {
  return fetchedAtMs === undefined
    ? 'It has never been fetched, and none of its files are served.'
    : `Its files of ${new Date(fetchedAtMs).toISOString()} are served.`;
}

const FIRST_FETCH_MS = 15_000;
const FIRST_FETCH_LOOK_MS = 100;

/** Waits until somebody has tried to fetch them: who asks right after the first start is to get the files. */
export async function firstFetches(remotes: readonly FetchedRemote[], clock: Clock): Promise<void> {
  const untilMs = clock.monotonicMs() + FIRST_FETCH_MS;
  for (const { repository } of remotes)
    while (repository.state().triedAtMs === 0 && clock.monotonicMs() < untilMs)
      await clock.sleep(FIRST_FETCH_LOOK_MS);
}
