/** Whose jobs are. */

/**
 * The field of a job's load in which the master keeps what has vouched for the field `user`: a system of
 * `external_auth`, or {@link API_TOKEN}. Jobs of users of the machine, who show a key, have none. Not Salt's, but ours;
 * minions never see it.
 */
export const OWNER_FIELD = 'eauth';

/** What vouches for whoever shows an API token. */
export const API_TOKEN = 'api-token';
