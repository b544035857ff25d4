/**
 * Revoking certificates, lists of what is revoked, and asking whether one is valid. Follows 3006.16
 * salt/modules/tls.py.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { isDir, pathExists } from '../../../python/paths.ts';
import { strptime } from '../../../python/text/strftime.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { isSignedBy, signList, type RevocationList, type Revoked } from '../../x509/module/certificates.ts';
import { checkedDigest } from '../../x509/module/keys.ts';
import { loadList } from '../../x509/module/load.ts';
import { sameName } from '../../x509/module/names.ts';
import { toPem } from '../../x509/module/sources.ts';
import { certificateIn, indexEntry, indexTime, readAuthority, type Authority } from './authority.ts';
import { authorityFile, readCertificate } from './issue.ts';

const DAY = 86_400_000;
const LIST_DAYS = 100;
/** Times in the index, without its century. */
const INDEX_TIME = '%y%m%d%H%M%SZ';

function writeList(
  ctx: ModuleContext,
  path: string,
  { cert, key }: Authority,
  { digest, revoked }: { readonly digest: string; readonly revoked: readonly Revoked[] },
): void {
  const lastUpdate = Math.floor(ctx.clock.nowMs() / 1000) * 1000;
  const body = { issuer: cert.subject, lastUpdate, nextUpdate: lastUpdate + LIST_DAYS * DAY };
  const bytes = signList({ ...body, revoked, extensions: [] }, key, checkedDigest(digest));
  writeInPlace(path, toPem('X509 CRL', bytes));
}

/** Which list of which authority. */
export interface ListOrder {
  readonly ca_name: string;
  readonly ca_filename: string | undefined;
  readonly crl_file: string | undefined;
  readonly digest: string;
}

const listFile = (base: string, { ca_name, crl_file }: ListOrder): string =>
  crl_file === undefined || crl_file === '' ? `${base}/${ca_name}/crl.pem` : crl_file;

/** Makes a list in which nothing is revoked. @returns Salt's sentence */
export function createEmptyList(ctx: ModuleContext, base: string, order: ListOrder): string {
  const path = listFile(base, order);
  if (pathExists(path)) return `CRL "${path}" already exists`;
  const authority = readAuthority(
    `${base}/${order.ca_name}`,
    authorityFile(order.ca_name, order.ca_filename),
  );
  if (authority === undefined) return `There is no CA named "${order.ca_name}"`;
  writeList(ctx, path, authority, { digest: order.digest, revoked: [] });
  return `Created an empty CRL: "${path}"`;
}

/** The revoked certificates of an index. */
function revokedIn(lines: readonly string[]): Revoked[] {
  return lines.flatMap((line) => {
    const [state = '', , at = '', serial = ''] = line.split('\t');
    const date = strptime(at, INDEX_TIME);
    if (!state.startsWith('R') || date === undefined || !/^[0-9A-Fa-f]+$/.test(serial)) return [];
    return [{ serial: BigInt(`0x${serial}`), date, extensions: [] }];
  });
}

/** A certificate that is to be revoked. */
export interface RevokeOrder extends ListOrder {
  readonly CN: string;
  readonly cert_path: string | undefined;
  readonly cert_filename: string | undefined;
}

/** Revokes a certificate. @returns Salt's sentence; a mapping of retcode and comment for what cannot be */
export function revokeCertificate(ctx: ModuleContext, base: string, order: RevokeOrder): Value {
  const { ca_name: name, CN } = order;
  const folder = `${base}/${name}`;
  const authority = readAuthority(folder, order.ca_filename ?? `${name}_ca_cert`);
  if (authority === undefined) return `There is no CA named "${name}"`;
  const path = `${order.cert_path ?? `${folder}/certs`}/${order.cert_filename ?? CN}.crt`;
  const cert = readCertificate(path);
  if (cert === undefined) return `There is no client certificate named "${CN}"`;
  const { serial, expires } = indexEntry(cert);
  const index = `${folder}/index.txt`;
  const lines = readBytes(index).toString('utf8').split('\n');
  // by its number: Salt writes the subject in another form
  const at = lines.findIndex((line) => line.includes(`\t${serial}\tunknown\t`));
  const entry = lines[at];
  if (entry !== undefined && entry.startsWith('R\t'))
    return `"${path}" was already revoked, serial number: ${serial}`;
  if (entry !== undefined) {
    const subject = entry.split('\t').slice(3).join('\t');
    lines[at] = `R\t${expires}\t${indexTime(ctx.clock.nowMs())}\t${subject}`;
    writeInPlace(index, lines.join('\n'));
  }
  const list = order.crl_file ?? `${folder}/crl.pem`;
  if (isDir(list)) return dict({ retcode: 1, comment: `crl_file "${list}" is an existing directory` });
  writeList(ctx, list, authority, { digest: order.digest, revoked: revokedIn(lines) });
  return `Revoked Certificate: "${path}", serial number: ${serial}`;
}

/** Whether an authority's certificate is valid by one of its lists, and if not, in OpenSSL's words why. */
export function validate(
  ctx: ModuleContext,
  base: string,
  {
    cert: path,
    ca_name,
    crl_file,
  }: { readonly cert: string; readonly ca_name: string; readonly crl_file: string | undefined },
): Dict {
  const cert = readCertificate(path);
  if (cert === undefined)
    throw new CommandExecutionError(`Failed to read cert from ${path}, see log for details`);
  const authority = certificateIn(`${base}/${ca_name}/${ca_name}_ca_cert.crt`);
  const list = crl_file === undefined ? undefined : loadList(crl_file).loaded;
  const now = ctx.clock.nowMs();
  const wrong = (error: string): Dict => dict({ error, valid: false });
  if (!sameName(cert.issuer, authority.subject)) return wrong('unable to get local issuer certificate');
  if (!isUsable(list, authority)) return wrong('unable to get certificate CRL');
  if ((list.nextUpdate ?? now) < now) return wrong('CRL has expired');
  if (list.revoked.some(({ serial }) => serial === cert.serial)) return wrong('certificate revoked');
  if (!isSignedBy(cert, authority.publicKey)) return wrong('certificate signature failure');
  if (cert.notBefore > now) return wrong('certificate is not yet valid');
  return cert.notAfter < now ? wrong('certificate has expired') : dict({ valid: true });
}

const isUsable = (
  list: RevocationList | undefined,
  { subject }: { readonly subject: RevocationList['issuer'] },
): list is RevocationList => list !== undefined && sameName(list.issuer, subject);
