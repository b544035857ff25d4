/** Texts without the credentials that addresses carry, for logs, errors and returns. */

const ADDRESS = /([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>]*@)/gi;
const QUERY =
  /([?&](?:password|passwd|pwd|token|access_token|auth_token|secret|client_secret|api_?key|signature|sig|x-amz-(?:signature|security-token|credential))=)[^&\s"'<>#]+/gi;
const HIDDEN = '<redacted>';

/**
 * Hides names and passwords in the addresses of a text, whatever their scheme, and what queries call a password or a
 * token. Salt hides those of http and https (salt/utils/url.py `redact_http_basic_auth`, 3006.16).
 */
export function withoutCredentials(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(ADDRESS, maskOne).replace(QUERY, `$1${HIDDEN}`);
}

function maskOne(whole: string, scheme: string, rest: string): string {
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf('@');
  if (at >= 0) return `${scheme}${HIDDEN}${rest.slice(at)}`;
  // a password with a slash that was not escaped: what looks like a port is none
  return /:\D/.test(authority) ? `${scheme}${HIDDEN}@` : whole;
}
