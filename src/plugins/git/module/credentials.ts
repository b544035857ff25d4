/**
 * User names and passwords in the addresses of repositories: putting them in and hiding them (3006.16
 * salt/utils/url.py).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { withoutCredentials } from '../../../python/values/masked.ts';

/**
 * An address with a user and a password in it.
 * @throws SaltInvocationError `Basic Auth only supported for HTTPS`
 */
export function withBasicAuth(url: string, user: string | undefined, password: string | undefined): string {
  if (user === undefined && password === undefined) return url;
  const [, scheme, rest = ''] = /^(https:\/\/)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) throw new SaltInvocationError('Basic Auth only supported for HTTPS');
  const name = user ?? 'None';
  return `${scheme.toLowerCase()}${password === undefined ? name : `${name}:${password}`}@${rest}`;
}

const WEB_ADDRESS = /(https?):\/\/.*@/gi;
const WITH_PASSWORD = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]*@/gi;

/**
 * A text without the users and passwords in its addresses: those of the web as Salt hides them, those of other schemes
 * where there is a password; `ssh://git@host` is nothing to hide, and stays.
 */
export function redacted(text: string): string {
  return text
    .replace(WEB_ADDRESS, '$1://<redacted>@')
    .replace(WITH_PASSWORD, (address) => withoutCredentials(address));
}
