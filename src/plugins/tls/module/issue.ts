/** Making keys, requests and certificates as `tls` does. Follows 3006.16 salt/modules/tls.py (`create_*`). */
import type { KeyObject } from 'node:crypto';
import { renameSync } from 'node:fs';
import { BrineError, CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { readBytes, statFacts, writeInPlace } from '../../../host/file-operations.ts';
import { createFile } from '../../../host/files.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pathExists } from '../../../python/paths.ts';
import { strftime } from '../../../python/text/strftime.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import {
  readCertificateDer,
  signCertificate,
  signRequest,
  type Certificate,
  type CertificateBody,
  type Extension,
} from '../../x509/module/certificates.ts';
import { buildExtension } from '../../x509/module/extension-build.ts';
import { checkedDigest, loadKey, newRsaKey, publicHalf } from '../../x509/module/keys.ts';
import { loadRequest } from '../../x509/module/load.ts';
import { nameOf, type Name } from '../../x509/module/names.ts';
import { toPem } from '../../x509/module/sources.ts';
import {
  certificateIn,
  ensureFolder,
  keyPem,
  newSerial,
  readAuthority,
  recordIssued,
  writeCertificate,
  writeKey,
} from './authority.ts';

const DAY = 86_400_000;

/** The name of a certificate, as arguments. */
export interface SubjectArguments {
  readonly CN: string;
  readonly C: string;
  readonly ST: string;
  readonly L: string;
  readonly O: string;
  readonly OU: string | undefined;
  readonly emailAddress: string | undefined;
}

/** What is common to all that is made. */
interface Making {
  readonly bits: number;
  readonly digest: string;
  readonly replace: boolean;
}

function subjectName({ CN, C, ST, L, O, OU, emailAddress }: SubjectArguments): Name {
  const fields = dict({ C, ST, L, O });
  if (OU !== undefined && OU !== '') fields.set('OU', OU);
  fields.set('CN', CN);
  if (emailAddress !== undefined && emailAddress !== '') fields.set('MAIL', emailAddress);
  return nameOf(fields);
}

/** A new key. @throws SaltInvocationError for a size that OpenSSL does not make, or not in reasonable time */
async function rsaKey(bits: number): Promise<KeyObject> {
  if (bits < 512 || bits > 16_384)
    throw new SaltInvocationError(`bits must be from 512 to 16384, not ${bits}.`);
  return newRsaKey(bits);
}

function validity(ctx: ModuleContext, days: number): Pick<CertificateBody, 'notBefore' | 'notAfter'> {
  const notBefore = Math.floor(ctx.clock.nowMs() / 1000) * 1000;
  return { notBefore, notAfter: notBefore + days * DAY };
}

/** The extensions of an authority; its own number and name stand in the last one. */
function authorityExtensions(body: CertificateBody, key: KeyObject, digest: string): Extension[] {
  const subject = { publicKey: body.publicKey };
  const first = [
    buildExtension('basicConstraints', 'critical, CA:TRUE, pathlen:0', subject),
    buildExtension('keyUsage', 'critical, keyCertSign, cRLSign', subject),
    buildExtension('subjectKeyIdentifier', 'hash', subject),
  ];
  const caCert = readCertificateDer(signCertificate({ ...body, extensions: first }, key, digest));
  return [...first, buildExtension('authorityKeyIdentifier', 'keyid:always, issuer:always', { caCert })];
}

/** The key of an authority that lies there; one that cannot be read is put aside. */
function keptKey(ctx: ModuleContext, path: string): KeyObject | undefined {
  if (!pathExists(path)) return undefined;
  try {
    return loadKey(path).key;
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    const aside = `${path}.unloadable.${stamp(ctx)}`;
    ctx.log.warning(`Error loading existing private key ${path}, generating a new key: ${error.message}`);
    ctx.log.info(`Saving unloadable CA ssl key in ${aside}`);
    renameSync(path, aside);
    return undefined;
  }
}

const stamp = (ctx: ModuleContext): string => strftime(ctx.clock.nowMs(), '%Y%m%d%H%M%S');

/** Writes the key of an authority; another one that lies there is kept beside it. */
function writeAuthorityKey(ctx: ModuleContext, path: string, key: KeyObject): void {
  if (pathExists(path)) {
    const old = readBytes(path).toString('utf8').trim();
    if (old === keyPem(key).trim()) return;
    createFile(`${path}.${stamp(ctx)}`, old, { mode: 0o600 });
  }
  writeKey(path, key);
}

/** An authority that is to be made. */
export interface NewAuthority extends SubjectArguments, Making {
  readonly ca_name: string;
  readonly days: number;
  readonly fixmode: boolean;
  readonly ca_filename: string | undefined;
}

/** The file name of an authority's certificate, without its ending. */
export const authorityFile = (name: string, given: string | undefined): string =>
  given === undefined || given === '' ? `${name}_ca_cert` : given;

/** Makes an authority. @param base the folder of authorities @returns Salt's sentence */
export async function createAuthority(
  ctx: ModuleContext,
  base: string,
  given: NewAuthority,
): Promise<string> {
  const { ca_name: name, fixmode, replace } = given;
  const [folder, file] = [`${base}/${name}`, authorityFile(name, given.ca_filename)];
  const [certPath, keyPath] = [`${folder}/${file}.crt`, `${folder}/${file}.key`];
  if (!replace && !fixmode && (await authorityExists(ctx, base, name, file)))
    return `Certificate for CA named "${name}" already exists`;
  if (fixmode && !pathExists(certPath))
    throw new PythonError('ValueError', `${certPath} does not exists, can't fix`);
  const digest = checkedDigest(given.digest);
  const subject = subjectName(given);
  ensureFolder(folder);
  const key = keptKey(ctx, keyPath) ?? (await rsaKey(given.bits));
  const body = {
    serial: newSerial(ctx, name),
    issuer: subject,
    subject,
    ...validity(ctx, given.days),
    publicKey: publicHalf(key),
    extensions: [],
  };
  const extensions = authorityExtensions(body, key, digest);
  const bytes = signCertificate({ ...body, extensions }, key, digest);
  writeAuthorityKey(ctx, keyPath, key);
  writeCertificate(certPath, bytes);
  recordIssued(folder, readCertificateDer(bytes));
  return `Created Private Key: "${keyPath}" Created CA "${name}": "${certPath}"`;
}

/** Whether there is an authority; one of a version that old releases wrote wrongly is written anew. */
export async function authorityExists(
  ctx: ModuleContext,
  base: string,
  name: string,
  file: string,
): Promise<boolean> {
  const path = `${base}/${name}/${file}.crt`;
  if (!pathExists(path)) return false;
  await fixVersion(ctx, base, name, file);
  return true;
}

/** Writes the certificate of an authority anew where it says version 4, as Salt's first releases did. */
export async function fixVersion(
  ctx: ModuleContext,
  base: string,
  name: string,
  file: string,
): Promise<void> {
  const folder = `${base}/${name}`;
  const cert = certificateIn(`${folder}/${file}.crt`);
  if (cert.version !== 4) return;
  ctx.log.info(`Regenerating wrong x509 version for certificate ${folder}/${file}.crt`);
  const subject = new Map(cert.subject.flat().map(({ oid, value }) => [oid, value]));
  const part = (oid: string): string => subject.get(oid) ?? '';
  await createAuthority(ctx, base, {
    ...{ ca_name: name, ca_filename: undefined, bits: 2048, digest: 'sha256', fixmode: true, replace: false },
    days: Math.floor((cert.notAfter - ctx.clock.nowMs()) / DAY),
    ...{ CN: part('2.5.4.3'), C: part('2.5.4.6'), ST: part('2.5.4.8'), L: part('2.5.4.7') },
    ...{ O: part('2.5.4.10'), OU: subject.get('2.5.4.11') },
    emailAddress: subject.get('1.2.840.113549.1.9.1'),
  });
}

const STANDARD: ReadonlyMap<string, () => Dict> = new Map([
  [
    'common',
    () =>
      dict({
        csr: dict({ basicConstraints: 'CA:FALSE' }),
        cert: dict({ authorityKeyIdentifier: 'keyid,issuer:always', subjectKeyIdentifier: 'hash' }),
      }),
  ],
  ['server', () => usages('serverAuth', 'digitalSignature, keyEncipherment')],
  ['client', () => usages('clientAuth', 'nonRepudiation, digitalSignature, keyEncipherment')],
]);

const usages = (extendedKeyUsage: string, keyUsage: string): Dict =>
  dict({ csr: dict({ extendedKeyUsage, keyUsage }), cert: dict() });

/** The extensions of a kind of certificate: those of the pillar's `tls.extensions`, else Salt's. */
export async function extensionsOf(ctx: ModuleContext, kind: string): Promise<Dict> {
  const wanted = kind === '' ? 'server' : kind;
  if (kind === '')
    ctx.log.error('cert_type set to empty in tls_ca.get_extensions(); defaulting to ``server``');
  const ofPillar = async (name: string): Promise<Dict | undefined> => {
    const said = await ctx.functions.call('pillar.get', [`tls.extensions:${name}`, false]);
    return truthy(said) && isDict(said) ? said : STANDARD.get(name)?.();
  };
  const own = await ofPillar(wanted);
  if (own === undefined)
    throw new CommandExecutionError(
      `There is no cert_type ${wanted}: it is server, client, or a name below tls.extensions in the pillar.`,
    );
  const out = dict();
  for (const [use, values] of (await ofPillar('common')) ?? dict()) {
    const more = own.get(use);
    out.set(use, new Map([...(isDict(values) ? values : []), ...(isDict(more) ? more : [])]));
  }
  return out;
}

/** A request that is to be made. */
export interface NewRequest extends SubjectArguments, Making {
  readonly ca_name: string;
  readonly ca_filename: string | undefined;
  readonly subjectAltName: Value;
  readonly csr_path: string | undefined;
  readonly csr_filename: string | undefined;
  readonly type_ext: boolean;
  readonly cert_type: string;
}

async function requestExtensions(
  ctx: ModuleContext,
  given: NewRequest,
  key: KeyObject,
): Promise<Extension[]> {
  const csr = (await extensionsOf(ctx, given.cert_type)).get('csr');
  const subject = { publicKey: publicHalf(key) };
  const extensions = [...(isDict(csr) ? csr : [])].map(([name, value]) => ({
    ...buildExtension(pyStr(name), value, subject),
    critical: false,
  }));
  if (!truthy(given.subjectAltName)) return extensions;
  const names = Array.isArray(given.subjectAltName) ? given.subjectAltName : [given.subjectAltName];
  extensions.push({ ...buildExtension('subjectAltName', names.map(pyStr).join(', ')), critical: false });
  return extensions;
}

/** Makes a key and a request for a certificate of an authority. @returns Salt's sentence */
export async function createRequest(ctx: ModuleContext, base: string, given: NewRequest): Promise<string> {
  const { ca_name: name, CN } = given;
  if (!(await authorityExists(ctx, base, name, authorityFile(name, given.ca_filename))))
    return `Certificate for CA named "${name}" does not exist, please create it first.`;
  const folder = (given.csr_path ?? '') === '' ? `${base}/${name}/certs/` : (given.csr_path ?? '');
  ensureFolder(folder);
  const file =
    (given.csr_filename ?? '') === ''
      ? `${CN}${given.type_ext ? `_${given.cert_type}` : ''}`
      : (given.csr_filename ?? '');
  if (!given.replace && pathExists(`${folder}/${file}.csr`))
    return `Certificate Request "${folder}/${file}.csr" already exists`;
  const subject = subjectName(given);
  const digest = checkedDigest(given.digest);
  const key = await rsaKey(given.bits);
  const request = signRequest({ subject, extensions: await requestExtensions(ctx, given, key) }, key, digest);
  writeKey(`${folder}/${file}.key`, key);
  writeInPlace(`${folder}/${file}.csr`, toPem('CERTIFICATE REQUEST', request));
  return `Created Private Key: "${folder}${file}.key" Created CSR for "${CN}": "${folder}${file}.csr"`;
}

/** A certificate that signs itself. */
export interface NewSelfSigned extends SubjectArguments, Making {
  readonly tls_dir: string;
  readonly days: number;
  readonly cert_filename: string | undefined;
}

/** Makes a certificate that signs itself, and its key. @returns Salt's sentence */
export async function createSelfSigned(
  ctx: ModuleContext,
  base: string,
  given: NewSelfSigned,
): Promise<string> {
  const folder = `${base}/${given.tls_dir}`;
  ensureFolder(`${folder}/certs`);
  const file = (given.cert_filename ?? '') === '' ? given.CN : (given.cert_filename ?? '');
  const path = `${folder}/certs/${file}`;
  if (!given.replace && pathExists(`${path}.crt`)) return `Certificate "${file}" already exists`;
  const subject = subjectName(given);
  const digest = checkedDigest(given.digest);
  const key = await rsaKey(given.bits);
  const serial = newSerial(ctx, given.tls_dir);
  const names = { serial, issuer: subject, subject, publicKey: publicHalf(key), extensions: [] };
  const bytes = signCertificate({ ...names, ...validity(ctx, given.days) }, key, digest);
  writeKey(`${path}.key`, key);
  writeCertificate(`${path}.crt`, bytes);
  recordIssued(folder, readCertificateDer(bytes));
  return `Created Private Key: "${path}.key" Created Certificate: "${path}.crt"`;
}

/** A certificate that an authority is to sign. */
export interface NewSigned {
  readonly ca_name: string;
  readonly CN: string;
  readonly days: number;
  readonly ca_filename: string | undefined;
  readonly cert_path: string | undefined;
  readonly cert_filename: string | undefined;
  readonly digest: string;
  readonly cert_type: string | undefined;
  readonly type_ext: boolean;
  readonly replace: boolean;
}

const failed = (comment: string): Dict => dict({ retcode: 1, comment });

/**
 * Signs the request of a name.
 * @returns Salt's sentence; a mapping of retcode and comment where something is missing
 */
export async function createSigned(ctx: ModuleContext, base: string, given: NewSigned): Promise<Value> {
  const { ca_name: name, CN, type_ext, cert_type } = given;
  const file = authorityFile(name, given.ca_filename);
  const folder = (given.cert_path ?? '') === '' ? `${base}/${name}/certs` : (given.cert_path ?? '');
  if (type_ext && (cert_type ?? '') === '') {
    ctx.log.error('type_ext = True but cert_type is unset. Certificate not written.');
    return dict();
  }
  const csrFile = `${CN}${type_ext ? `_${cert_type ?? ''}` : ''}`;
  const certFile = (given.cert_filename ?? '') === '' ? csrFile : (given.cert_filename ?? '');
  if (!given.replace && pathExists(`${base}/${name}/certs/${certFile}.crt`))
    return `Certificate "${certFile}" already exists`;
  if (!(await authorityExists(ctx, base, name, file))) return failed(`There is no CA named "${name}"`);
  const authority = readAuthority(`${base}/${name}`, file);
  if (authority === undefined) return failed(`There is no CA named "${name}"`);
  const csr = `${folder}/${csrFile}.csr`;
  if (!pathExists(csr) || statFacts(csr).kind !== 'file')
    return failed(`There is no CSR that matches the CN "${certFile}"`);
  const request = loadRequest(csr).loaded;
  const body = {
    ...{ serial: newSerial(ctx, name), issuer: authority.cert.subject, subject: request.subject },
    ...validity(ctx, given.days),
    ...{ publicKey: request.publicKey, extensions: request.extensions },
  };
  const bytes = signCertificate(body, authority.key, checkedDigest(given.digest));
  const path = `${folder}/${certFile}.crt`;
  writeCertificate(path, bytes);
  recordIssued(`${base}/${name}`, readCertificateDer(bytes));
  return `Created Certificate for "${CN}": "${path}"`;
}

/** A certificate in PEM or in a file. */
export const readCertificate = (path: string): Certificate | undefined =>
  pathExists(path) ? certificateIn(path) : undefined;
