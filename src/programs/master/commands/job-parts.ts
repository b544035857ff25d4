/**
 * Jobs that are published in parts, each with a list of minions, under one id: a batch of Salt 3008
 * (salt/cli/batch.py).
 */
import type { Dict, Value } from '../../../python/values/value.ts';
import { valuesEqual } from '../../../python/values/value.ts';
import { OWNER_FIELD } from '../../../storage/jobs/job-owner.ts';
import type { PublishRequest } from './publish-request.ts';

/**
 * Whether a publication under the id of a job is a further part of it: of the same user, shown in the same way, with
 * the same function and arguments, for a list of minions as the job is.
 * @param job as the job cache has it
 */
export function isPartOf(job: Dict, request: PublishRequest): boolean {
  const { fun, arg, user, publisher, eauth, tgtType } = request;
  const same: readonly (readonly [string, Value | undefined])[] = [
    ['fun', fun],
    ['arg', [...arg]],
    ['user', user],
    ['id', publisher],
    [OWNER_FIELD, eauth],
  ];
  return (
    tgtType === 'list' &&
    job.get('tgt_type') === 'list' &&
    same.every(([field, value]) => valuesEqual(job.get(field) ?? null, value ?? null))
  );
}

/** The name under which the minions of a further part are kept; no name of a syndic has a slash. */
export function partName(minions: readonly [string, ...string[]]): string {
  return `part/${minions[0]}`;
}
