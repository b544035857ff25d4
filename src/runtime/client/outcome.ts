/**
 * What became of a minion that a job expects and that did not return in time: exactly one named outcome, with its
 * reason. Salt's wording comes first, so that scripts that look for it find it; the reason follows.
 */
import { syndicIdOf } from '../../network/events/tags.ts';
import type { OutcomeKind } from '../../storage/jobs/ledger.ts';

/** A minion's outcome. Those that returned are no concern of this file. */
export type Outcome =
  /** The minion said that it works on the job. */
  | { readonly kind: 'still running' }
  /** Published, and no sign of it since; of a minion that is not known to give signs. */
  | { readonly kind: 'no response' }
  /**
   * The minion was known to be away when the job was published (`since`), or it has not acknowledged it; `isThere` when
   * it answers other questions.
   */
  | { readonly kind: 'never received'; readonly since?: string; readonly isThere?: boolean }
  /** The connection was lost while the minion had the job, or could have had it. */
  | { readonly kind: 'connection lost'; readonly since: string }
  | { readonly kind: 'key not accepted'; readonly state: string }
  | { readonly kind: 'not known' }
  /**
   * Its key is accepted, but the minion has not been here since; with `since`, not since the master was started (UTC).
   */
  | { readonly kind: 'not here yet'; readonly since?: string }
  /** The master beside a syndic did not take the job. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What the ledger keeps of an outcome besides its name: since when, or the state of the key. */
export function outcomeDetail(outcome: Outcome): string | undefined {
  if (outcome.kind === 'key not accepted') return outcome.state;
  if (outcome.kind === 'refused') return outcome.reason;
  return 'since' in outcome ? outcome.since : undefined;
}

/** An outcome as the ledger keeps it; undefined for one that speaks of a return or of no end. */
export function readOutcome(kind: OutcomeKind, detail: string | undefined): Outcome | undefined {
  switch (kind) {
    case 'still running':
    case 'no response':
    case 'not known':
      return { kind };
    case 'never received':
    case 'not here yet':
      return detail === undefined ? { kind } : { kind, since: detail };
    case 'connection lost':
      return { kind, since: detail ?? '?' };
    case 'key not accepted':
      return { kind, state: detail ?? 'missing' };
    case 'refused':
      return { kind, reason: detail ?? '?' };
    default:
      return undefined;
  }
}

const LATER =
  'The minions may not have all finished running and any remaining minions will return upon completion. ' +
  'To look up the return data for this job later, run the following command:';

/** Why, in a sentence without Salt's words; empty when nothing more is known than that there was no answer. */
export function outcomeReason(id: string, outcome: Outcome): string {
  const syndic = syndicIdOf(id);
  if (syndic !== undefined) return syndicReason(syndic, outcome);
  switch (outcome.kind) {
    case 'no response':
      return 'Nothing has been heard of the minion since the job was published: it is down, cut off from this master, or busy. See its log.';
    case 'still running':
      return 'The minion has received the job and may still work on it.';
    case 'never received':
      if (outcome.since !== undefined)
        return `The connection was lost at ${outcome.since} UTC, before the job was published: the minion has not received it.`;
      return outcome.isThere
        ? 'The minion answers, but has not taken the job.'
        : 'The minion has not acknowledged the job.';
    case 'connection lost':
      return `The connection was lost at ${outcome.since} UTC, while the job was under way.`;
    case 'key not accepted':
      return `Its key is ${outcome.state}, not accepted. See: salt-key -f ${id}`;
    case 'not known':
      return 'No key of this name is known to this master. See: salt-key -L';
    case 'not here yet':
      if (outcome.since !== undefined)
        return `The minion has not been connected since this master was started at ${outcome.since} UTC, and so has not received the job. Is it running?`;
      return (
        'Its key is accepted, but the minion has not been here since. One that waits asks again within its ' +
        'acceptance_wait_time (10 seconds): run the command again then.'
      );
    case 'refused':
      return `The job was refused: ${outcome.reason}`;
  }
}

/** Of a syndic, for whose minions it stands. */
function syndicReason(syndic: string, outcome: Outcome): string {
  switch (outcome.kind) {
    case 'never received':
      return `The syndic ${syndic} was not connected when the job was published (since ${outcome.since ?? '?'} UTC): no minion below it has received it.`;
    case 'connection lost':
      return `The connection of the syndic ${syndic} was lost at ${outcome.since} UTC, while the job was under way; what is below it returns when it is back.`;
    case 'refused':
      return `The master of the syndic ${syndic} refused the job: ${outcome.reason}`;
    default:
      return `The syndic ${syndic} has not told which minions it expects.`;
  }
}

/** What is printed under the minion's name. */
export function outcomeText(id: string, jid: string, outcome: Outcome): string {
  const isAway = 'since' in outcome && outcome.since !== undefined;
  const lines = [`Minion did not return. [${isAway ? 'Not connected' : 'No response'}]`];
  const reason = outcomeReason(id, outcome);
  if (reason !== '') lines.push(reason);
  if (mayReturn(outcome)) lines.push(LATER, '', `salt-run jobs.lookup_jid ${jid}`);
  return lines.join('\n');
}

/** False for a minion that cannot have the job. */
function mayReturn(outcome: Outcome): boolean {
  if (outcome.kind === 'never received') return outcome.since === undefined;
  return !['key not accepted', 'not known', 'not here yet', 'refused'].includes(outcome.kind);
}
