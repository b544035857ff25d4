/** What a program shows the master instead of a user's key. */
import type { Secret } from '../../host/secret.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** A token, or a name and a password of an authentication system. */
export type Login =
  | { readonly kind: 'token'; readonly token: Secret }
  | {
      readonly kind: 'eauth';
      readonly eauth: string;
      readonly username: string;
      readonly password: Secret;
    };

/** The fields of a request by which the master finds out who asks. For `publish` they stand in `kwargs`, else beside the command. */
export function loginFields(login: Login): Dict {
  return new Map<Value, Value>(
    login.kind === 'token'
      ? [['token', login.token.reveal()]]
      : [
          ['eauth', login.eauth],
          ['username', login.username],
          ['password', login.password.reveal()],
        ],
  );
}
