/** Beginning a session, whatever somebody has logged in by. */
import { Secret } from '../../../host/secret.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, type Dict } from '../../../python/values/value.ts';
import { NotAuthorisedError } from '../../../runtime/client/errors.ts';
import { mayLogIn } from '../api-acl.ts';
import { makeToken } from '../resources/logins.ts';
import type { Deps } from './deps.ts';
import { ApiFault } from './fault.ts';

/**
 * Has the master make a token for credentials, if `api_acl` lets the user log in from his address.
 * @returns the id of the session @throws ApiFault `login-failed`
 */
export async function beginSession(deps: Deps, credentials: Dict, address: string): Promise<string> {
  const username = pyStr(credentials.get('username') ?? '');
  if (!mayLogIn(deps.settings.values.api_acl, username, address, deps.log))
    throw new ApiFault('login-failed', `api_acl does not let ${username} log in from ${address}.`);
  deps.link.requireMaster();
  const made = await makeToken(deps, credentials, address).catch((error: unknown) => {
    if (error instanceof NotAuthorisedError)
      throw new ApiFault(
        'login-failed',
        'The name and the password do not belong together, or external_auth has no such system.',
      );
    throw error;
  });
  return deps.sessions.begin({
    token: new Secret(pyStr(made.get('token') ?? '')),
    user: pyStr(made.get('name') ?? ''),
    expire: toNumber(made.get('expire')) ?? 0,
  });
}
