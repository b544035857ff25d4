/**
 * Whose a job is. A name alone says nothing: two systems of `external_auth` may each have an `alice`, and a name may be
 * chosen so that it is that of a user of the machine or of an API token. So it is the name together with what vouches
 * for it, which the master keeps with each job.
 */
import type { Dict } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { OWNER_FIELD } from '../../../storage/jobs/job-owner.ts';

/** The system by which users of the machine log in as themselves. */
const OF_THE_MACHINE = 'pam';

/** Somebody who asks, as the owner of what he starts. */
export function ownerOf({ user, eauth }: { readonly user: string; readonly eauth: string }): string {
  return `${eauth} ${user}`;
}

/**
 * The owner of a job; undefined for one that nobody who can log in has started, such as those of a minion's schedule.
 */
export function ownerOfJob(load: Dict): string | undefined {
  const user = userOf(load);
  const eauth = load.get(OWNER_FIELD);
  if (typeof eauth === 'string' && eauth !== '') return ownerOf({ user, eauth });
  return load.has('id') ? undefined : ownerOf({ user, eauth: OF_THE_MACHINE });
}

/** In whose name a job was published. */
export function userOf(load: Dict): string {
  return pyStr(load.get('user') ?? '');
}
