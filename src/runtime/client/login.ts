/** What a program shows the master instead of a user's key. */
import type { Secret } from '../../host/secret.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/**
 * The address for which a program of the master's machine, such as an API, sends a log-in. Not Salt's, but ours; it
 * counts only from this machine, and says beside whom the log-in waits.
 */
export const CLIENT_FIELD = 'brine_client';

/** A token, or a name and a password of an authentication system. */
export type Login =
  | { readonly kind: 'token'; readonly token: Secret }
  | {
      readonly kind: 'eauth';
      readonly eauth: string;
      readonly username: string;
      readonly password: Secret;
      /** The address for which a program of this machine asks. */
      readonly client?: string;
    };

/**
 * The fields of a request by which the master finds out who asks. For `publish` they stand in `kwargs`, else beside the
 * command.
 */
export function loginFields(login: Login): Dict {
  return new Map<Value, Value>(
    login.kind === 'token'
      ? [['token', login.token.reveal()]]
      : [
          ['eauth', login.eauth],
          ['username', login.username],
          ['password', login.password.reveal()],
          ...(login.client === undefined ? [] : [[CLIENT_FIELD, login.client] as [Value, Value]]),
        ],
  );
}
