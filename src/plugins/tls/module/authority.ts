/**
 * The files of an authority of `tls`: folders, serial numbers, the index of what was issued. Follows 3006.16
 * salt/modules/tls.py.
 */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { appendFileSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { safeJoin } from '../../../host/files.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { pathExists } from '../../../python/paths.ts';
import { strftime } from '../../../python/text/strftime.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { readCertificateDer, type Certificate } from '../../x509/module/certificates.ts';
import { loadKey } from '../../x509/module/keys.ts';
import { NAME_OIDS, type Name } from '../../x509/module/names.ts';
import { writePrivately } from '../../x509/module/pem-entries.ts';
import { pemBlocks, toPem } from '../../x509/module/sources.ts';
import { optionText } from '../../shared/settings.ts';

/** Under this name the states of one run remember the folder that `tls.set_ca_path` was given. */
const CONTEXTUAL = 'ca.contextual_cert_base_path';
/** Times in the index, in UTC. */
const INDEX_TIME = '%y%m%d%H%M%SZ';

/** Remembers a folder for the states of this run; undefined and an empty one change nothing. */
export function rememberBase(ctx: ModuleContext, folder: string | undefined): void {
  if (folder !== undefined && folder !== '') ctx.state?.memory.set(CONTEXTUAL, folder);
}

/**
 * The folder under which authorities lie.
 * @param given what the caller says; else what a state of this run said, else the option `ca.cert_base_path`
 */
export async function baseFolder(ctx: ModuleContext, given: string | undefined): Promise<string> {
  rememberBase(ctx, given);
  if (given !== undefined && given !== '') return given;
  const remembered = ctx.state?.memory.get(CONTEXTUAL);
  return remembered === undefined || remembered === null
    ? ((await optionText(ctx, ['ca.cert_base_path'])) ?? '')
    : pyStr(remembered);
}

/** The certificate in a file. @throws what reading says, CommandExecutionError where there is none in it */
export function certificateIn(path: string): Certificate {
  const block = pemBlocks(readBytes(path)).find(({ type }) => type === 'CERTIFICATE');
  if (block === undefined) throw new CommandExecutionError(`There is no certificate in ${path}.`);
  return readCertificateDer(block.der);
}

/** An authority: its folder and what it signs with. */
export interface Authority {
  readonly cert: Certificate;
  readonly key: KeyObject;
}

/** Reads an authority. @returns undefined where a file of it is missing */
export function readAuthority(folder: string, filename: string): Authority | undefined {
  const [cert, key] = [`${folder}/${filename}.crt`, `${folder}/${filename}.key`];
  if (!pathExists(cert) || !pathExists(key)) return undefined;
  return { cert: certificateIn(cert), key: loadKey(key).key };
}

/**
 * A serial number, which is also written down in `<cachedir>/<name>.serial`.
 *
 * Salt compat: Salt's have 24 bytes and more, which is more than X.509 allows (20), so that some programs refuse such a
 * certificate.
 */
export function newSerial(ctx: ModuleContext, name: string): bigint {
  const serial = BigInt(`0x${ctx.random.bytes(20).toString('hex')}`) >> 1n;
  const cachedir = optionOf(ctx.opts, 'cachedir');
  if (!pathExists(cachedir)) makeFolders(cachedir);
  appendFileSync(safeJoin(cachedir, `${name}.serial`), String(serial));
  return serial;
}

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  [...NAME_OIDS].map(([name, oid]) => [
    oid,
    new Map([
      ['MAIL', 'emailAddress'],
      ['STREET', 'street'],
      ['SERIALNUMBER', 'serialNumber'],
    ]).get(name) ?? name,
  ]),
);

/** The parts of a name as OpenSSL calls them, in their order. */
export function componentsOf(name: Name): [string, string][] {
  return name.flat().map(({ oid, value }) => [SHORT_NAMES.get(oid) ?? 'UNDEF', value]);
}

/** A time as the index has it. */
export const indexTime = (ms: number): string => strftime(ms, INDEX_TIME);

/** What the index says of a certificate behind its state and its times, and when it ends. */
export function indexEntry(cert: Certificate): { serial: string; expires: string; tail: string } {
  const serial = cert.serial.toString(16).toUpperCase();
  const subject = componentsOf(cert.subject).map(([name, value]) => `${name}=${value}`);
  return { serial, expires: indexTime(cert.notAfter), tail: `${serial}\tunknown\t/${subject.join('/')}\n` };
}

/** Writes a certificate into the index of its authority. */
export function recordIssued(folder: string, cert: Certificate): void {
  const { expires, tail } = indexEntry(cert);
  appendFileSync(`${folder}/index.txt`, `V\t${expires}\t\t${tail}`);
}

/** A private key as a text of PEM. */
export const keyPem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

/** Writes a private key, which only its owner can read where the file is new. */
export const writeKey = (path: string, key: KeyObject): void => writePrivately(path, keyPem(key));

/** Writes a certificate. */
export const writeCertificate = (path: string, bytes: Buffer): void =>
  writeInPlace(path, toPem('CERTIFICATE', bytes));

/** Makes a folder where it is not there. */
export function ensureFolder(path: string): void {
  if (!pathExists(path)) makeFolders(path);
}
