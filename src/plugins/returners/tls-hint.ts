/** What to look at when TLS to a database fails. */
/** Of no known authority, or no longer or not yet valid. */
const NOT_TRUSTED =
  /self.signed|unable to (verify|get)|issuer cert|certificate (has expired|is not yet valid)/i;
const OTHER_HOST = /altnames|ALTNAME/;

/** @param text what went wrong @param prefix what the options begin with @param ca the name of the one for authorities */
export function tlsHint(text: string, prefix: string, ca = 'ssl_ca'): string {
  if (OTHER_HOST.test(text))
    return `; the server's certificate is not for the host that ${prefix}.host names`;
  return NOT_TRUSTED.test(text)
    ? `; the server's certificate is of no authority in the file of ${prefix}.${ca}`
    : '';
}
