/**
 * What became of a minion that a job expects and that did not return in time: exactly one named outcome, with its reason.
 * Salt's wording comes first, so that scripts that look for it find it; the reason follows.
 */

/** A minion's outcome. Those that returned are no concern of this file. */
export type Outcome =
  /** The minion said that it works on the job, and was heard of since. */
  | { readonly kind: 'still running' }
  /** Published, and no sign of it since. */
  | { readonly kind: 'no response' }
  /** The minion was known to be away when the job was published. */
  | { readonly kind: 'never received'; readonly since: string }
  /** The connection was lost while the minion had the job, or could have had it. */
  | { readonly kind: 'connection lost'; readonly since: string }
  | { readonly kind: 'key not accepted'; readonly state: string }
  | { readonly kind: 'not known' };

/** Names of outcomes, as events, the job cache and JSON carry them. */
export type OutcomeKind = Outcome['kind'];

const LATER =
  'The minions may not have all finished running and any remaining minions will return upon completion. ' +
  'To look up the return data for this job later, run the following command:';

/** What is printed under the minion's name. */
export function outcomeText(id: string, jid: string, outcome: Outcome): string {
  const lookUp = `${LATER}\n\nsalt-run jobs.lookup_jid ${jid}`;
  switch (outcome.kind) {
    case 'no response':
      return `Minion did not return. [No response]\n${lookUp}`;
    case 'still running':
      return `Minion did not return. [No response]\nThe minion still works on the job.\n${lookUp}`;
    case 'never received':
      return `Minion did not return. [Not connected]\nThe connection was lost at ${outcome.since} UTC, before the job was published: the minion has not received it.`;
    case 'connection lost':
      return `Minion did not return. [Not connected]\nThe connection was lost at ${outcome.since} UTC, while the job was under way.\n${lookUp}`;
    case 'key not accepted':
      return `Minion did not return. [No response]\nIts key is ${outcome.state}, not accepted. See: salt-key -f ${id}`;
    case 'not known':
      return 'Minion did not return. [No response]\nNo key of this name is known to this master. See: salt-key -L';
  }
}
