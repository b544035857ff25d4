/** Who has shown who he is, and what a request gets that has not. */
import type { Identity } from '../../../runtime/access/auth-list.ts';
import { API_TOKEN } from '../../../storage/jobs/job-owner.ts';
import type { Rights } from '../../../runtime/access/question.ts';

/** By what somebody has shown who he is; these are Salt's words for it. */
export type AuthType = 'user' | 'eauth' | 'token';

/** An authenticated requester. */
export interface Requester {
  readonly type: AuthType;
  /** In whose name he acts, as jobs and events say it. */
  readonly user: string;
  readonly rights: Rights;
  /** What a token or a log-in says of him; undefined for a key. */
  readonly identity?: Identity & { readonly eauth: string };
}

/** What Salt's master says to credentials that do not hold (salt/auth/__init__.py `check_authentication`, 3006.16). */
export interface LoginFailure {
  readonly error: { readonly name: string; readonly message: string };
  /** Whose they were said to be. */
  readonly user: string;
  readonly type: AuthType;
  /** For the log. */
  readonly reason: string;
}

/** What a function of the master is answered with that a requester may not call (salt/master.py `runner`, 3006.16). */
export function refusalOf({ type, user }: Requester): LoginFailure['error'] {
  return {
    name: ERROR_NAMES[type],
    message: `Authentication failure of type "${type}" occurred for user ${user}.`,
  };
}

export const ERROR_NAMES: Readonly<Record<AuthType, string>> = {
  user: 'UserAuthenticationError',
  eauth: 'EauthAuthenticationError',
  token: 'TokenAuthenticationError',
};

/** What has vouched for the name of a requester; undefined for a user of the machine, whose key it was. */
export function voucherOf({ type, identity }: Requester): string | undefined {
  return identity?.eauth ?? (type === 'token' ? API_TOKEN : undefined);
}

export function isFailure(found: Requester | LoginFailure): found is LoginFailure {
  return 'error' in found;
}
