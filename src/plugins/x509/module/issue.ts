/**
 * What new certificates, requests and revocation lists say, out of the arguments of functions and states. Follows
 * 3006.16 salt/utils/x509.py `build_*`.
 */
import type { KeyObject } from 'node:crypto';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isBytes, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type {
  Certificate,
  CertificateBody,
  Extension,
  ListBody,
  RequestBody,
  Revoked,
} from './certificates.ts';
import { buildExtension, timeFrom } from './extension-build.ts';
import {
  CERT_EXTENSIONS,
  CRL_EXTENSIONS,
  CSR_FORBIDDEN,
  ENTRY_OIDS,
  EXTENSION_OIDS,
} from './extension-oids.ts';
import { isPair, loadKey, loadPublicKey, publicHalf } from './keys.ts';
import { loadCertificate, loadRequest } from './load.ts';
import { NAME_OIDS, nameOf } from './names.ts';

/** Time, randomness and the log of who issues. */
export interface IssueDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const DAY = 86_400_000;

/**
 * Arguments of functions and states that say something of a certificate, beside the parts of names and the extensions.
 */
const CERT_ARGUMENTS = new Set([
  ...['signing_private_key', 'signing_private_key_passphrase', 'signing_cert', 'public_key', 'private_key'],
  ...['private_key_passphrase', 'csr', 'subject', 'serial_number', 'not_before', 'not_after', 'days_valid'],
  ...['digest', 'copypath', 'prepend_cn', 'minions', 'ca_server', 'signing_policy'],
]);

/** Long names of the old module, and what they are called now. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['algorithm', 'digest'],
  ['commonName', 'CN'],
  ['localityName', 'L'],
  ['stateOrProvinceName', 'ST'],
  ['organizationName', 'O'],
  ['organizationUnitName', 'OU'],
  ['givenName', 'GN'],
  ['surname', 'SN'],
  ['Email', 'MAIL'],
  ['emailAddress', 'MAIL'],
  ['serialNumber', 'SERIALNUMBER'],
  ['X509v3 Basic Constraints', 'basicConstraints'],
  ['X509v3 Key Usage', 'keyUsage'],
  ['X509v3 Extended Key Usage', 'extendedKeyUsage'],
  ['X509v3 Subject Key Identifier', 'subjectKeyIdentifier'],
  ['X509v3 Authority Key Identifier', 'authorityKeyIdentifier'],
  ['X509v3 Issuer Alternative Name', 'issuerAltName'],
  ['issuserAltName', 'issuerAltName'],
  ['Authority Information Access', 'authorityInfoAccess'],
  ['X509v3 Subject Alternative Name', 'subjectAltName'],
  ['X509v3 CRL Distribution Points', 'crlDistributionPoints'],
  ['X509v3 Issuing Distribution Point', 'issuingDistributionPoint'],
  ['X509v3 Certificate Policies', 'certificatePolicies'],
  ['X509v3 Policy Constraints', 'policyConstraints'],
  ['X509v3 Inhibit Any Policy', 'inhibitAnyPolicy'],
  ['X509v3 Name Constraints', 'nameConstraints'],
  ['OCSP No Check', 'noCheck'],
  ['TLS Feature', 'tlsfeature'],
  ['Netscape Comment', 'nsComment'],
  ['Netscape Certificate Type', 'nsCertType'],
  ['X509v3 CRLNumber', 'cRLNumber'],
  ['X509v3 Delta CRL Indicator', 'deltaCRLIndicator'],
  ['x509v3 Freshest CRL', 'freshestCRL'],
]);

/** What the old module took and what means nothing any more. */
const DROPPED = new Set(['text', 'version', 'serial_bits', 'cipher', 'verbose']);

/**
 * Arguments under the names that count. Salt's own (`__pub_*`) are left out, and what nothing is known of is named in
 * the log.
 * @param where whose arguments they are, for the log
 */
export function currentNames(given: Dict, where: string, log: Logger): Dict {
  const out: Dict = new Map();
  for (const [key, value] of given) {
    const name = pyStr(key);
    if (name.startsWith('__')) continue;
    if (DROPPED.has(name)) {
      log.warning(`${where}: ${name} is an argument of the old module x509 and has no effect`);
      continue;
    }
    const current = RENAMED.get(name) ?? name;
    if (current !== name) log.debug(`${where}: ${name} is called ${current} now`);
    if (!CERT_ARGUMENTS.has(current) && !NAME_OIDS.has(current) && !EXTENSION_OIDS.has(current))
      log.warning(`${where}: the argument ${name} is not known and has no effect`);
    out.set(current, value);
  }
  return out;
}

/** Puts a signing policy over arguments: what it says counts. @returns the arguments to sign with */
export function underPolicy(policy: Dict, given: Dict): Dict {
  const out: Dict = new Map(given);
  if (policy.size === 0) return out;
  const rules: Dict = new Map(policy);
  const [asked, ruled] = [out.get('subject'), rules.get('subject')];
  if (asked !== undefined) {
    if ([...NAME_OIDS.keys()].some((name) => rules.has(name))) out.delete('subject');
    else if (isDict(ruled) && isDict(asked)) {
      out.set('subject', new Map([...asked, ...ruled]));
      rules.delete('subject');
    } else if (Array.isArray(ruled) && Array.isArray(asked)) {
      out.set('subject', [...ruled, ...asked]);
      rules.delete('subject');
    }
  }
  for (const [key, value] of rules) out.set(key, value);
  return out;
}

/** The number of a certificate. @throws CommandExecutionError for what is none */
function serialOf(given: Value, random: Random): bigint {
  if (given === null) return BigInt(`0x${random.bytes(20).toString('hex')}`) >> 1n;
  if (typeof given === 'number' || typeof given === 'bigint') return BigInt(given);
  if (isBytes(given)) return BigInt(`0x${Buffer.from(given).toString('hex') || '0'}`);
  const hex = typeof given === 'string' ? given.replaceAll(':', '').trim() : '';
  if (!/^(?:[0-9A-Fa-f]{2})+$/.test(hex))
    throw new CommandExecutionError(`Could not parse serial number ${pyStr(given)}`);
  return BigInt(`0x${hex}`);
}

/** A new certificate before it is signed. */
export interface Draft {
  readonly body: CertificateBody;
  /** Undefined where another minion signs. */
  readonly signingKey: KeyObject | undefined;
  /**
   * The private key of the certificate, where it was given.
   * Salt compat: Salt has none for a certificate that signs itself, which then cannot be put into PKCS 12.
   */
  readonly privateKey: KeyObject | undefined;
  readonly signingCert: Certificate | undefined;
}

const valueOf = (args: Dict, name: string): Value => args.get(name) ?? null;
const given = (args: Dict, name: string): boolean => truthy(args.get(name));

function subjectKey(
  args: Dict,
  request: { publicKey: KeyObject } | undefined,
): { publicKey: KeyObject; privateKey?: KeyObject } {
  if (given(args, 'private_key')) {
    const { key } = loadKey(valueOf(args, 'private_key'), valueOf(args, 'private_key_passphrase'));
    return { publicKey: publicHalf(key), privateKey: key };
  }
  if (given(args, 'public_key')) return { publicKey: anyPublicKey(valueOf(args, 'public_key')) };
  if (request !== undefined) return request;
  throw new SaltInvocationError(
    'This certificate is not self-signed (signing_cert is set) and thus needs public_key, private_key or csr to derive public key to sign',
  );
}

/** The old module took certificates and private keys where a public key is meant, and so do SLS files. */
function anyPublicKey(source: Value): KeyObject {
  try {
    return loadPublicKey(source);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    for (const read of [
      () => loadCertificate(source).publicKey,
      () => publicHalf(loadKey(source).key),
      () => loadRequest(source).loaded.publicKey,
    ])
      try {
        return read();
      } catch {
        // it is something else
      }
    throw error;
  }
}

function validity(args: Dict, clock: Clock): Pick<CertificateBody, 'notBefore' | 'notAfter'> {
  const now = Math.floor(clock.nowMs() / 1000) * 1000;
  const days = args.has('days_valid') ? toNumber(valueOf(args, 'days_valid')) : 30;
  const notBefore = given(args, 'not_before') ? timeFrom(valueOf(args, 'not_before')) : now;
  if (days === undefined && !given(args, 'not_after'))
    throw new SaltInvocationError(`days_valid must be a number, not ${pyStr(valueOf(args, 'days_valid'))}`);
  const notAfter = given(args, 'not_after') ? timeFrom(valueOf(args, 'not_after')) : now + (days ?? 0) * DAY;
  if (notAfter < notBefore)
    throw new SaltInvocationError('The not valid after date must be after the not valid before date.');
  return { notBefore, notAfter };
}

/**
 * What a certificate is to say.
 * @param isRemote another minion signs, so that the key that signs is not here
 * @throws SaltInvocationError, CommandExecutionError
 */
export function draftCertificate(args: Dict, isRemote: boolean, { clock, random }: IssueDeps): Draft {
  const signingKey = isRemote
    ? undefined
    : loadKey(valueOf(args, 'signing_private_key'), valueOf(args, 'signing_private_key_passphrase')).key;
  const request = given(args, 'csr') ? loadRequest(valueOf(args, 'csr')).loaded : undefined;
  const signingCert = given(args, 'signing_cert')
    ? loadCertificate(valueOf(args, 'signing_cert'))
    : undefined;
  if (signingCert === undefined && signingKey === undefined)
    throw new SaltInvocationError('The signing policy of the ca_server has no signing_cert.');
  const caKey = signingCert === undefined && signingKey !== undefined ? publicHalf(signingKey) : undefined;
  const own = caKey === undefined ? subjectKey(args, request) : { publicKey: caKey, privateKey: signingKey };
  if (signingCert !== undefined && signingKey !== undefined && !isPair(signingCert.publicKey, signingKey))
    throw new SaltInvocationError("Signing private key does not match the certificate's public key");
  const subject = nameOf(given(args, 'subject') ? valueOf(args, 'subject') : args);
  const extensions = CERT_EXTENSIONS.flatMap((name): Extension[] => {
    const value = args.get(name) ?? null;
    // a signing policy takes an extension away by saying null
    if (value === null) return [];
    return [buildExtension(name, value, { caCert: signingCert, publicKey: own.publicKey, caKey })];
  });
  for (const name of CERT_EXTENSIONS) {
    const oid = EXTENSION_OIDS.get(name);
    if (CSR_FORBIDDEN.has(name) || extensions.some((one) => one.oid === oid)) continue;
    const asked = request?.extensions.find((one) => one.oid === oid);
    if (asked !== undefined) extensions.push(asked);
  }
  const body = {
    serial: serialOf(valueOf(args, 'serial_number'), random),
    issuer: signingCert?.subject ?? subject,
    subject,
    ...validity(args, clock),
    publicKey: own.publicKey,
    extensions,
  };
  return { body, signingKey, privateKey: 'privateKey' in own ? own.privateKey : undefined, signingCert };
}

/** Extensions that say something of keys or of the certificate that signs. */
const OF_KEYS = new Set(['subjectKeyIdentifier', 'authorityKeyIdentifier', 'issuerAltName']);

/**
 * Looks at the extensions that can be judged without any key, so that they are also where a key is still to be made.
 * @throws SaltInvocationError, CommandExecutionError
 */
export function checkExtensions(args: Dict): void {
  for (const name of CERT_EXTENSIONS) {
    const value = args.get(name) ?? null;
    if (value !== null && !OF_KEYS.has(name)) buildExtension(name, value);
  }
}

/** What a request is to say, and the key that signs it. @throws SaltInvocationError, CommandExecutionError */
export function draftRequest(args: Dict): { body: RequestBody; key: KeyObject } {
  const { key } = loadKey(valueOf(args, 'private_key'), valueOf(args, 'private_key_passphrase'));
  const subject = nameOf(given(args, 'subject') ? valueOf(args, 'subject') : args);
  const names = CERT_EXTENSIONS.filter((name) => !CSR_FORBIDDEN.has(name));
  const extensions = names.flatMap((name) => {
    const value = args.get(name) ?? null;
    return value === null ? [] : [buildExtension(name, value, { publicKey: publicHalf(key) })];
  });
  return { body: { subject, extensions }, key };
}

/** One revoked certificate in the forms of the old module, too: a name over a list, `reason` beside. */
function revocation(entry: Value): Dict {
  if (!isDict(entry)) throw new SaltInvocationError('Revoked certificates must be a list of dicts.');
  const out: Dict = new Map(entry);
  const [only] = entry.values();
  if (entry.size === 1 && Array.isArray(only)) {
    out.clear();
    for (const part of only) if (isDict(part)) for (const [key, value] of part) out.set(key, value);
  }
  const reason = out.get('reason');
  if (reason !== undefined) {
    out.delete('reason');
    const extensions = out.get('extensions');
    out.set('extensions', new Map([...(isDict(extensions) ? extensions : []), ['CRLReason', reason]]));
  }
  return out;
}

function revoked(entry: Value, includeExpired: boolean, { clock, random, log }: IssueDeps): Revoked[] {
  const rev = revocation(entry);
  let notAfter = rev.has('not_after') ? timeFrom(valueOf(rev, 'not_after')) : undefined;
  let serial = valueOf(rev, 'serial_number');
  if (rev.has('certificate')) {
    const cert = loadCertificate(valueOf(rev, 'certificate'));
    ({ notAfter, serial } = cert);
  }
  if (!truthy(serial)) throw new SaltInvocationError('Need serial_number or certificate');
  const now = clock.nowMs();
  if (notAfter !== undefined && !includeExpired && now > notAfter) return [];
  const extensions = rev.get('extensions');
  const built = (isDict(extensions) ? [...extensions] : []).flatMap(([name, value]) => {
    if (ENTRY_OIDS.has(pyStr(name))) return [buildExtension(pyStr(name), value)];
    log.warning(`Ignoring invalid CRL entry extension: ${pyStr(name)}`);
    return [];
  });
  const date = rev.has('revocation_date') ? timeFrom(valueOf(rev, 'revocation_date')) : now;
  return [{ serial: serialOf(serial, random), date: Math.floor(date / 1000) * 1000, extensions: built }];
}

/** The arguments of a revocation list. */
export interface ListArguments {
  readonly signing_private_key: Value;
  readonly signing_private_key_passphrase: Value;
  readonly signing_cert: Value;
  readonly revoked: Value;
  readonly include_expired: boolean;
  readonly days_valid: Value;
  readonly extensions: Dict;
}

/** What a revocation list is to say, and the key that signs it. @throws SaltInvocationError, CommandExecutionError */
export function draftList(args: ListArguments, deps: IssueDeps): { body: ListBody; key: KeyObject } {
  const signingCert = truthy(args.signing_cert) ? loadCertificate(args.signing_cert) : undefined;
  const { key } = loadKey(args.signing_private_key, args.signing_private_key_passphrase);
  if (signingCert === undefined)
    throw new SaltInvocationError('A CRL must have an issuer name: set signing_cert.');
  if (!isPair(signingCert.publicKey, key))
    throw new SaltInvocationError("Signing private key does not match the certificate's public key");
  if (!Array.isArray(args.revoked)) throw new SaltInvocationError('revoked must be a list of dicts.');
  const lastUpdate = Math.floor(deps.clock.nowMs() / 1000) * 1000;
  const extensions = [...args.extensions].flatMap(([name, value]) => {
    if (CRL_EXTENSIONS.has(pyStr(name))) return [buildExtension(pyStr(name), value, { caCert: signingCert })];
    deps.log.warning(`Ignoring invalid CRL extension: ${pyStr(name)}`);
    return [];
  });
  const body = {
    issuer: signingCert.subject,
    lastUpdate,
    nextUpdate: lastUpdate + (toNumber(args.days_valid ?? 100) ?? 100) * DAY,
    revoked: args.revoked.flatMap((entry) => revoked(entry, args.include_expired, deps)),
    extensions,
  };
  return { body, key };
}
